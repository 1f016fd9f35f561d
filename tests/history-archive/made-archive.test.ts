// Chains that a test makes, for what no archive at hand has: evictions between two checkpoints,
// archives that somebody without a validator's key altered, corrections by a protocol.

import { afterAll, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { systemClock } from "../../src/base/clock.ts";
import { SvcError } from "../../src/base/errors/errors.ts";
import { openHttp } from "../../src/base/http/http.ts";
import { openTimeLimits } from "../../src/base/time-limits.ts";
import {
  type ArchiveFiles,
  archiveDirectory,
  archiveUrl,
  openArchiveFiles,
} from "../../src/history-archive/archive-files.ts";
import { openBucketStore } from "../../src/history-archive/bucket-store.ts";
import { openArchivedChain, type TrustedHeader } from "../../src/history-archive/chain.ts";
import {
  type OpenArchiveOptions,
  openConfiguredArchive,
} from "../../src/history-archive/open-archive.ts";
import { StateReader } from "../../src/history-archive/state-at.ts";
import {
  type EntryValue,
  hasEnoughSignatures,
  type StateFact,
} from "../../src/model/state/proven-state.ts";
import { stateDocument } from "../../src/report/document/state.ts";
import {
  STATE_SIZE_WINDOW_ID,
  settingKeyOf,
  stateSizeWindowOf,
} from "../../src/xdr/ledger/settings.ts";
import { sha256 } from "../../src/xdr/reader/hash.ts";
import { keyBytesOfEntry } from "../../src/xdr/reader/keys.ts";
import { decodeBytes, encodeBytes, type Value } from "../../src/xdr/reader/value.ts";
import { failureOf } from "../support/failure.ts";
import { settingOf } from "../support/ledger-entries.ts";
import {
  type MadeChain,
  madeArchive,
  PASSPHRASE,
  partOf,
  rangeOf,
  VALIDATOR,
  withRecord,
} from "../support/made-archive.ts";

const directory = mkdtempSync(join(tmpdir(), "svc-made-"));
afterAll(() => rmSync(directory, { recursive: true }));
const http = openHttp({ clock: systemClock, timeoutMilliseconds: 10_000, userAgent: "svc" });
const { signal } = new AbortController();

/** The files of a server on this machine. */
function filesOf(
  server: { readonly port?: number | undefined },
  pieces?: Parameters<typeof archiveUrl>[3],
) {
  return archiveUrl(`http://127.0.0.1:${server.port}`, http, { signal }, pieces);
}

async function open(chain: MadeChain) {
  const { files, hashes } = madeArchive(chain);
  const opened = openArchivedChain(await openArchiveFiles(files), [[VALIDATOR]], PASSPHRASE);
  const given = { chain: opened, store: openBucketStore(directory), networkPassphrase: PASSPHRASE };
  return { hashes, states: new StateReader({ ...given, allow: async () => {} }) };
}

function data(lastModifiedLedgerSeq: number, i32: number): Uint8Array {
  const value = { type: 4, i32 } as const;
  const contract = { type: 1, contractId: new Uint8Array(32) } as const;
  return encodeBytes("LedgerEntry", {
    lastModifiedLedgerSeq,
    data: {
      type: 6,
      contractData: {
        ext: { v: 0 },
        contract,
        key: { type: 4, i32: 7 },
        durability: 0,
        val: value,
      },
    },
    ext: { v: 0 },
  });
}

const KEY = keyBytesOfEntry(data(1, 1));

function ttl(lastModifiedLedgerSeq: number, liveUntilLedgerSeq: number): Uint8Array {
  return encodeBytes("LedgerEntry", {
    lastModifiedLedgerSeq,
    data: { type: 9, ttl: { keyHash: sha256(KEY), liveUntilLedgerSeq } },
    ext: { v: 0 },
  });
}

/** The kind of a fact that validators signed. */
function proven(fact: StateFact<unknown> | null): string {
  return fact !== null && fact.kind !== "unknown" && hasEnoughSignatures(fact.proof.signatures)
    ? fact.kind
    : "not proven";
}

const LONG = 1000;
const unchanged = { live: [data(3, 1), ttl(3, LONG)] };

describe("an entry between two checkpoints", () => {
  test("that nothing wrote is proven by the later one", async () => {
    const { states } = await open({ states: { 7: unchanged, 15: unchanged, 23: unchanged } });
    expect(proven((await states.at(KEY, 12)).entry)).toBe("known");
  });

  test("that expired is not shown, though it was made anew later", async () => {
    const { states } = await open({
      states: {
        7: { live: [data(3, 1), ttl(3, 9)] },
        15: { live: [data(14, 2), ttl(14, LONG)] },
        23: unchanged,
      },
    });
    const { entry, liveUntil } = await states.at(KEY, 12);
    expect([proven(entry), proven(liveUntil)]).toEqual(["not proven", "not proven"]);
    // Nothing is evicted that has not expired.
    expect(proven((await states.at(KEY, 9)).entry)).toBe("known");
  });

  test("that is archived is not shown across the upgrade that corrected archived entries", async () => {
    const chain = (protocolVersion: (ledger: number) => number): MadeChain => ({
      states: {
        7: { live: [ttl(1, 1)], hot: [data(3, 1)] },
        15: { live: [ttl(1, 1)], hot: [data(3, 2)] },
        23: unchanged,
      },
      protocolVersion,
    });
    const before = await open(chain((ledger) => (ledger > 12 ? 24 : 23)));
    expect(proven((await before.states.at(KEY, 12)).entry)).toBe("known");
    const since = await open(chain((ledger) => (ledger > 11 ? 24 : 23)));
    expect(proven((await since.states.at(KEY, 12)).entry)).toBe("not proven");
  });
});

test("what is kept of an archive, and broke, is read from it anew", async () => {
  const chain = { states: { 7: unchanged, 15: unchanged, 23: unchanged } };
  await (await open(chain)).states.at(KEY, 12);
  const kept = readdirSync(directory).filter((name) => name.endsWith(".bucket"));
  expect(kept).not.toEqual([]);
  for (const name of kept) writeFileSync(join(directory, name), "broken");
  expect(proven((await (await open(chain)).states.at(KEY, 12)).entry)).toBe("known");
});

test("a TTL that nobody signed is not shown as proven with its entry", async () => {
  const { states } = await open({
    states: {
      7: unchanged,
      15: { live: [data(14, 2), ttl(3, 55)] },
      23: unchanged,
    },
    signedTo: 13,
  });
  const found = await states.at(KEY, 12);
  expect([proven(found.entry), proven(found.liveUntil)]).toEqual(["known", "not proven"]);
  const place = { network: "made", archive: "made", ledger: 12, keyXdr: "", key: "a key" };
  const text = JSON.stringify(stateDocument({ ...place, ...found }));
  expect(text).toContain("ledger 55 (not proven)");
});

test("a TTL that is asked for by its own key is not shown where a transaction extended it", async () => {
  const extended = { readWrite: [decodeBytes("LedgerKey", KEY)], succeeded: true };
  const later = { live: [data(3, 1), ttl(14, LONG + 9)] };
  const { states } = await open({
    states: { 7: unchanged, 15: later, 23: later },
    transactions: { 10: [extended], 14: [extended] },
  });
  const key = keyBytesOfEntry(ttl(1, 1));
  const at = async (ledger: number) => proven((await states.at(key, ledger)).entry);
  expect([await at(9), await at(12), await at(14)]).toEqual(["known", "not proven", "known"]);
});

describe("an entry before a transaction of the same ledger as a writer", () => {
  const written = { live: [data(12, 2), ttl(3, LONG)] };
  const key = decodeBytes("LedgerKey", KEY);
  const chain = (succeeded: boolean, signedTo?: number): MadeChain => ({
    states: { 7: unchanged, 15: written, 23: written },
    transactions: {
      12: [
        { readWrite: [key], succeeded },
        { readWrite: [], succeeded: true },
      ],
    },
    ...(signedTo === undefined ? {} : { signedTo }),
  });
  const fact = async (made: MadeChain) => {
    const { states, hashes } = await open(made);
    return proven((await states.before(KEY, 12, hashes[12]?.[1] ?? "")).entry);
  };

  test("is shown where the writer failed, and not where it succeeded", async () => {
    expect(await fact(chain(false))).toBe("known");
    expect(await fact(chain(true))).toBe("not proven");
  });

  test("is not shown where nobody signed that the writer failed", async () => {
    // The set of ledger 12 is signed, and with it header 11; its results are in header 12.
    expect(await fact(chain(false, 12))).toBe("not proven");
  });
});

describe("a ledger", () => {
  const states = { 7: unchanged, 15: unchanged, 23: unchanged };
  const isProven = async (chain: MadeChain, ledger: number) =>
    proven((await (await open(chain)).states.at(KEY, ledger)).entry);

  test("of a network with a checkpoint every 8 is shown, whatever its latest one", async () => {
    const all = { 7: unchanged, 15: unchanged, 23: unchanged, 55: unchanged, 63: unchanged };
    expect(await isProven({ states: all }, 12)).toBe("known");
  });

  test("before one whose set was dropped is proven by the value that validators signed", async () => {
    expect(await isProven({ states, dropped: { 16: "previous" } }, 15)).toBe("known");
    expect(await isProven({ states, dropped: { 16: "another" } }, 15)).toBe("not proven");
  });

  test("whose own set was dropped changed nothing", async () => {
    const written = { live: [data(14, 2), ttl(3, LONG)] };
    const chain = { states: { ...states, 15: written, 23: written }, dropped: { 11: "previous" } };
    expect(await isProven(chain as MadeChain, 12)).toBe("known");
  });

  test("before one with a parallel phase is proven, and its transactions are read", async () => {
    const transactions = { 12: [{ readWrite: [decodeBytes("LedgerKey", KEY)], succeeded: true }] };
    const written = { live: [data(12, 2), ttl(3, LONG)] };
    const chain = { states: { 7: unchanged, 15: written, 23: written }, parallel: true };
    expect(await isProven({ ...chain, transactions }, 11)).toBe("known");
    expect(await isProven({ ...chain, transactions }, 13)).toBe("known");
    const later = { ...chain.states, 15: { live: [data(14, 3), ttl(3, LONG)] } };
    expect(await isProven({ ...chain, states: later, transactions }, 13)).toBe("not proven");
  });

  test("that nobody signed is proven by the hash of a later header, and by no other hash", async () => {
    const { files } = madeArchive({ states, signedTo: 0 });
    const archive = await openArchiveFiles(files);
    const { hash } = await openArchivedChain(archive, [], PASSPHRASE).header(20);
    const isKnown = async (trusted: TrustedHeader, ledger: number) =>
      hasEnoughSignatures(
        await openArchivedChain(archive, [[VALIDATOR]], PASSPHRASE, trusted).signatures(ledger),
      );
    expect(
      hasEnoughSignatures(
        await openArchivedChain(archive, [[VALIDATOR]], PASSPHRASE).signatures(7),
      ),
    ).toBeFalse();
    expect(await isKnown({ ledger: 20, hash }, 7)).toBeTrue();
    expect(await isKnown({ ledger: 20, hash }, 20)).toBeTrue();
    expect(await isKnown({ ledger: 20, hash }, 21)).toBeFalse();
    expect(await isKnown({ ledger: 99, hash }, 7)).toBeFalse();
    const other = isKnown(
      { ledger: 20, hash: hash.replace(/./, (digit) => (digit === "0" ? "1" : "0")) },
      7,
    );
    expect(await other.catch((error) => error.code)).toBe("ARCHIVE_DAMAGED");
  });
});

test("a trusted header is named only where signatures are missing", async () => {
  const states = { 7: unchanged, 15: unchanged, 23: unchanged };
  const archive = await openArchiveFiles(madeArchive({ states, signedTo: 12 }).files);
  const { hash } = await openArchivedChain(archive, [], PASSPHRASE).header(20);
  const trusted = { ledger: 20, hash };
  const { signatures } = openArchivedChain(archive, [[VALIDATOR]], PASSPHRASE, trusted);
  expect((await signatures(11))?.trustedLedger).toBeUndefined();
  expect((await signatures(12))?.trustedLedger).toBe(20);
});

test("results, headers and checkpoints that somebody altered are refused by name", async () => {
  const transactions = { 12: [{ readWrite: [decodeBytes("LedgerKey", KEY)], succeeded: true }] };
  const states = { 7: unchanged, 15: unchanged, 23: unchanged };
  const honest = madeArchive({ states, transactions, signedTo: 0 });
  const other = madeArchive({ states, closeTime: () => ({ seconds: 9n, milliseconds: null }) });
  const opened = async (files: ArchiveFiles, trusted: TrustedHeader | null = null) =>
    openArchivedChain(await openArchiveFiles(files), [[VALIDATOR]], PASSPHRASE, trusted);
  const [transaction = ""] = honest.hashes[12] ?? [];
  const sound = await opened(honest.files);
  expect((await sound.result(12, transaction)).order).toBe(1);
  const { hash } = await sound.header(20);
  expect(
    hasEnoughSignatures(await (await opened(honest.files, { ledger: 20, hash })).signatures(7)),
  ).toBeTrue();

  const failed = withRecord(honest, "results", 15, (record) => {
    const entry = decodeBytes("TransactionHistoryResultEntry", record);
    const results = entry.txResultSet.results.map((each) => ({
      ...each,
      result: { ...each.result, result: { code: -1, results: [] } as const },
    }));
    return encodeBytes("TransactionHistoryResultEntry", { ...entry, txResultSet: { results } });
  });
  const result = (await opened(failed)).result(12, transaction);
  expect((await failureOf(result)).code).toBe("ARCHIVE_DAMAGED");

  // The last header of a file, so that no later one of the file names its hash.
  const dearer = withRecord(honest, "ledger", 15, (record, index) => {
    if (index !== 7) return record;
    const entry = decodeBytes("LedgerHeaderHistoryEntry", record);
    const header = { ...entry.header, baseFee: 1 };
    return encodeBytes("LedgerHeaderHistoryEntry", { ...entry, header });
  });
  const header = (await opened(dearer)).header(15);
  expect((await failureOf(header)).message).toContain("ledger 15 has another hash");

  // Each file is sound in itself.
  const isSwapped = (name: string) => name.startsWith("ledger") && name.includes("0000000f");
  const swapped: ArchiveFiles = {
    ...honest.files,
    read: (name) => (isSwapped(name) ? other : honest).files.read(name),
    pieces: (...asked) => (isSwapped(asked[0]) ? other : honest).files.pieces(...asked),
  };
  const linked = (await opened(swapped, { ledger: 20, hash })).signatures(7);
  expect((await failureOf(linked)).message).toContain("it does not follow ledger");
});

describe("a network setting between two checkpoints", () => {
  const upgrade = [{ type: 2, newBaseFee: 100 } as const];
  const upgrades = { 12: upgrade, 14: upgrade };
  const setting = (id: number, ledger: number) =>
    Uint8Array.fromBase64(
      id === STATE_SIZE_WINDOW_ID ? stateSizeWindowOf("1000", ledger) : settingOf(id, ledger),
    );
  const chain = (id: number) => ({
    states: {
      7: { live: [setting(id, 3)] },
      15: { live: [setting(id, 14)] },
      23: { live: [setting(id, 14)] },
    },
    upgrades,
  });
  const at = async (id: number, ledger: number) => {
    const { states } = await open(chain(id));
    return proven((await states.at(Uint8Array.fromBase64(settingKeyOf(id)), ledger)).entry);
  };

  test("is that of the one before as long as nothing was upgraded", async () => {
    expect(await at(4, 11)).toBe("known");
    expect(await at(4, 12)).toBe("not proven");
    expect(await at(4, 13)).toBe("not proven");
    expect(await at(4, 14)).toBe("known");
  });

  test.each([
    ["the state-size window", STATE_SIZE_WINDOW_ID],
    ["the eviction iterator", 13],
  ])("is not shown if it changes without an upgrade: %s", async (_, id) => {
    expect(await at(id, 11)).toBe("not proven");
  });
});

test("the newest checkpoint is shown, and nothing has signed it yet", async () => {
  const states = { 7: unchanged, 15: unchanged, 23: unchanged };
  expect(proven((await (await open({ states })).states.at(KEY, 15)).entry)).toBe("known");
  const newest = await (await open({ states })).states.at(KEY, 23);
  expect([newest.entry.kind, proven(newest.entry)]).toEqual(["known", "not proven"]);
});

function oneLater(value: Value<"StellarValue">): Value<"StellarValue"> {
  const { ext } = value;
  if (ext.v !== 3) throw new Error("its close time has whole seconds");
  const closeTimeMs = ext.signedMsValue.closeTimeMs + 1n;
  return { ...value, ext: { ...ext, signedMsValue: { ...ext.signedMsValue, closeTimeMs } } };
}

/** A LedgerHeaderHistoryEntry, with its hash or with the one before. */
function aMillisecondLater(record: Uint8Array, hashesAgain: boolean): Uint8Array {
  const entry = decodeBytes("LedgerHeaderHistoryEntry", record);
  const header = { ...entry.header, scpValue: oneLater(entry.header.scpValue) };
  const hash = hashesAgain ? sha256(encodeBytes("LedgerHeader", header)) : entry.hash;
  return encodeBytes("LedgerHeaderHistoryEntry", { ...entry, hash, header });
}

/** An SCPHistoryEntry: nobody signed the value that it has. */
function withLaterValue(record: Uint8Array): Uint8Array {
  const { v0 } = decodeBytes("ScpHistoryEntry", record);
  const messages = v0.ledgerMessages.messages.map((each) => {
    const { pledges } = each.statement;
    if (pledges.type !== 2) throw new Error("another message");
    const { commit } = pledges.externalize;
    const value = encodeBytes("StellarValue", oneLater(decodeBytes("StellarValue", commit.value)));
    const externalize = { ...pledges.externalize, commit: { ...commit, value } };
    return { ...each, statement: { ...each.statement, pledges: { ...pledges, externalize } } };
  });
  const ledgerMessages = { ...v0.ledgerMessages, messages };
  return encodeBytes("ScpHistoryEntry", { v: 0, v0: { ...v0, ledgerMessages } });
}

describe("close times in milliseconds (CAP-88)", () => {
  const states = { 7: unchanged, 15: unchanged, 23: unchanged };
  const since = (first: number) => (ledger: number) => (ledger >= first ? 30 : 29);
  const signaturesOf = async (files: ArchiveFiles, ledger: number) =>
    hasEnoughSignatures(
      await openArchivedChain(await openArchiveFiles(files), [[VALIDATOR]], PASSPHRASE).signatures(
        ledger,
      ),
    );

  for (const first of [1, 8, 9, 12, 15, 16, 17, 99])
    test(`are proven like whole seconds: protocol 30 from ledger ${first} on`, async () => {
      const protocolVersion = since(first);
      const { states: reader } = await open({ states, protocolVersion });
      for (const ledger of [7, 11, 12, 15])
        expect(proven((await reader.at(KEY, ledger)).entry)).toBe("known");
      for (const [of, isKnown] of [
        ["previous", true],
        ["another", false],
      ] as const) {
        const { files } = madeArchive({ states, protocolVersion, dropped: { 16: of } });
        expect(await signaturesOf(files, 15)).toBe(isKnown);
      }
    });

  test("that somebody altered by one are not those of the header, nor of the next ledger's set", async () => {
    const made = { states, protocolVersion: since(8) };
    const later: MadeChain = {
      ...made,
      closeTime: (ledger) => ({
        seconds: 0n,
        milliseconds: ledger < 9 ? null : BigInt(ledger) + (ledger === 12 ? 1n : 0n),
      }),
    };
    const [honest, altered] = [madeArchive(made), madeArchive(later)];
    const mixed: ArchiveFiles = {
      ...altered.files,
      read: (name) => (name.startsWith("scp") ? honest : altered).files.read(name),
      pieces: (...asked) => (asked[0].startsWith("scp") ? honest : altered).files.pieces(...asked),
    };
    expect(await signaturesOf(honest.files, 12)).toBeTrue();
    // With the header, each one after it was made anew, and each set; the messages cannot be.
    for (const ledger of [12, 13, 15]) expect(await signaturesOf(mixed, ledger)).toBeFalse();
    expect(await signaturesOf(mixed, 11)).toBeTrue();
    for (const hashesAgain of [false, true]) {
      const files = withRecord(honest, "ledger", 15, (record, index) =>
        index === 4 ? aMillisecondLater(record, hashesAgain) : record,
      );
      expect((await failureOf(signaturesOf(files, 11))).code).toBe("ARCHIVE_DAMAGED");
    }
    const files = withRecord(honest, "scp", 15, (record, index) =>
      index === 5 ? withLaterValue(record) : record,
    );
    expect(await signaturesOf(files, 11)).toBeTrue();
    expect(await signaturesOf(files, 12)).toBeFalse();
  });

  test("that are of another second than the whole seconds are refused", async () => {
    const closeTime = (ledger: number) => ({
      seconds: ledger === 11 ? 1n : 0n,
      milliseconds: BigInt(ledger),
    });
    const { files } = madeArchive({ states, protocolVersion: since(1), closeTime });
    const { code, cause } = await failureOf(signaturesOf(files, 12));
    expect(code).toBe("ARCHIVE_DAMAGED");
    expect(cause).toMatchObject({
      message: expect.stringContaining("closeTimeMs 11 is not in 1 s"),
    });
  });
});

describe("files of two histories that the same validators signed, as of a network begun anew", () => {
  const write = { readWrite: [decodeBytes("LedgerKey", KEY)], succeeded: true };
  const other = { readWrite: [], succeeded: true };
  const ends = (value: number) => ({ live: [data(14, value), ttl(3, LONG)] });
  const one = madeArchive({
    states: { 7: { live: [data(3, 1), ttl(3, LONG)] }, 15: ends(3), 23: ends(3) },
    transactions: { 8: [write, other], 10: [write], 14: [write] },
  });
  const another = madeArchive({
    states: { 7: { live: [data(3, 2), ttl(3, LONG)] }, 15: ends(4), 23: ends(4) },
    transactions: { 8: [other], 14: [write] },
  });
  const names = (["ledger", "transactions", "results", "scp", "history"] as const).flatMap(
    (category) => [7, 15, 23].map((checkpoint) => `${category} ${checkpoint.toString(16)}`),
  );

  test("together prove nothing that was not so in one of them", async () => {
    let known = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(fc.boolean(), { minLength: 15, maxLength: 15 }), async (mask) => {
        const isOther = (name: string) => {
          const [, category = "", digits = ""] =
            /(\w+)-0*(\w+)\.\w+/.exec(name.replace("xdr.", "")) ?? [];
          return mask[names.indexOf(`${category} ${digits}`)] ?? false;
        };
        const both = (name: string) => (isOther(name) ? another : one).files.read(name);
        const pieces = async function* (name: string) {
          const bytes = (await one.files.read(name)) ?? (await another.files.read(name));
          if (bytes !== null) yield bytes;
        };
        const files = { ...one.files, read: both, pieces };
        const chain = openArchivedChain(await openArchiveFiles(files), [[VALIDATOR]], PASSPHRASE);
        const given = { chain, store: openBucketStore(directory), networkPassphrase: PASSPHRASE };
        const states = new StateReader({ ...given, allow: async () => {} });
        const shownBy = async (asked: Promise<{ entry: StateFact<EntryValue> }>) => {
          const found = (await asked.catch(() => null))?.entry ?? null;
          return found?.kind === "known" && proven(found) === "known" ? found.value.text : null;
        };
        // After ledger 12 the one had what its own transaction wrote, which no file shows.
        expect([null, "2"]).toContain(await shownBy(states.at(KEY, 12)));
        // Before the last transaction of ledger 8 likewise.
        const [hash = ""] = another.hashes[8] ?? [];
        const before = await shownBy(states.before(KEY, 8, hash));
        expect([null, "2"]).toContain(before);
        if (before !== null) known += 1;
      }),
      { numRuns: 300 },
    );
    expect(known).toBeGreaterThan(0);
  }, 60_000);
});

