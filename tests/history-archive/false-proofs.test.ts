// Each chain here has an entry whose proof fails for one reason alone. A proof without that
// condition would show a false value as proven.

import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ArchiveFiles, openArchiveFiles } from "../../src/history-archive/archive-files.ts";
import { type BucketStore, openBucketStore } from "../../src/history-archive/bucket-store.ts";
import { openArchivedChain } from "../../src/history-archive/chain.ts";
import { StateReader, type StateReaderDependencies } from "../../src/history-archive/state-at.ts";
import { isProven } from "../../src/model/state/proven-state.ts";
import { settingKeyOf } from "../../src/xdr/ledger/settings.ts";
import { keyBytesOfEntry, ttlKeyBytesOf } from "../../src/xdr/reader/keys.ts";
import { decodeBytes } from "../../src/xdr/reader/value.ts";
import { failureOf } from "../support/failure.ts";
import { accountOf, dataKeyOf, dataOf, settingOf, ttlOf } from "../support/ledger-entries.ts";
import {
  type MadeChain,
  madeArchive,
  PASSPHRASE,
  VALIDATOR,
  withFile,
} from "../support/made-archive.ts";

const directory = mkdtempSync(join(tmpdir(), "svc-false-proofs-"));
afterAll(() => rmSync(directory, { recursive: true }));

interface Opening extends Partial<Pick<StateReaderDependencies, "allow" | "fetching">> {
  readonly sorobanOnly?: boolean;
  readonly store?: BucketStore;
}

const newStore = (sorobanOnly = false) =>
  openBucketStore(mkdtempSync(join(directory, "kept-")), { sorobanOnly });

async function openFiles(files: ArchiveFiles, { sorobanOnly, ...opening }: Opening = {}) {
  const archive = await openArchiveFiles(files);
  const chain = openArchivedChain(archive, [[VALIDATOR]], PASSPHRASE);
  const defaults = { store: newStore(sorobanOnly), allow: async () => {} };
  const dependencies = { ...defaults, ...opening, networkPassphrase: PASSPHRASE };
  return { archive, chain, states: new StateReader({ ...dependencies, chain }) };
}

async function open(made: MadeChain, opening: Opening = {}) {
  const { files, hashes } = madeArchive(made);
  return { hashes, files, ...(await openFiles(files, opening)) };
}

const bytes = (base64: string) => Uint8Array.fromBase64(base64);
const LONG = 1000;
const KEY_XDR = dataKeyOf("k");
const KEY = bytes(KEY_XDR);
const data = (value: number, modified: number) => bytes(dataOf(KEY_XDR, value, modified));
const ttl = (until: number, modified: number) => bytes(ttlOf(KEY_XDR, until, modified));
const unchanged = { live: [data(1, 3), ttl(LONG, 3)] };
const key = decodeBytes("LedgerKey", KEY);
const otherKey = decodeBytes("LedgerKey", bytes(dataKeyOf("other")));
const still: MadeChain["states"] = { 7: unchanged, 15: unchanged, 23: unchanged };
/** The entry and its TTL are other ones since ledger 14. */
const changed = { live: [data(2, 14), ttl(LONG + 9, 14)] };
const changing: MadeChain["states"] = { 7: unchanged, 15: changed, 23: changed };

describe("a TTL that a transaction may have extended by reading its entry", () => {
  const later = { live: [data(1, 3), ttl(LONG + 9, 14)] };
  const chain = (succeeded: boolean): MadeChain => ({
    states: { 7: unchanged, 15: later, 23: later },
    transactions: {
      10: [
        { readOnly: [key], readWrite: [], succeeded },
        { readWrite: [], succeeded: true },
      ],
    },
  });
  const found = async (succeeded: boolean, ledger: number) => {
    const { states } = await open(chain(succeeded));
    const { entry, liveUntil } = await states.at(KEY, ledger);
    return [entry.kind, liveUntil?.kind];
  };

  test("is not shown after it, and its entry is", async () => {
    expect(await found(true, 9)).toEqual(["known", "known"]);
    expect(await found(true, 10)).toEqual(["known", "unknown"]);
    expect(await found(false, 10)).toEqual(["known", "known"]);
  });

  test("is not shown before another transaction of the same ledger", async () => {
    for (const [succeeded, kind] of [
      [true, "unknown"],
      [false, "known"],
    ] as const) {
      const { states, hashes } = await open(chain(succeeded));
      const { entry, liveUntil } = await states.before(KEY, 10, hashes[10]?.[1] ?? "");
      expect([entry.kind, liveUntil?.kind]).toEqual(["known", kind]);
    }
  });

  test("is shown before the transaction itself", async () => {
    const { states, hashes } = await open(chain(true));
    const { liveUntil } = await states.before(KEY, 10, hashes[10]?.[0] ?? "");
    expect(liveUntil?.kind).toBe("known");
  });
});

