// Ledger files of every layout and compression, and the errors for other files.

import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { openLedgerFiles, readLedgerFile } from "../../src/sources/files/ledger-file.ts";
import { readLedgerStream } from "../../src/sources/files/ledger-stream.ts";
import { failureOf } from "../support/failure.ts";
import { RecordedNetwork } from "../support/recorded-network.ts";

const network = new RecordedNetwork();
const context = { signal: new AbortController().signal };
const directory = mkdtempSync(join(tmpdir(), "svc-ledgers-"));
afterAll(() => rmSync(directory, { recursive: true }));

/** Three consecutive ledgers: the header of a batch has the first and the last. */
const SEQUENCES = network.sequences.filter((sequence) => sequence >= 379 && sequence <= 381);
const LEDGERS = SEQUENCES.map((sequence) => network.ledgerBytes(sequence) as Buffer);

function words(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [i, value] of values.entries()) bytes.writeUInt32BE(value, 4 * i);
  return bytes;
}

const frame = (ledger: Buffer) => Buffer.concat([words(0x80000000 + ledger.length), ledger]);
const FRAMED = Buffer.concat(LEDGERS.map(frame));
const BATCH = Buffer.concat([
  words(SEQUENCES[0] as number, SEQUENCES.at(-1) as number, LEDGERS.length),
  ...LEDGERS,
]);
const BARE = LEDGERS[0] as Buffer;

function saved(name: string, bytes: Uint8Array): string {
  const path = join(directory, name);
  writeFileSync(path, bytes);
  return path;
}

async function sequencesOf(path: string): Promise<number[]> {
  const sequences: number[] = [];
  for await (const ledger of readLedgerFile(path, context)) sequences.push(ledger.sequence);
  return sequences;
}

describe("a ledger file", () => {
  const skippable = Buffer.concat([Buffer.from("502a4d1804000000", "hex"), Buffer.from("note")]);

  test.each([
    ["framed", FRAMED, SEQUENCES],
    ["framed, gzip", gzipSync(FRAMED), SEQUENCES],
    ["framed, zstd", zstdCompressSync(FRAMED), SEQUENCES],
    ["framed, zstd in two frames", twoZstdFrames(), SEQUENCES],
    ["framed, zstd after a skippable frame", Buffer.concat([skippable, zstd(FRAMED)]), SEQUENCES],
    ["a batch", BATCH, SEQUENCES],
    ["a batch, zstd", zstd(BATCH), SEQUENCES],
    ["one bare ledger", BARE, SEQUENCES.slice(0, 1)],
    ["one bare ledger, gzip", gzipSync(BARE), SEQUENCES.slice(0, 1)],
  ])("that is %s is read, whatever its name", async (name, bytes, sequences) => {
    expect(await sequencesOf(saved(`${name}.json`, bytes))).toEqual(sequences);
  });

  function twoZstdFrames(): Buffer {
    return Buffer.concat([zstd(FRAMED.subarray(0, 1000)), zstd(FRAMED.subarray(1000))]);
  }

  test.each([
    ["empty", Buffer.alloc(0), "the file is empty"],
    ["too short", Buffer.from("abc"), "the file is too short"],
    ["text", Buffer.from("not a ledger at all, but text"), "neither framed"],
    ["cut off", FRAMED.subarray(0, FRAMED.length - 1), "ends inside the ledger that begins at"],
    ["a batch cut off", BATCH.subarray(0, BATCH.length - 1), "ends inside the ledger"],
    ["framed with garbage after", Buffer.concat([FRAMED, words(7, 7)]), "no record mark"],
    ["a batch with garbage after", Buffer.concat([BATCH, words(7)]), "follow the last ledger"],
    [
      "a batch that miscounts",
      Buffer.concat([words(379, 381, 2), ...LEDGERS]),
      "ledgers 379 to 381, but a count of 2",
    ],
    [
      "a batch out of order",
      Buffer.concat([words(379, 381, 3), ...LEDGERS.toReversed()]),
      "ledger 381 is in the place of ledger 379",
    ],
    ["a record beyond the limit", words(0xffffffff, 0, 0), "the limit is"],
    ["a broken ledger", frame(Buffer.alloc(400, 1)), "cannot be decoded"],
    ["gzip cut off", gzipSync(FRAMED).subarray(0, 500), "cannot be decompressed as gzip"],
    ["zstd cut off", zstdCompressSync(FRAMED).subarray(0, 500), "cannot be decompressed as zstd"],
    [
      "zstd with garbage after",
      Buffer.concat([zstd(FRAMED), words(1, 2, 3)]),
      "decompressed as zstd",
    ],
  ])("that is %s is refused with the reason", async (name, bytes, reason) => {
    const failure = await failureOf(sequencesOf(saved(`${name}.xdr`, bytes)));
    expect(failure.code).toBe("FILE_INVALID");
    expect(failure.message).toContain(reason);
  });

  test("that is not there, or a directory, cannot be read", async () => {
    expect((await failureOf(sequencesOf(join(directory, "missing")))).code).toBe("FILE_UNREADABLE");
    expect((await failureOf(sequencesOf(directory))).code).toBe("FILE_UNREADABLE");
  });
});