describe("a server", () => {
  const { files } = madeArchive({ states: { 7: unchanged, 15: unchanged, 23: unchanged } });
  const HISTORY = ".well-known/stellar-history.json";

  /** `answer`: of the file, from a byte on. */
  async function read(
    answer: (file: Uint8Array, from: number) => { part: Uint8Array; range: string | null },
    ask: (files: ArchiveFiles) => Promise<unknown>,
  ): Promise<string> {
    await using server = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      async fetch(request) {
        const file = (await files.read(HISTORY)) ?? new Uint8Array();
        const { part, range } = answer(file, rangeOf(request).from);
        const headers = range === null ? {} : { "content-range": range };
        return new Response(Buffer.from(part), { status: range === null ? 200 : 206, headers });
      },
    });
    return await ask(filesOf(server)).then(
      () => "read",
      (error) => error.code,
    );
  }
  const whole = (from: ArchiveFiles) => from.read(HISTORY);

  test("may know no ranges, or give smaller parts than were asked for", async () => {
    expect(await read((file) => ({ part: file, range: null }), whole)).toBe("read");
    const halves = (file: Uint8Array, from: number) => {
      const part = file.subarray(from, from + Math.ceil(file.length / 2));
      return { part, range: `bytes ${from}-${from + part.length - 1}/${file.length}` };
    };
    expect(await read(halves, whole)).toBe("read");
  });

  test("whose file never ends, grows, or is larger than it was announced is refused", async () => {
    const growing = (_: Uint8Array, from: number) => ({
      part: Buffer.alloc(1000),
      range: `bytes ${from}-${from + 999}/${from + 2000}`,
    });
    const endless = (_: Uint8Array, from: number) => ({
      part: Buffer.alloc(1000),
      range: `bytes ${from}-${from + 999}/1000000000000`,
    });
    const nothing = (_: Uint8Array, from: number) => ({
      part: new Uint8Array(),
      range: `bytes ${from}-${from}/1000`,
    });
    const bytewise = (file: Uint8Array, from: number) => ({
      part: file.subarray(from, from + 1),
      range: `bytes ${from}-${from}/${file.length}`,
    });
    for (const answer of [growing, endless, nothing, bytewise])
      expect(await read(answer, whole)).toBe("ARCHIVE_DAMAGED");
    let asked = 0;
    const announced = (file: Uint8Array, from: number) => {
      asked += 1;
      return { part: file, range: `bytes ${from}-${file.length - 1}/${file.length + asked}` };
    };
    const both = async (from: ArchiveFiles) => {
      await from.size(HISTORY);
      for await (const _ of from.pieces(HISTORY));
    };
    expect(await read(announced, both)).toBe("ARCHIVE_DAMAGED");
  });
});