test("an entry that a transaction only read is shown after it, as the checkpoint before has it", async () => {
  const later = { live: [data(2, 14), ttl(LONG, 3)] };
  const { states } = await open({
    states: { 7: unchanged, 15: later, 23: later },
    transactions: { 10: [{ readOnly: [key], readWrite: [], succeeded: true }] },
  });
  const { entry } = await states.at(KEY, 12);
  expect(entry).toMatchObject({ kind: "known", proof: { step: "untouched-since" } });
});

test("an entry of a contract is shown where the settings keep these alone", async () => {
  const { states } = await open(
    { states: { 7: unchanged, 15: unchanged, 23: unchanged } },
    {
      sorobanOnly: true,
    },
  );
  expect((await states.at(KEY, 12)).entry.kind).toBe("known");
});

test("an entry in the hot archive alone is not shown as archived before the checkpoint", async () => {
  const archived = { live: [], hot: [data(1, 3)] };
  const { states } = await open({
    states: { 7: { live: [data(1, 3), ttl(9, 3)] }, 15: archived, 23: archived },
  });
  expect((await states.at(KEY, 12)).entry.kind).toBe("unknown");
  expect((await states.at(KEY, 15)).entry).toMatchObject({
    kind: "known",
    value: { archived: true },
  });
});

describe("an account", () => {
  const before = accountOf(1, 3, 5);
  const after = accountOf(1, 12, 6);
  const account = keyBytesOfEntry(bytes(before.entry));
  const list = ({ entry }: { readonly entry: string }) => ({ live: [bytes(entry)] });
  const chain: MadeChain = {
    states: { 7: list(before), 15: list(after), 23: list(after) },
    transactions: { 8: [{ readWrite: [], succeeded: true }] },
  };

  test("that changed between two checkpoints is shown at them, and from its change on", async () => {
    const { states } = await open(chain);
    const kinds: Record<number, string> = {};
    for (let ledger = 7; ledger <= 15; ledger += 1)
      kinds[ledger] = (await states.at(account, ledger)).entry.kind;
    const unknown = { 8: "unknown", 9: "unknown", 10: "unknown", 11: "unknown" };
    const known = { 12: "known", 13: "known", 14: "known", 15: "known" };
    expect(kinds).toEqual({ 7: "known", ...unknown, ...known });
  });

  test("is not shown before a transaction of a ledger that may have changed it", async () => {
    const { states, hashes } = await open(chain);
    const { entry } = await states.before(account, 8, hashes[8]?.[0] ?? "");
    expect(entry.kind).toBe("unknown");
  });

  test("that is unknown after the ledger before is unknown before the transaction", async () => {
    const transactions = { 10: [{ readWrite: [], succeeded: true }] };
    const { states, hashes } = await open({ ...chain, transactions });
    const [hash = ""] = hashes[10] ?? [];
    const { entry, liveUntil } = await states.before(account, 10, hash);
    expect(entry).toEqual((await states.at(account, 9)).entry);
    expect([entry.kind, liveUntil]).toEqual(["unknown", null]);
  });

  test("that nothing changed until the next checkpoint is shown before a transaction", async () => {
    const same = { 7: list(before), 15: list(before), 23: list(before) };
    const { states, hashes } = await open({ ...chain, states: same });
    const { entry } = await states.before(account, 8, hashes[8]?.[0] ?? "");
    // Ledger 7 is a checkpoint, and only the one after it shows that nothing changed the account.
    expect(entry.kind).toBe("unknown");
    const later = await open({
      states: same,
      transactions: { 10: [{ readWrite: [], succeeded: true }] },
    });
    const shown = await later.states.before(account, 10, later.hashes[10]?.[0] ?? "");
    expect(shown.entry).toMatchObject({ kind: "known", proof: { step: "unchanged-until" } });
  });

  test("is unknown before a transaction of a ledger that nobody signed", async () => {
    const { states, hashes } = await open({ ...chain, signedTo: 8 });
    const found = await states.before(account, 8, hashes[8]?.[0] ?? "");
    expect(found).toEqual({
      entry: { kind: "unknown", reason: "too few validators signed ledger 8" },
      liveUntil: null,
    });
  });

  test("is not called absent where the settings keep the entries of contracts alone", async () => {
    const { states } = await open(chain, { sorobanOnly: true });
    for (const ledger of [7, 12, 15])
      expect((await states.at(account, ledger)).entry.kind).toBe("unknown");
    expect(states.hasClassic).toBeFalse();
  });
});

