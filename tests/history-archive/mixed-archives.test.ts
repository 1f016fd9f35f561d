// Several archives, of which the first is somebody's who has no validator's key: its files agree with
// each other, and nobody signed them. What the honest one after it shows is shown all the same.

import { afterAll, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { systemClock } from "../../src/base/clock.ts";
import { openHttp } from "../../src/base/http/http.ts";
import { encodeStrkey } from "../../src/base/text/strkey.ts";
import { archiveSource } from "../../src/debugger/setup/archive-source.ts";
import { openArchiveFiles } from "../../src/history-archive/archive-files.ts";
import { openBucketStore } from "../../src/history-archive/bucket-store.ts";
import { openArchivedChain } from "../../src/history-archive/chain.ts";
import {
  type OpenArchiveOptions,
  openConfiguredArchive,
} from "../../src/history-archive/open-archive.ts";
import type { OpenedArchive } from "../../src/history-archive/opened-archive.ts";
import { readStateDiff } from "../../src/history-archive/state-diff.ts";
import type { StateReport } from "../../src/model/state/proven-state.ts";
import { stateDiffDocument } from "../../src/report/document/state.ts";
import { sha256 } from "../../src/xdr/reader/hash.ts";
import { keyBytesOfEntry } from "../../src/xdr/reader/keys.ts";
import { decodeBytes, encodeBytes } from "../../src/xdr/reader/value.ts";
import {
  type MadeChain,
  madeArchive,
  PASSPHRASE,
  servedFiles,
  VALIDATOR,
} from "../support/made-archive.ts";

const directory = mkdtempSync(join(tmpdir(), "svc-mixed-"));
afterAll(() => rmSync(directory, { recursive: true }));

const ID = new Uint8Array(32);
const CONTRACT = encodeStrkey("contract", ID);
const LONG = 1000;

function data(lastModifiedLedgerSeq: number, i32: number): Uint8Array {
  const contract = { type: 1, contractId: ID } as const;
  const key = { type: 4, i32: 7 } as const;
  const val = { type: 4, i32 } as const;
  const contractData = { ext: { v: 0 }, contract, key, durability: 0, val } as const;
  const of = { type: 6, contractData } as const;
  return encodeBytes("LedgerEntry", { lastModifiedLedgerSeq, data: of, ext: { v: 0 } });
}

const KEY = keyBytesOfEntry(data(1, 1));
const KEY_XDR = KEY.toBase64();

function ttl(lastModifiedLedgerSeq: number, liveUntilLedgerSeq: number): Uint8Array {
  const of = { type: 9, ttl: { keyHash: sha256(KEY), liveUntilLedgerSeq } } as const;
  return encodeBytes("LedgerEntry", { lastModifiedLedgerSeq, data: of, ext: { v: 0 } });
}

const state = (modified: number, value: number) => ({
  live: [data(modified, value), ttl(3, LONG)],
});
const write = { readWrite: [decodeBytes("LedgerKey", KEY)], succeeded: true };
const idle = { readWrite: [], succeeded: true };

/** The entry was written in ledger 12 alone. */
const honest: MadeChain = {
  states: { 7: state(3, 1), 15: state(12, 2), 23: state(12, 2), 31: state(12, 2) },
  transactions: { 12: [write], 18: [idle] },
};

type Made = ReturnType<typeof madeArchive>;

/** The directory of an archive, with the files of each in the place of the ones before. */
function placeOf(...made: readonly (readonly [Made, readonly string[]])[]): string {
  const place = mkdtempSync(join(directory, "archive-"));
  for (const [{ names, read }, wanted] of made)
    for (const name of names.filter((each) => wanted.some((part) => each.includes(part)))) {
      mkdirSync(dirname(join(place, name)), { recursive: true });
      writeFileSync(join(place, name), read(name));
    }
  return place;
}

const ALL = [""];
const right = madeArchive(honest);
const RIGHT = placeOf([right, ALL]);
const forged = (chain: Partial<MadeChain>) =>
  placeOf([madeArchive({ ...honest, ...chain, signedTo: 0 }), ALL]);

function open(
  places: readonly string[],
  options: Partial<OpenArchiveOptions> = {},
): Promise<OpenedArchive> {
  return openConfiguredArchive(
    {
      ...{ historyArchive: places, validators: [[VALIDATOR]], trustedHeader: null },
      ...{ download: false, sorobanOnly: false, archiveCacheSize: 1e9 },
      archiveCache: join(directory, "kept"),
    },
    {
      http: openHttp({ clock: systemClock, timeoutMilliseconds: 10_000, userAgent: "svc" }),
      signal: new AbortController().signal,
      ...{ network: "made", networkPassphrase: PASSPHRASE, environment: {} },
      ...options,
    },
  );
}

const shown = ({ entry }: Pick<StateReport, "entry">) =>
  entry.kind === "known" ? entry.value.text : entry.kind;

describe("an archive that nobody signed, before an honest one", () => {
  // A writer that there was not, so that the entry would not be known.
  const hidden = forged({ transactions: { ...honest.transactions, 10: [write] } });

  test("does not hide an entry behind transactions that it made up", async () => {
    const archive = await open([hidden, RIGHT]);
    expect(shown(await archive.report(KEY_XDR, 11))).toBe(
      shown(await (await open([RIGHT])).report(KEY_XDR, 11)),
    );
    const [hash = ""] = right.hashes[12] ?? [];
    expect(shown(await (await open([hidden, RIGHT])).before(KEY_XDR, 12, hash))).toBe(
      shown(await (await open([RIGHT])).before(KEY_XDR, 12, hash)),
    );
  });

  test("does not decide what the latest ledger is", async () => {
    const late = forged({ states: { ...honest.states, 1023: state(12, 3) } });
    const name = join(late, ".well-known/stellar-history.json");
    const root = JSON.parse(await Bun.file(name).text());
    writeFileSync(name, JSON.stringify({ ...root, currentLedger: 0xfffffff7 }));
    const latest = await open([late, RIGHT], { wantedLedger: "latest" });
    expect(latest.latestLedger).toBe(23);
    expect(shown(await latest.report(KEY_XDR, 23))).toBe(
      shown(await (await open([RIGHT])).report(KEY_XDR, 23)),
    );
  });

  test("gives no result and no header of a transaction that the honest one has", async () => {
    const [hash = ""] = right.hashes[12] ?? [];
    const signal = new AbortController().signal;
    const answer = async (places: readonly string[]) => {
      const source = archiveSource(() => open(places), 12, PASSPHRASE);
      const found = await source.fetchTransaction?.(hash, { signal });
      return [found?.resultXdr, await source.fetchLedgerFacts?.(12, { signal })];
    };
    const expected = await answer([RIGHT]);
    const lies = [
      { transactions: { ...honest.transactions, 12: [{ ...write, succeeded: false }] } },
      { transactions: { 18: [idle] } },
    ];
    for (const each of lies) {
      expect(await answer([forged(each), RIGHT])).toEqual(expected);
    }
    expect(expected[0]).toBeString();
  });
});

describe("a server before an honest archive", () => {
  const found = async (fetch: (request: Request) => Response) => {
    await using server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch });
    const archive = await open([`http://127.0.0.1:${server.port}`, RIGHT], {
      store: openBucketStore(mkdtempSync(join(directory, "served-"))),
    });
    return shown(await archive.report(KEY_XDR, 11));
  };

  test("does not end the run, whatever it answers", async () => {
    const with_ = (status: number, headers: Record<string, string> = {}, body = "") =>
      found(() => new Response(body, { status, headers }));
    const answers = [
      with_(301, { location: "/" }),
      with_(302, { location: "http://127.0.0.2:9/" }),
      with_(416),
      with_(429, { "retry-after": "3600" }),
      with_(200, {}, "<html></html>"),
      with_(200),
      with_(206, { "content-range": "bytes 5-1/3" }, "{}"),
      with_(206, { "content-range": "bytes 0-1/99999999999999999999" }, "{}"),
      with_(500),
    ];
    expect(await Promise.all(answers)).toEqual(answers.map(() => "1"));
  }, 60_000);

  test("does not end it by the size that it names of its buckets", async () => {
    const large = (request: Request) => {
      const name = new URL(request.url).pathname.slice(1);
      const bytes = right.read(name);
      if (bytes.length === 0) return new Response("", { status: 404 });
      const total = name.startsWith("bucket/") ? 1e12 : bytes.length;
      const headers = { "content-range": `bytes 0-${bytes.length - 1}/${total}` };
      return new Response(Buffer.from(bytes), { status: 206, headers });
    };
    expect(await found(large)).toBe("1");
  });
});