test("a file that is larger than any of its kind is refused with its first parts", async () => {
  let sent = 0;
  await using server = Bun.serve({
    ...{ hostname: "127.0.0.1", port: 0 },
    fetch(request) {
      const { from, to } = rangeOf(request);
      const part = Buffer.alloc(to - from + 1);
      sent += part.length;
      const headers = { "content-range": `bytes ${from}-${to}/${128 * 2 ** 20}` };
      return new Response(part, { status: 206, headers });
    },
  });
  const reading = filesOf(server).read("ledger/00/00/00/ledger-00000017.xdr.gz");
  expect((await failureOf(reading)).code).toBe("ARCHIVE_DAMAGED");
  expect(sent).toBeLessThanOrEqual(16 * 2 ** 20);
});

test("a server that says of a file, or makes of it, that it is compressed gives what is stored", async () => {
  const json = Buffer.from(JSON.stringify({ text: "a".repeat(1000) }));
  const packed = Bun.gzipSync(json);
  await using server = Bun.serve({
    ...{ hostname: "127.0.0.1", port: 0 },
    fetch(request) {
      const compressed = { "content-encoding": "gzip" };
      if (request.url.endsWith(".gz")) return new Response(packed, { headers: compressed });
      const accepts = request.headers.get("accept-encoding")?.includes("gzip");
      return accepts
        ? new Response(packed.subarray(0, 20), { headers: compressed })
        : new Response(json);
    },
  });
  const files = filesOf(server);
  expect(await files.read("a.xdr.gz")).toEqual(packed);
  expect(await files.read("a.json")).toEqual(json);
});