describe("a long stream", () => {
  test("is pulled only as far as it is read", async () => {
    let pulled = 0;
    async function* endless(): AsyncGenerator<Uint8Array> {
      for (;;) {
        pulled += 1;
        yield FRAMED;
      }
    }
    const ledgers = readLedgerStream(endless(), "endless");
    for (let i = 0; i < 3 * LEDGERS.length; i += 1) await ledgers.next();
    expect(pulled).toBeLessThanOrEqual(4);
    await ledgers.return(undefined);
  });

  test("may come in pieces of any size", async () => {
    async function* pieces(size: number): AsyncGenerator<Uint8Array> {
      for (let at = 0; at < BATCH.length; at += size) yield BATCH.subarray(at, at + size);
    }
    for (const size of [1, 3, 4096]) {
      const sequences: number[] = [];
      for await (const { sequence } of readLedgerStream(pieces(size), "pieces")) {
        sequences.push(sequence);
      }
      expect(sequences).toEqual(SEQUENCES);
    }
  });

  test("is refused at a ledger that is longer than the limit, in every layout", async () => {
    for (const bytes of [FRAMED, BATCH, BARE]) {
      async function* whole(): AsyncGenerator<Uint8Array> {
        yield bytes;
      }
      const ledgers = readLedgerStream(whole(), "long", { maximumLedgerBytes: 1000 });
      await expect(ledgers.next()).rejects.toThrow(
        /^The ledger at byte (0|12) of long would be \d+ bytes long; the limit is 1000\.$/,
      );
    }
  });

  test("ends when it is aborted", async () => {
    const controller = new AbortController();
    const ledgers = readLedgerFile(saved("aborted.xdr", FRAMED), { signal: controller.signal });
    await ledgers.next();
    controller.abort(new Error("enough"));
    await expect(ledgers.next()).rejects.toThrow("enough");
  });
});

describe("ledger files as a source", () => {
  const recorded = network.transactions.find((each) => each.ledger === 380 && each.innerHash);
  const source = openLedgerFiles([saved("source.xdr.zst", zstd(FRAMED))], network.passphrase);

  test("give a transaction by outer and inner hash, and null for another", async () => {
    const found = await source.fetchTransaction?.(recorded?.hash ?? "", context);
    expect(found?.ledgerSequence).toBe(380);
    expect(found?.applicationOrder).toBe(recorded?.applicationOrder ?? 0);
    expect(await source.fetchTransaction?.(recorded?.innerHash ?? "", context)).toEqual(
      found as NonNullable<typeof found>,
    );
    expect(await source.fetchTransaction?.("ab".repeat(32), context)).toBeNull();
  });

  test("give ledgers by sequence", async () => {
    expect(await source.fetchLedgerCloseMeta?.(9, context)).toBeNull();
    expect(await source.fetchLedgerCloseMeta?.(380, context)).toEqual(
      new Uint8Array(LEDGERS[1] as Buffer),
    );
    const range: number[] = [];
    for await (const { sequence } of source.fetchLedgerCloseMetas?.(380, 999, context) ?? []) {
      range.push(sequence);
    }
    expect(range).toEqual([380, 381]);
  });
});

describe("of ledger files, only what is needed is read", () => {
  const GARBAGE = words(7, 7, 7);
  const [first, second, third] = LEDGERS as [Buffer, Buffer, Buffer];
  const framed = (...ledgers: readonly Buffer[]) => Buffer.concat(ledgers.map(frame));
  const open = (...files: readonly (readonly [string, Buffer])[]) =>
    openLedgerFiles(
      files.map(([name, bytes]) => saved(name, bytes)),
      network.passphrase,
    );
  const range = async (source: ReturnType<typeof open>, from: number, to: number) => {
    const sequences: number[] = [];
    for await (const { sequence } of source.fetchLedgerCloseMetas?.(from, to, context) ?? [])
      sequences.push(sequence);
    return sequences;
  };
  const found = async (source: ReturnType<typeof open>, sequence: number) =>
    (await source.fetchLedgerCloseMeta?.(sequence, context)) !== null;

  test.each([
    ["plain", (bytes: Buffer) => bytes],
    ["zstd", zstd],
    ["gzip", (bytes: Buffer) => gzipSync(bytes)],
  ])("nothing after the wanted ledgers: %s", async (name, pack) => {
    const source = open(
      [`${name}-1.xdr`, pack(Buffer.concat([framed(first, second), GARBAGE]))],
      [`${name}-2.xdr`, pack(Buffer.concat([framed(third), GARBAGE]))],
      [`${name}-3.xdr`, GARBAGE],
    );
    expect(await range(source, 379, 380)).toEqual([379, 380]);
    expect(await range(source, 381, 381)).toEqual([381]);
    expect(await range(source, 381, 381)).toEqual([381]);
    for (const sequence of [379, 380, 381]) expect(await found(source, sequence)).toBe(true);
    // What is damaged is said once it is reached, or may hold what no other file has.
    expect((await failureOf(found(source, 378))).code).toBe("FILE_INVALID");
    expect((await failureOf(range(source, 379, 381))).code).toBe("FILE_INVALID");
  });

  test("files in any order are searched for one ledger, and none is read again in vain", async () => {
    const source = open(["any-2.xdr", framed(third)], ["any-1.xdr", framed(first, second)]);
    for (const sequence of [381, 380, 379]) expect(await found(source, sequence)).toBe(true);
    for (const sequence of [999, 999, 1]) expect(await found(source, sequence)).toBe(false);
  });

  test("a ledger that a later file repeats is found, and so is one that only the earlier has", async () => {
    const source = open(
      ["repeated-1.xdr", framed(first, second, third)],
      ["repeated-2.xdr", framed(second)],
    );
    for (const sequence of [379, 380, 381]) expect(await found(source, sequence)).toBe(true);
    expect(await range(source, 379, 380)).toEqual([379, 380]);
  });
});

function zstd(bytes: Buffer): Buffer {
  return zstdCompressSync(bytes);
}
