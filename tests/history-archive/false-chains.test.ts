// What an archive can alter without a validator's key: headers, transaction sets, results and messages
// that are missing, doubled, damaged or of another ledger. None of them is taken for the chain.

import { describe, expect, test } from "bun:test";
import { type ArchiveFiles, openArchiveFiles } from "../../src/history-archive/archive-files.ts";
import { openArchivedChain, type TrustedHeader } from "../../src/history-archive/chain.ts";
import { excerptFiles, excerptOfArchive, noting } from "../../src/history-archive/excerpt.ts";
import { hasEnoughSignatures } from "../../src/model/state/proven-state.ts";
import { sha256 } from "../../src/xdr/reader/hash.ts";
import { decodeBytes, encodeBytes, type Value } from "../../src/xdr/reader/value.ts";
import { failureOf } from "../support/failure.ts";
import { dataKeyOf } from "../support/ledger-entries.ts";
import {
  type MadeChain,
  madeArchive,
  PASSPHRASE,
  VALIDATOR,
  withRecord,
  withRecords,
} from "../support/made-archive.ts";

const none = { live: [] };
const states = { 7: none, 15: none, 23: none };
const write = {
  readWrite: [decodeBytes("LedgerKey", Uint8Array.fromBase64(dataKeyOf("k")))],
  succeeded: true,
};
const honest = madeArchive({ states, transactions: { 12: [write] } });
const [TRANSACTION = ""] = honest.hashes[12] ?? [];

interface Opening {
  readonly trusted?: TrustedHeader;
  readonly notes?: boolean;
  readonly latestCheckpoint?: number;
}

async function open(files: ArchiveFiles, { trusted, notes, ...known }: Opening = {}) {
  const archive = await openArchiveFiles(files, known);
  const options = notes === undefined ? {} : { notes };
  return openArchivedChain(archive, [[VALIDATOR]], PASSPHRASE, trusted ?? null, options);
}

const opened = (chain: MadeChain) => open(madeArchive(chain).files);
const codeOf = async (promise: Promise<unknown>) => (await failureOf(promise)).code;
const messageOf = async (promise: Promise<unknown>) => (await failureOf(promise)).message;

/** A LedgerHeaderHistoryEntry with its hash, and the hash. */
function headerRecord(record: Uint8Array, changes: Partial<Value<"LedgerHeader">>) {
  const entry = decodeBytes("LedgerHeaderHistoryEntry", record);
  const header = { ...entry.header, ...changes };
  const hash = sha256(encodeBytes("LedgerHeader", header));
  return { hash, record: encodeBytes("LedgerHeaderHistoryEntry", { ...entry, header, hash }) };
}

describe("a file of headers", () => {
  const first = 8;

  test("shows those that it has, if the first ones are missing", async () => {
    for (let missing = 0; missing < 8; missing += 1) {
      const chain = await open(withRecords(honest, "ledger", 15, (all) => all.slice(missing)));
      for (let ledger = first; ledger <= 15; ledger += 1) {
        const header = chain.header(ledger);
        if (ledger < first + missing) expect(await codeOf(header)).toBe("ARCHIVE_LACKS");
        else expect((await header).sequence).toBe(ledger);
      }
    }
  });

  test("is refused without the header of its checkpoint", async () => {
    for (let missing = 1; missing <= 8; missing += 1) {
      const chain = await open(withRecords(honest, "ledger", 15, (all) => all.slice(0, -missing)));
      expect(await messageOf(chain.header(first))).toContain("the last one is missing");
    }
  });

  test("is refused with a gap, even if its headers name each other", async () => {
    for (let gap = 1; gap < 8; gap += 1) {
      let previousLedgerHash: Uint8Array = new Uint8Array(32);
      // Each header after the gap keeps its number, and names the one in the file before it.
      const forged = withRecords(honest, "ledger", 15, (all) =>
        all.map((each, index) => {
          const { header } = decodeBytes("LedgerHeaderHistoryEntry", each);
          const ledgerSeq = index < gap ? header.ledgerSeq - 1 : header.ledgerSeq;
          const changed = headerRecord(each, { previousLedgerHash, ledgerSeq });
          previousLedgerHash = changed.hash;
          return changed.record;
        }),
      );
      const chain = await open(forged);
      for (const ledger of [first - 1 + gap, 15])
        if (ledger >= first)
          expect(await messageOf(chain.header(ledger))).toContain("is not the one before");
    }
  });

  test("that does not follow the file before is named with both ledgers", async () => {
    // Each file is sound in itself.
    const closeTime = () => ({ seconds: 9n, milliseconds: null });
    const other = madeArchive({ states, closeTime });
    const mixed = withRecords({ ...other, files: honest.files }, "ledger", 15, (all) => all);
    const trusted = { ledger: 20, hash: await hashOf(honest.files, 20) };
    const { signatures } = await open(mixed, { trusted });
    expect(await messageOf(signatures(7))).toMatch(/ledger 8 .* does not follow ledger 7/);
    expect(await messageOf(signatures(15))).toMatch(/ledger 16 .* does not follow ledger 15/);
  });
});