describe("a large download", () => {
  const { files } = madeArchive({ states: { 7: unchanged, 15: unchanged, 23: unchanged } });

  /**
   * What an archive reports whose server says that its buckets are large. `part` is called before
   * the server sends a part of one.
   */
  async function report(
    options: Pick<OpenArchiveOptions, "signal" | "time" | "confirm">,
    part: () => Promise<unknown>,
  ): Promise<unknown> {
    await using server = Bun.serve({
      ...{ hostname: "127.0.0.1", port: 0 },
      async fetch(request) {
        const name = new URL(request.url).pathname.slice(1);
        const file = await files.read(name);
        if (file === null) return new Response("", { status: 404 });
        const isBucket = name.startsWith("bucket/");
        if (isBucket && rangeOf(request).to > 0) await part();
        return partOf(file, request, isBucket ? { total: 1e9 } : {});
      },
    });
    const archive = await openConfiguredArchive(
      {
        ...{ historyArchive: [`http://127.0.0.1:${server.port}`], validators: [[VALIDATOR]] },
        ...{ trustedHeader: null, download: false, sorobanOnly: false, archiveCacheSize: 1e9 },
        archiveCache: mkdtempSync(join(directory, "allowed-")),
      },
      {
        ...{ http, network: "made", networkPassphrase: PASSPHRASE },
        ...{ environment: {}, ...options },
      },
    );
    return await archive.report(KEY.toBase64(), 12).catch((error) => error);
  }

  test("ends no run, and neither does an answer that takes long", async () => {
    const time = openTimeLimits();
    const ended = (limit: AbortSignal) =>
      new Promise((done) => limit.addEventListener("abort", done));
    const limits: AbortSignal[] = [];
    const counted: boolean[] = [];
    const long = async () => {
      const limit = time.limit(1);
      await ended(AbortSignal.timeout(30));
      counted.push(limit.aborted);
      limits.push(limit);
    };
    const confirm = () => long().then(() => true);
    // The file is not as large as the server announced.
    expect(await report({ signal, time, confirm }, long)).toHaveProperty("code", "ARCHIVE_DAMAGED");
    expect(new Set(counted)).toEqual(new Set([false]));
    expect(counted.length).toBeGreaterThan(1);
    await Promise.all(limits.map((limit) => limit.aborted || ended(limit)));
  });

  test("is asked for until the run is interrupted", async () => {
    const interruption = new AbortController();
    const confirm = () => {
      interruption.abort(new Error("interrupted"));
      return new Promise<boolean>(() => {});
    };
    const found = report({ signal: interruption.signal, confirm }, async () => {});
    expect(await found).toHaveProperty("message", "interrupted");
  });
});

