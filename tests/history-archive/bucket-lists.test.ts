// Bucket lists of protocol 23 and later, which a test makes by the rules of stellar-core
// (BucketListBase.cpp: addBatch; LiveBucket.cpp and HotArchiveBucket.cpp: mergeCasesWithEqualKeys):
// each key is at each checkpoint what the ledgers until then made of it.

import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { openArchiveFiles } from "../../src/history-archive/archive-files.ts";
import { openBucketStore } from "../../src/history-archive/bucket-store.ts";
import { openArchivedChain } from "../../src/history-archive/chain.ts";
import { compareKeys } from "../../src/history-archive/key-order.ts";
import { StateReader } from "../../src/history-archive/state-at.ts";
import { keyBytesOfEntry } from "../../src/xdr/reader/keys.ts";
import { decodeBytes, encodeBytes } from "../../src/xdr/reader/value.ts";
import {
  framed,
  type MadeState,
  madeArchive,
  PASSPHRASE,
  VALIDATOR,
} from "../support/made-archive.ts";

const directory = mkdtempSync(join(tmpdir(), "svc-lists-"));
afterAll(() => rmSync(directory, { recursive: true }));

const [LIVE, DEAD, INIT] = [0, 1, 2];
const LEVELS = 11;
const KEYS = 12;
const LAST = 55;

/** In a hot bucket LIVE is an archived entry, and DEAD one that was restored. */
interface Row {
  readonly kind: number;
  readonly entry: Uint8Array;
}
/** Rows by the number of their key. */
type Bucket = ReadonlyMap<number, Row>;
type Merge = (older: Row, newer: Row) => Row | null;

const mergeLive: Merge = (older, newer) => {
  if (newer.kind === INIT) return { ...newer, kind: LIVE };
  if (older.kind !== INIT) return newer;
  return newer.kind === DEAD ? null : { ...newer, kind: INIT };
};

function merged(older: Bucket, newer: Bucket, merge: Merge): Bucket {
  const all = new Map(older);
  for (const [key, row] of newer) {
    const before = older.get(key);
    const found = before === undefined ? row : merge(before, row);
    if (found === null) all.delete(key);
    else all.set(key, found);
  }
  return all;
}

interface Level {
  curr: Bucket;
  snap: Bucket;
  next: Bucket | null;
}

const half = (level: number) => 2 * 4 ** level;
const spills = (ledger: number, level: number) => level < LEVELS - 1 && ledger % half(level) === 0;

function addBatch(levels: readonly Level[], ledger: number, fresh: Bucket, merge: Merge): void {
  for (let at = LEVELS - 1; at > 0; at -= 1) {
    const [level, above] = [levels[at], levels[at - 1]];
    if (level === undefined || above === undefined || !spills(ledger, at - 1)) continue;
    above.snap = above.curr;
    above.curr = new Map();
    level.curr = level.next ?? level.curr;
    const nextChange = ledger + half(at - 1);
    level.next = merged(spills(nextChange, at) ? new Map() : level.curr, above.snap, merge);
  }
  const [first] = levels;
  if (first !== undefined) first.curr = merged(first.curr, fresh, merge);
}

function newLevels(): Level[] {
  return Array.from({ length: LEVELS }, () => ({ curr: new Map(), snap: new Map(), next: null }));
}

/** Entries and code, so that lists have several types; the key of an entry is its number. */
function entryOf(key: number, ledger: number): Uint8Array {
  const hash = Buffer.alloc(32, key);
  const code = { ext: { v: 0 }, hash, code: Buffer.from([ledger]) } as const;
  const contract = { type: 1, contractId: hash } as const;
  const value = {
    key: { type: 4, i32: -key },
    durability: 1,
    val: { type: 3, u32: ledger },
  } as const;
  return encodeBytes("LedgerEntry", {
    lastModifiedLedgerSeq: ledger,
    data:
      key % 3 === 0
        ? { type: 7, contractCode: code }
        : { type: 6, contractData: { ext: { v: 0 }, contract, ...value } },
    ext: { v: 0 },
  });
}

