// Contract code is what its hash says, and what was checked is not kept for ever.

import { expect, test } from "bun:test";
import { hasItsHash } from "../../src/xdr/reader/code-hash.ts";
import { sha256 } from "../../src/xdr/reader/hash.ts";

const CONTRACT_CODE = 7;
const MEBIBYTE = 1024 * 1024;

function word(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

/** A LedgerEntry of contract code. */
function entryOf(code: Uint8Array, hash: Uint8Array): string {
  const head = [word(5), word(CONTRACT_CODE), word(0)];
  return Buffer.concat([...head, hash, word(code.length), code, word(0)]).toString("base64");
}

test("code with its hash, code with another, and an entry of another type", () => {
  const code = Buffer.alloc(100, 7);
  for (let again = 0; again < 2; again += 1) {
    expect(hasItsHash(entryOf(code, sha256(code)))).toBe(true);
    expect(hasItsHash(entryOf(code, Buffer.alloc(32)))).toBe(false);
    expect(hasItsHash(Buffer.concat([word(5), word(0), Buffer.alloc(60)]).toString("base64"))).toBe(
      true,
    );
  }
});

test("a thousand codes leave no more behind than a few", () => {
  const check = (number: number) => {
    const code = Buffer.alloc(64 * 1024, number);
    code.writeUInt32BE(number);
    expect(hasItsHash(entryOf(code, sha256(code)))).toBe(true);
  };
  const resident = () => {
    Bun.gc(true);
    return process.memoryUsage().rss;
  };
  const checkAll = (from: number, to: number) => {
    for (let number = from; number < to; number += 1) {
      check(number);
      if (number % 20 === 0) Bun.gc(true);
    }
  };
  checkAll(0, 200);
  const before = resident();
  checkAll(200, 1_000);
  expect(resident() - before).toBeLessThan(32 * MEBIBYTE);
});