test("a download goes on where another one ended, and begins anew for another file", async () => {
  const store = openBucketStore(mkdtempSync(join(directory, "pieces-")));
  const random = (seed: number) => {
    const bytes = Buffer.alloc(20 * 1024 * 1024);
    for (let at = 0; at < bytes.length; at += 4) bytes.writeUInt32LE((at * seed) % 65_521, at);
    return bytes;
  };
  const name = `bucket/00/00/00/bucket-${"0".repeat(64)}.xdr.gz`;
  let [file, etag, fails, asked] = [random(3), "one", true, 0];
  await using server = Bun.serve({
    ...{ hostname: "127.0.0.1", port: 0 },
    fetch(request) {
      const { from, to } = rangeOf(request);
      if (to > 0) asked += 1;
      if (fails && from > 8 * 1024 * 1024) return new Response("", { status: 400 });
      return partOf(file, request, { etag });
    },
  });
  const read = async () => {
    asked = 0;
    const files = filesOf(server, store.pieces);
    await files.size(name);
    const parts: Uint8Array[] = [];
    for await (const piece of files.pieces(name)) parts.push(piece);
    return [Buffer.concat(parts).equals(file), asked];
  };
  expect(await read().catch((error) => error.code)).toMatch(/^NETWORK_/);
  fails = false;
  expect(await read()).toEqual([true, 1]);
  expect(await read()).toEqual([true, 0]);
  [file, etag] = [random(5), "two"];
  expect(await read()).toEqual([true, 3]);
});