function bytesOf(bucket: Bucket, list: "live" | "hot"): Uint8Array {
  const type = list === "live" ? "BucketEntry" : "HotArchiveBucketEntry";
  const bucketListType = list === "live" ? 0 : 1;
  const meta = {
    type: -1,
    metaEntry: { ledgerVersion: 23, ext: { v: 1, bucketListType } },
  } as const;
  const keyOf = ({ entry }: Row) => keyBytesOfEntry(entry);
  const rows = [...bucket.values()].sort((one, other) => compareKeys(keyOf(one), keyOf(other)));
  const records = rows.map((row) => {
    const head = Buffer.alloc(4);
    head.writeInt32BE(row.kind);
    return Buffer.concat([head, row.kind === DEAD ? keyOf(row) : row.entry]);
  });
  for (const record of records) decodeBytes(type, record);
  return framed([encodeBytes(type, meta), ...records]);
}

/** Steps of a key in a ledger, each taken only where it is possible. */
const STEPS = ["write", "delete", "archive", "restore"] as const;
const steps = fc.array(
  fc.tuple(fc.nat({ max: LAST - 2 }), fc.nat({ max: KEYS - 1 }), fc.constantFrom(...STEPS)),
  { minLength: 40, maxLength: 250 },
);

interface Held {
  readonly entry: Uint8Array;
  readonly archived: boolean;
}

function ledgersOf(all: ReadonlyArray<readonly [number, number, (typeof STEPS)[number]]>) {
  const lists = { live: newLevels(), hot: newLevels() };
  const held = new Map<number, Held>();
  const states: Record<number, MadeState> = {};
  const expected: Record<number, ReadonlyMap<number, Held>> = {};
  for (let ledger = 1; ledger <= LAST; ledger += 1) {
    const [live, hot] = [new Map<number, Row>(), new Map<number, Row>()];
    for (const [at, key, step] of all) {
      if (at + 2 !== ledger || live.has(key) || hot.has(key)) continue;
      const now = held.get(key);
      const entry = entryOf(key, ledger);
      if (step === "write" && now?.archived !== true)
        live.set(key, { kind: now === undefined ? INIT : LIVE, entry });
      else if (step === "delete" && now?.archived === false) live.set(key, { kind: DEAD, entry });
      else if (step === "archive" && now?.archived === false) {
        live.set(key, { kind: DEAD, entry });
        hot.set(key, { kind: LIVE, entry: now.entry });
      } else if (step === "restore" && now?.archived === true) {
        live.set(key, { kind: INIT, entry });
        hot.set(key, { kind: DEAD, entry });
      } else continue;
      const isLive = live.get(key)?.kind !== DEAD;
      if (isLive) held.set(key, { entry, archived: false });
      else if (step === "archive" && now !== undefined) held.set(key, { ...now, archived: true });
      else held.delete(key);
    }
    addBatch(lists.live, ledger, live, mergeLive);
    addBatch(lists.hot, ledger, hot, (_, newer) => newer);
    if (ledger % 8 !== 7) continue;
    const levelsOf = (list: "live" | "hot") =>
      lists[list].map(({ curr, snap }) => ({
        curr: bytesOf(curr, list),
        snap: bytesOf(snap, list),
      }));
    states[ledger] = { live: [], levels: { live: levelsOf("live"), hot: levelsOf("hot") } };
    expected[ledger] = new Map(held);
  }
  return { states, expected };
}

test("each key is at each checkpoint as the ledgers left it, live, archived or not there", async () => {
  const seen = { live: 0, archived: 0, absent: 0 };
  await fc.assert(
    fc.asyncProperty(steps, fc.boolean(), async (all, sorobanOnly) => {
      const { states, expected } = ledgersOf(all);
      const { files } = madeArchive({ states });
      const chain = openArchivedChain(await openArchiveFiles(files), [[VALIDATOR]], PASSPHRASE);
      const store = openBucketStore(directory, { sorobanOnly, blockBytes: 300 });
      const given = { chain, store, networkPassphrase: PASSPHRASE, allow: async () => {} };
      const reader = new StateReader(given);
      for (const [checkpoint, held] of Object.entries(expected))
        for (let key = 0; key < KEYS; key += 1) {
          const found = await reader.inCheckpoint(
            keyBytesOfEntry(entryOf(key, 1)),
            Number(checkpoint),
          );
          const { entry = null, archived = false } = held.get(key) ?? {};
          expect([found.entry?.toBase64(), found.archived]).toEqual([entry?.toBase64(), archived]);
          seen[entry === null ? "absent" : archived ? "archived" : "live"] += 1;
        }
    }),
    { numRuns: 12 },
  );
  expect(Math.min(...Object.values(seen))).toBeGreaterThan(20);
}, 60_000);