describe("a writer", () => {
  const writes = (ledger: number, of = key) => ({
    [ledger]: [{ readWrite: [of], succeeded: true }],
  });
  /** The kind of the entry, of its TTL, and of the TTL that is asked for by its own key. */
  const kindsAfter = async (transactions: NonNullable<MadeChain["transactions"]>) => {
    const { states } = await open({ states: changing, transactions });
    const { entry, liveUntil } = await states.at(KEY, 12);
    const alone = await states.at(ttlKeyBytesOf(KEY), 12);
    return [entry.kind, liveUntil?.kind ?? "none", alone.entry.kind].join(" ");
  };
  const [known, unknown] = ["known known known", "unknown unknown unknown"];

  test("of another entry changes nothing", async () => {
    expect(await kindsAfter(writes(10, otherKey))).toBe(known);
    expect(await kindsAfter(writes(10))).toBe(unknown);
  });

  test("in the ledger of the checkpoint before, or earlier, is in that checkpoint", async () => {
    for (const ledger of [6, 7, 13]) expect(await kindsAfter(writes(ledger))).toBe(known);
    for (const ledger of [8, 12]) expect(await kindsAfter(writes(ledger))).toBe(unknown);
  });

  test("in the ledger before a transaction is in the state that it ran on", async () => {
    const { states, hashes } = await open({
      states: { ...changing, 31: changed },
      transactions: { ...writes(15), 16: [{ readWrite: [key], succeeded: true }] },
    });
    const { entry, liveUntil } = await states.before(KEY, 16, hashes[16]?.[0] ?? "");
    expect([entry.kind, liveUntil?.kind]).toEqual(["known", "known"]);
  });
});

test("an entry of a contract and its TTL are unknown before a transaction of an unsigned ledger", async () => {
  const { states, hashes } = await open({
    states: still,
    transactions: { 12: [{ readWrite: [], succeeded: true }] },
    signedTo: 12,
  });
  const unsigned = { kind: "unknown", reason: "too few validators signed ledger 12" } as const;
  const found = await states.before(KEY, 12, hashes[12]?.[0] ?? "");
  expect(found).toEqual({ entry: unsigned, liveUntil: unsigned });
});