test("a server that goes on with other bytes is found out, and then all is read anew", async () => {
  const kept = mkdtempSync(join(directory, "other-bytes-"));
  const { files } = madeArchive({ states: { 7: unchanged, 15: unchanged } });
  const [hash = ""] = (await (await openArchiveFiles(files)).state(7)).live;
  const name = `bucket/${hash.slice(0, 2)}/${hash.slice(2, 4)}/${hash.slice(4, 6)}/bucket-${hash}.xdr.gz`;
  const bucket = Bun.gunzipSync(Buffer.from((await files.read(name)) ?? []));
  // Gzip files may have much beside what they unpack to.
  const comment = Buffer.alloc(20 * 1024 * 1024, "x");
  const gzip = Bun.gzipSync(bucket);
  const head = Buffer.from(gzip.subarray(0, 10));
  head[3] = 16;
  const honest = Buffer.concat([head, comment, new Uint8Array(1), gzip.subarray(10)]);
  const other = Buffer.from(honest);
  other[other.length - 12] = (other.at(-12) ?? 0) ^ 1;
  let [file, fails] = [honest, true];
  await using server = Bun.serve({
    ...{ hostname: "127.0.0.1", port: 0 },
    fetch(request) {
      if (fails && rangeOf(request).from > 8 * 1024 * 1024)
        return new Response("", { status: 400 });
      return partOf(file, request, { etag: "one" });
    },
  });
  const add = async () => {
    const store = openBucketStore(kept);
    const archive = await openArchiveFiles(filesOf(server, store.pieces), {
      ...{ latestCheckpoint: 7, ledgersPerCheckpoint: 8 },
    });
    const pieces = archive.bucket(hash);
    if (pieces !== null) await store.add(hash, pieces);
  };
  const ends = () => readdirSync(kept).map((each) => each.replace(/^.*\./, ""));
  expect(await add().catch((error) => error.code)).toMatch(/^NETWORK_/);
  expect(ends()).toContain("piece");
  [file, fails] = [other, false];
  expect(await add().catch((error) => error.code)).toBe("ARCHIVE_DAMAGED");
  expect(ends()).toEqual([]);
  file = honest;
  await add();
  expect(ends()).toEqual(["bucket"]);
});

