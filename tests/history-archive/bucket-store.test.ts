// Buckets that a test makes of recorded entries: every key is found, and nothing that is altered is
// kept.

import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { openBucketStore } from "../../src/history-archive/bucket-store.ts";
import { compareKeys } from "../../src/history-archive/key-order.ts";
import { sha256 } from "../../src/xdr/reader/hash.ts";
import { keyBytesOfEntry } from "../../src/xdr/reader/keys.ts";
import { encodeBytes, type Value } from "../../src/xdr/reader/value.ts";

const directory = mkdtempSync(join(tmpdir(), "svc-buckets-"));
afterAll(() => rmSync(directory, { recursive: true }));

const symbol = fc.stringMatching(/^[a-z]{1,12}$/).map((text) => Buffer.from(text));
const scVal: fc.Arbitrary<Value<"ScVal">> = fc.oneof(
  symbol.map((sym) => ({ type: 15, sym })),
  fc.integer().map((i32) => ({ type: 4, i32 })),
  fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n).map((i64) => ({ type: 6, i64 })),
  fc.uint8Array({ maxLength: 40 }).map((bytes) => ({ type: 13, bytes })),
  fc
    .array(
      symbol.map((sym) => ({ type: 15, sym }) as const),
      { maxLength: 3 },
    )
    .map((vec) => ({
      type: 16,
      vec,
    })),
) as fc.Arbitrary<Value<"ScVal">>;
const entry = fc
  .record({
    contract: fc.uint8Array({ minLength: 32, maxLength: 32 }),
    key: scVal,
    ledger: fc.nat(),
  })
  .map(({ contract, key, ledger }) =>
    encodeBytes("LedgerEntry", {
      lastModifiedLedgerSeq: ledger,
      data: {
        type: 6,
        contractData: {
          ext: { v: 0 },
          contract: { type: 1, contractId: contract },
          key,
          durability: 1,
          val: key,
        },
      },
      ext: { v: 0 },
    } as Value<"LedgerEntry">),
  );
/** Entries by their keys, and whether a bucket has the entry or its removal. */
const contents = fc
  .uniqueArray(fc.tuple(entry, fc.boolean()), {
    minLength: 1,
    maxLength: 40,
    selector: ([bytes]) => keyBytesOfEntry(bytes).toBase64(),
  })
  .map((all) =>
    all
      .map(([bytes, removed]) => ({ key: keyBytesOfEntry(bytes), bytes, removed }))
      .sort((one, other) => compareKeys(one.key, other.key)),
  );

type Contents = ReadonlyArray<{ key: Uint8Array; bytes: Uint8Array; removed: boolean }>;

function framed(type: number, body: Uint8Array): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32BE((0x80000000 | (body.length + 4)) >>> 0, 0);
  head.writeInt32BE(type, 4);
  return Buffer.concat([head, body]);
}

function bucketOf(all: Contents): Buffer {
  const description = framed(-1, Buffer.from("0000001600000000", "hex"));
  const records = all.map(({ key, bytes, removed }) =>
    framed(removed ? 1 : 0, removed ? key : bytes),
  );
  return Buffer.concat([description, ...records]);
}

async function* inPieces(bytes: Uint8Array, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

describe("a bucket", () => {
  test("gives each of its keys, read in pieces of any size, and no other", async () => {
    await fc.assert(
      fc.asyncProperty(
        contents,
        fc.integer({ min: 1, max: 500 }),
        entry,
        async (all, size, other) => {
          const bytes = bucketOf(all);
          const hash = sha256(bytes).toHex();
          const store = openBucketStore(directory);
          await store.add(hash, inPieces(bytes, size));
          for (const { key, bytes: value, removed } of all) {
            const word = await store.find(hash, "live", key);
            expect(word?.kind).toBe(removed ? "gone" : "entry");
            if (word?.kind === "entry") expect(word.entry.toBase64()).toBe(value.toBase64());
          }
          const absent = keyBytesOfEntry(other);
          if (!all.some(({ key }) => key.toBase64() === absent.toBase64()))
            expect(await store.find(hash, "live", absent)).toBeNull();
        },
      ),
      { numRuns: 60 },
    );
  });

  test("with one bit changed, or cut off, is refused and leaves nothing", async () => {
    await fc.assert(
      fc.asyncProperty(
        contents,
        fc.nat(),
        fc.nat({ max: 7 }),
        fc.boolean(),
        async (all, at, bit, cut) => {
          const bytes = bucketOf(all);
          const hash = sha256(bytes).toHex();
          const place = at % bytes.length;
          const other = Buffer.from(bytes);
          other[place] = (other[place] ?? 0) ^ (1 << bit);
          const empty = mkdtempSync(join(directory, "altered-"));
          const adding = openBucketStore(empty).add(
            hash,
            inPieces(cut ? bytes.subarray(0, place) : other, 64),
          );
          const code = await adding.then(
            () => "kept",
            (error) => error.code,
          );
          expect(["ARCHIVE_DAMAGED", "XDR_INVALID", "XDR_INCOMPLETE"]).toContain(code);
          expect(readdirSync(empty)).toEqual([]);
        },
      ),
      { numRuns: 100 },
    );
  });
});