async function hashOf(files: ArchiveFiles, ledger: number): Promise<string> {
  return (await (await open(files)).header(ledger)).hash;
}

describe("the transactions of a ledger", () => {
  test("are refused if the set is not the header's", async () => {
    const { read } = madeArchive({ states, transactions: { 12: [write, write] } });
    const more = { files: honest.files, read };
    const chain = await open(withRecords(more, "transactions", 15, (all) => all));
    expect(await codeOf(chain.envelopes(12))).toBe("ARCHIVE_DAMAGED");
    expect(await codeOf(chain.footprints(12))).toBe("ARCHIVE_DAMAGED");
    expect(await codeOf(chain.signatures(11))).toBe("ARCHIVE_DAMAGED");
  });

  test("are refused if the set is missing", async () => {
    const chain = await open(withRecords(honest, "transactions", 15, () => []));
    expect(await codeOf(chain.envelopes(12))).toBe("ARCHIVE_DAMAGED");
    expect(await chain.envelopes(11)).toEqual([]);
  });

  test("without a footprint are transactions that write no entry of a contract", async () => {
    const classic = { readWrite: [], succeeded: true, classic: true };
    const chain = await opened({ states, transactions: { 12: [classic, write, classic] } });
    expect((await chain.envelopes(12)).length).toBe(3);
    const footprints = await chain.footprints(12);
    expect(footprints.map(({ readWrite }) => readWrite)).toEqual([[dataKeyOf("k")]]);
  });

  test("of the first ledger are none, and its header names no results", async () => {
    const chain = await open(honest.files);
    expect((await chain.header(1)).resultSetHash).toBe("0".repeat(64));
    expect(await chain.transactions(1)).toEqual([]);
  });

  test("have results, each its own", async () => {
    const idle = { readWrite: [], succeeded: true };
    for (const result of ["missing", "of another"] as const) {
      const chain = await opened({
        states,
        transactions: { 12: [write, { ...idle, result }] },
      });
      expect(await messageOf(chain.transactions(12))).toContain("are not of its transactions");
    }
    const chain = await opened({ states, transactions: { 12: [write, idle] } });
    expect((await chain.transactions(12)).length).toBe(2);
  });

  test("have no result that the ledger does not have", async () => {
    const chain = await open(honest.files);
    expect(await codeOf(chain.result(11, TRANSACTION))).toBe("ARCHIVE_DAMAGED");
    expect(await codeOf(chain.result(12, "0".repeat(64)))).toBe("ARCHIVE_DAMAGED");
    expect((await chain.result(12, TRANSACTION)).order).toBe(1);
  });
});