test("a bucket or a file of empty records is refused before it fills the memory", async () => {
  const nothing = Buffer.alloc(1024 * 1024);
  const store = openBucketStore(join(directory, "bomb"));
  const pieces = async function* () {
    yield nothing;
  };
  const code = (error: { code: string }) => error.code;
  expect(await store.add("00".repeat(32), pieces()).catch(code)).toBe("ARCHIVE_DAMAGED");
  const { files } = madeArchive({ states: { 7: unchanged, 15: unchanged } });
  const empty = Buffer.alloc(4 * 2000);
  for (let at = 0; at < empty.length; at += 4) empty.writeUInt32BE(0x80000000, at);
  const archive = await openArchiveFiles({
    ...files,
    read: async (name) => (name.endsWith(".gz") ? Bun.gzipSync(empty) : files.read(name)),
  });
  expect(await archive.frames("scp", 7).catch(code)).toBe("ARCHIVE_DAMAGED");
});

test("an archive that was made and has no checkpoint yet lacks all, and is not damaged", async () => {
  const place = mkdtempSync(join(directory, "new-"));
  mkdirSync(join(place, ".well-known"));
  const zero = "0".repeat(64);
  const level = { curr: zero, next: { state: 0 }, snap: zero };
  const state = {
    ...{ version: 1, server: "stellar-core", currentLedger: 0, networkPassphrase: PASSPHRASE },
    currentBuckets: Array.from({ length: 11 }, () => level),
  };
  writeFileSync(join(place, ".well-known/stellar-history.json"), JSON.stringify(state));
  const error = await openArchiveFiles(archiveDirectory(place)).catch((error) => error);
  expect([error.code, error.message]).toEqual([
    "ARCHIVE_LACKS",
    "The history archive has no checkpoint yet.",
  ]);
});