describe("a proof", () => {
  test("names the checkpoint with its bucket, and the ledger that was signed", async () => {
    const { states, archive, chain } = await open({ states: changing });
    const expected = async (checkpoint: number, step: string, signedLedger: number) => {
      const [bucketHash = ""] = (await archive.state(checkpoint)).live;
      const { hash: headerHash, bucketListHash } = await chain.header(checkpoint);
      const place = { checkpoint, bucketHash, bucketListHash, headerHash };
      const signatures = { signers: [VALIDATOR], organisations: 1, needed: 1 };
      return { step, ...place, signedLedger, signatures };
    };
    for (const [ledger, proof] of [
      [7, await expected(7, "checkpoint", 7)],
      [12, await expected(7, "untouched-since", 12)],
      [14, await expected(15, "unchanged-until", 15)],
      [15, await expected(15, "checkpoint", 15)],
    ] as const) {
      const { entry, liveUntil } = await states.at(KEY, ledger);
      expect([ledger, entry.kind, liveUntil?.kind]).toEqual([ledger, "known", "known"]);
      expect(entry).toMatchObject({ value: { archived: false }, proof });
      expect(liveUntil).toMatchObject({ value: ledger < 14 ? LONG : LONG + 9, proof });
    }
  });

  test("needs signatures for each ledger after the checkpoint, in which a writer may be", async () => {
    // Whoever signs the set of ledger 12 signs the header of ledger 11 with it, and no later one.
    const { states } = await open({ states: changing, signedTo: 12 });
    const isSigned = async (ledger: number) =>
      Object.values(await states.at(KEY, ledger)).map(
        (fact) => fact?.kind === "known" && isProven(fact.proof),
      );
    expect(await isSigned(11)).toEqual([true, true]);
    expect(await isSigned(12)).toEqual([false, false]);
    expect(await isSigned(14)).toEqual([false, false]);
  });

  test("of an entry that is absent has no bucket", async () => {
    const { states } = await open({ states: { 7: { live: [] }, 15: changed, 23: changed } });
    const { entry, liveUntil } = await states.at(KEY, 12);
    const absent = { kind: "absent", proof: { step: "untouched-since", bucketHash: null } };
    expect([entry, liveUntil]).toMatchObject([absent, absent]);
  });

  test("of an entry needs its TTL", async () => {
    const { states } = await open({ states: { ...changing, 7: { live: [data(1, 3)] } } });
    const { entry } = await states.at(KEY, 12);
    expect(entry).toMatchObject({ reason: expect.stringContaining("expired before ledger 12") });
  });

  test("ends with the archive, and begins with its first checkpoint", async () => {
    const { states } = await open({ states: { 7: changed, 15: changed } });
    for (const ledger of [16, 23, 24])
      expect((await failureOf(states.at(KEY, ledger))).code).toBe("ARCHIVE_BEHIND");
    const { entry } = await states.at(KEY, 5);
    expect(entry).toEqual({
      kind: "unknown",
      reason: "the archive has no checkpoint before ledger 5",
    });
  });

  test("before protocol 23 needs no list of archived entries", async () => {
    const hot = null;
    const { states, archive } = await open({
      protocolVersion: () => 22,
      states: { 7: { live: [], hot }, 15: { ...changed, hot }, 23: { ...changed, hot } },
    });
    expect((await archive.state(15)).hot).toBeNull();
    const kinds: string[] = [];
    for (const ledger of [7, 12, 14, 15]) kinds.push((await states.at(KEY, ledger)).entry.kind);
    expect(kinds).toEqual(["absent", "absent", "known", "known"]);
  });

  test("is of the network that the archive's state names", async () => {
    const { files } = madeArchive({ states: still });
    const name = "history/00/00/00/history-0000000f.json";
    const json = JSON.parse(new TextDecoder().decode((await files.read(name)) ?? undefined));
    const named = async (networkPassphrase: string) => {
      const state = Buffer.from(JSON.stringify({ ...json, networkPassphrase }));
      return (await openFiles(withFile(files, name, state))).states.at(KEY, 15);
    };
    expect((await named(PASSPHRASE)).entry.kind).toBe("known");
    const error = await failureOf(named("another network"));
    expect(error.code).toBe("ARCHIVE_LACKS");
    expect(error.message).toContain('"another network"');
  });
});

test("a checkpoint has an entry live, archived or not at all", async () => {
  const { states } = await open({
    states: { 7: unchanged, 15: { live: [], hot: [data(1, 3)] }, 23: { live: [] } },
  });
  const found = [7, 15, 23].map((checkpoint) => states.inCheckpoint(KEY, checkpoint));
  expect(await Promise.all(found)).toEqual([
    { entry: data(1, 3), archived: false },
    { entry: data(1, 3), archived: true },
    { entry: null, archived: false },
  ]);
});

describe("a network setting", () => {
  const setting = { live: [bytes(settingOf(4, 3))] };
  const later = { live: [bytes(settingOf(4, 14))] };
  const upgrade = [{ type: 2, newBaseFee: 100 } as const];
  const chain: MadeChain = {
    states: { 7: setting, 15: later, 23: later },
    transactions: { 10: [{ readWrite: [], succeeded: true }] },
  };
  const setKey = bytes(settingKeyOf(4));

  test("does not depend on upgrades up to the checkpoint that has it", async () => {
    const { states } = await open({ ...chain, upgrades: { 6: upgrade, 7: upgrade } });
    expect((await states.at(setKey, 8)).entry.kind).toBe("known");
    const since = await open({ ...chain, upgrades: { 8: upgrade } });
    expect((await since.states.at(setKey, 8)).entry.kind).toBe("unknown");
  });

  test("is the same before each transaction of a ledger, because upgrades come after them", async () => {
    const { states, hashes } = await open({ ...chain, upgrades: { 10: upgrade } });
    const { entry, liveUntil } = await states.before(setKey, 10, hashes[10]?.[0] ?? "");
    expect([entry.kind, liveUntil]).toEqual(["known", null]);
  });
});