describe("the difference of a contract", () => {
  const diff = async (places: readonly string[], since: number, ledger: number) => {
    const archive = await open(places);
    const reports = async (keysXdr: Iterable<string>, of: number) => {
      const found = new Map<string, StateReport>();
      for (const keyXdr of keysXdr) found.set(keyXdr, await archive.report(keyXdr, of));
      return found;
    };
    return readStateDiff({ ...archive, reports }, CONTRACT, { since, ledger, network: "made" });
  };

  test("leaves out no change that an archive hides", async () => {
    const whole = await diff([RIGHT], 7, 15);
    expect([whole.isComplete, whole.changes.length]).toEqual([true, 1]);
    const silent = madeArchive({ ...honest, transactions: {}, signedTo: 0 });
    // Ledgers 8 to 15 as somebody made them up, between states that validators signed.
    const middle = placeOf([right, ALL], [silent, ["/ledger-0000000f", "/transactions-0000000f"]]);
    rmSync(join(middle, "transactions"), { recursive: true });
    writeFileSync(
      join(middle, "results/00/00/00/results-0000000f.xdr.gz"),
      silent.read("results/00/00/00/results-0000000f.xdr.gz"),
    );
    expect(await diff([middle], 7, 23).catch((error) => error.code)).toBe("ARCHIVE_DAMAGED");
    const { archive: _, ...both } = await diff([middle, RIGHT], 7, 15);
    expect(both).toEqual(expect.objectContaining({ isComplete: true, changes: whole.changes }));
    // Where nobody signed anything, the report says so.
    const alone = await diff([placeOf([silent, ALL])], 7, 15);
    expect([alone.isComplete, alone.changes]).toEqual([false, []]);
    expect(JSON.stringify(stateDiffDocument(alone))).toContain("Not proven: that no other entry");
    expect(JSON.stringify(stateDiffDocument(whole))).not.toContain("Not proven");
  });
});

test("messages and headers that unpack to more than there can be are refused", async () => {
  const one = Buffer.alloc(65 * 1024 * 1024);
  one.writeUInt32BE((0x80000000 | (one.length - 4)) >>> 0);
  const bomb = Bun.gzipSync(one);
  const files = { ...servedFiles(new Map()), read: async () => bomb };
  const archive = await openArchiveFiles(files, { latestCheckpoint: 23, ledgersPerCheckpoint: 8 });
  for (const category of ["scp", "ledger"] as const)
    expect(await archive.frames(category, 7).catch((error) => error.code)).toBe("ARCHIVE_DAMAGED");
  const chain = openArchivedChain(archive, [[VALIDATOR]], PASSPHRASE);
  expect(await chain.header(5).catch((error) => error.code)).toBe("ARCHIVE_DAMAGED");
});