test("a bucket of a directory is read until the run is interrupted, or its time is up", async () => {
  const place = mkdtempSync(join(directory, "interrupted-"));
  const name = `bucket/00/00/00/bucket-${"0".repeat(64)}.xdr.gz`;
  mkdirSync(join(place, "bucket/00/00/00"), { recursive: true });
  writeFileSync(join(place, name), Bun.gzipSync(Buffer.alloc(1000)));
  const interrupted = new SvcError("INTERRUPTED", {
    message: "Interrupted.",
    remedy: "Run again.",
  });
  for (const reason of [interrupted, new DOMException("The time is up.", "TimeoutError")]) {
    const files = archiveDirectory(place, AbortSignal.abort(reason));
    const archive = await openArchiveFiles(files, { latestCheckpoint: 7, ledgersPerCheckpoint: 8 });
    const adding = async () => {
      for await (const _ of archive.bucket("0".repeat(64)) ?? []);
    };
    expect(await adding().catch((error) => error)).toBe(reason);
  }
});

test("a directory that is a file has no archive, and what is no file is unreadable", async () => {
  const code = (error: { code: string }) => error.code;
  const file = join(directory, "a-file");
  writeFileSync(file, "");
  expect(await openArchiveFiles(archiveDirectory(file)).catch(code)).toBe("ARCHIVE_LACKS");
  const place = join(directory, "odd");
  mkdirSync(join(place, ".well-known/stellar-history.json"), { recursive: true });
  expect(await openArchiveFiles(archiveDirectory(place)).catch(code)).toBe("FILE_UNREADABLE");
});