describe("the buckets of an archive", () => {
  const remote = (files: ArchiveFiles): ArchiveFiles => ({ ...files, local: false });
  const both = { live: [data(1, 3), ttl(LONG, 3)], hot: [bytes(dataOf(dataKeyOf("other"), 1, 2))] };

  test("are downloaded once, after the size of those that are missing is allowed", async () => {
    const { files } = madeArchive({ states: { 7: both, 15: both } });
    const sizes: number[] = [];
    const sizing: ArchiveFiles = {
      ...remote(files),
      async size(name) {
        const size = await files.size(name);
        if (name.startsWith("bucket/")) sizes.push(size ?? 0);
        return size;
      },
    };
    const store = newStore();
    const asked: unknown[] = [];
    let fetched = 0;
    const opening: Opening = {
      store,
      allow: async (...question) => void asked.push(question),
      fetching: (work) => {
        fetched += 1;
        return work();
      },
    };
    const { states } = await openFiles(sizing, opening);
    for (let time = 0; time < 2; time += 1) await states.at(KEY, 7);
    // The TTL of an entry that is in no list is looked for in both.
    await states.at(bytes(dataKeyOf("none")), 7);
    expect(sizes.length).toBe(2);
    expect(asked).toEqual([["made", sizes.reduce((sum, size) => sum + size, 0), 2]]);
    expect(fetched).toBe(2);
    const again = await openFiles(sizing, opening);
    await again.states.at(KEY, 7);
    expect(asked.at(-1)).toEqual(["made", 0, 0]);
    expect(fetched).toBe(2);
  });

  test("need no permission if nothing has to be downloaded", async () => {
    const asked: unknown[] = [];
    const { states } = await open(
      { states: still },
      {
        allow: async (...question) => void asked.push(question),
      },
    );
    await states.at(KEY, 7);
    expect(asked).toEqual([["made", 0, 0]]);
  });

  test("count for nothing in the size if the archive does not say how large they are", async () => {
    const { files } = madeArchive({ states: still });
    const asked: unknown[] = [];
    const unsized: ArchiveFiles = {
      ...remote(files),
      size: async (name) => (name.startsWith("bucket/") ? null : files.size(name)),
    };
    const { states } = await openFiles(unsized, {
      allow: async (...question) => void asked.push(question),
    });
    await states.at(KEY, 7);
    expect(asked).toEqual([["made", 0, 1]]);
  });

  test("before protocol 23 are those of one list", async () => {
    const { files } = madeArchive({
      protocolVersion: () => 22,
      states: { 7: { ...unchanged, hot: null }, 15: { ...unchanged, hot: null } },
    });
    const asked: unknown[] = [];
    const { states } = await openFiles(remote(files), {
      allow: async (...question) => void asked.push(question.at(-1)),
    });
    await states.at(KEY, 7);
    expect(asked).toEqual([1]);
  });

  test("are asked for once if they are missing, or if a download fails", async () => {
    const { files, archive } = await open({ states: still });
    const [hash = ""] = (await archive.state(7)).live;
    const folders = [0, 2, 4].map((at) => hash.slice(at, at + 2)).join("/");
    const missing = withFile(files, `bucket/${folders}/bucket-${hash}.xdr.gz`, null);
    const tried = async (opening: (work: () => Promise<unknown>) => Promise<unknown>) => {
      let fetched = 0;
      const { states } = await openFiles(missing, {
        fetching: async (work) => {
          fetched += 1;
          return (await opening(work)) as never;
        },
      });
      const error = await states.at(KEY, 7).catch((error) => error);
      return [error.code ?? error.message, fetched];
    };
    expect(await tried((work) => work())).toEqual(["ARCHIVE_LACKS", 1]);
    const broken = async () => {
      throw new Error("the disk is full");
    };
    expect(await tried(broken)).toEqual(["the disk is full", 1]);
  });

  test("that a capsule does not have are missing, and nothing is read", async () => {
    const { archive, chain } = await open({ states: still });
    const without = { ...archive, bucket: () => null };
    const states = new StateReader({
      chain: { ...chain, archive: without },
      ...{ store: newStore(), networkPassphrase: PASSPHRASE, allow: async () => {} },
    });
    expect((await failureOf(states.at(KEY, 7))).code).toBe("ARCHIVE_LACKS");
  });
});