describe("messages of validators", () => {
  const messagesOf = (record: Uint8Array) => decodeBytes("ScpHistoryEntry", record).v0;
  const ledgerOf = (record: Uint8Array) => messagesOf(record).ledgerMessages.ledgerSeq;

  /** The record with no message. */
  function silent(record: Uint8Array): Uint8Array {
    const v0 = messagesOf(record);
    const ledgerMessages = { ...v0.ledgerMessages, messages: [] };
    return encodeBytes("ScpHistoryEntry", { v: 0, v0: { ...v0, ledgerMessages } });
  }

  test("count in whichever record of their ledger they are", async () => {
    for (const both of [
      (record: Uint8Array) => [record, silent(record)],
      (record: Uint8Array) => [silent(record), record],
    ]) {
      const chain = await open(withRecords(honest, "scp", 15, (all) => all.flatMap(both)));
      expect(hasEnoughSignatures(await chain.signatures(11))).toBeTrue();
    }
  });

  test("are none if the archive has none of the ledger", async () => {
    const chain = await open(
      withRecords(honest, "scp", 15, (all) => all.filter((each) => ledgerOf(each) !== 12)),
    );
    expect(await chain.signatures(11)).toBeNull();
    expect(hasEnoughSignatures(await chain.signatures(10))).toBeTrue();
  });

  test("that are damaged are refused by the number of their ledger", async () => {
    const damaged = withRecord(honest, "scp", 15, (each) =>
      ledgerOf(each) === 12 ? each.subarray(0, -4) : each,
    );
    const { signatures } = await open(damaged);
    expect(await messageOf(signatures(11))).toContain("the messages of ledger 12 ");
    expect(hasEnoughSignatures(await signatures(12))).toBeTrue();
  });
});

describe("a trusted header", () => {
  const trusted = async (ledger: number) => ({ ledger, hash: await hashOf(honest.files, ledger) });

  test("stands for the signatures that the archive does not show", async () => {
    const { signatures } = await open(honest.files, { trusted: await trusted(23) });
    const nobody = { signers: [], organisations: 0, needed: 0, trustedLedger: 23 };
    expect(await signatures(23)).toEqual(nobody);
    expect(await signatures(22)).toEqual({ signers: [VALIDATOR], organisations: 1, needed: 1 });
    const unsigned = madeArchive({ states, signedTo: 0 }).files;
    const chain = await open(unsigned, { trusted: await trusted(23) });
    expect(await codeOf(chain.signatures(11))).toBe("ARCHIVE_DAMAGED");
    const own = await open(unsigned, {
      trusted: { ledger: 23, hash: await hashOf(unsigned, 23) },
    });
    expect(await own.signatures(11)).toMatchObject({ trustedLedger: 23 });
  });

  test("is looked for at most 2,000 checkpoints after the ledger", async () => {
    const chainTo = (ledger: number) =>
      open(madeArchive({ states, signedTo: 0 }).files, {
        trusted: { ledger, hash: "0".repeat(64) },
        latestCheckpoint: 1_000_007,
      });
    const [last, beyond] = [await chainTo(7 + 2000 * 8), await chainTo(8 + 2000 * 8)];
    // The archive does not have the file.
    expect(await codeOf(last.signatures(7))).toBe("ARCHIVE_LACKS");
    expect(hasEnoughSignatures(await beyond.signatures(7))).toBeFalse();
  });
});

describe("the ledgers that a proof used", () => {
  const use = async (chain: Awaited<ReturnType<typeof open>>) => {
    await chain.footprints(10);
    await chain.result(12, TRANSACTION);
    return [await chain.signatures(13), await chain.transactions(12)];
  };

  test("are noted for an excerpt, and only then", async () => {
    const noted = await open(honest.files, { notes: true });
    await use(noted);
    expect(noted.uses).toEqual({
      sets: new Set([10, 12, 14]),
      neededSets: new Set([12, 14]),
      results: new Set([12]),
      messages: new Set([14]),
    });
    const nothing = new Set<number>();
    for (const options of [{}, { notes: false }]) {
      const chain = await open(honest.files, options);
      await use(chain);
      expect(chain.uses).toEqual({
        ...{ sets: nothing, neededSets: nothing, results: nothing, messages: nothing },
      });
    }
  });

  test("are all in the excerpt, which shows the same", async () => {
    const { files, noted } = noting(honest.files);
    const chain = await open(files, { notes: true });
    const shown = await use(chain);
    const excerpt = excerptOfArchive(noted, chain.archive, chain.uses);
    if (excerpt === null) throw new Error("the excerpt is too large");
    const again = await openArchiveFiles(excerptFiles(excerpt), excerpt);
    expect(await use(openArchivedChain(again, [[VALIDATOR]], PASSPHRASE))).toEqual(shown);
  });
});
