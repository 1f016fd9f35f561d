import { expect, test } from "bun:test";
import { Secret } from "../../src/base/terminal/secret.ts";
import { publicKeyOfPoint } from "../../src/signing/token-keys.ts";

const KEY = Buffer.alloc(32, 0xab);

test("CKA_EC_POINT as an octet string, as a bit string and raw", () => {
  for (const header of ["0420", "032100", ""]) {
    const point = Buffer.concat([Buffer.from(header, "hex"), KEY]);
    expect(publicKeyOfPoint(point)).toEqual(new Uint8Array(KEY));
  }
});

test("anything else is not a public key", () => {
  const others = ["", "04", "0421", "042004", "0440", "ff"];
  for (const header of others.slice(1))
    expect(publicKeyOfPoint(Buffer.concat([Buffer.from(header, "hex"), KEY]))).toBeNull();
  for (const length of [0, 31, 57, 64]) expect(publicKeyOfPoint(Buffer.alloc(length))).toBeNull();
});

test("a secret cannot be printed, and is overwritten when it is disposed of", () => {
  const bytes = new TextEncoder().encode("4711");
  {
    using secret = new Secret(bytes);
    expect(secret.use((text) => text)).toBe("4711");
    const shown = [JSON.stringify({ secret }), String(secret), Bun.inspect(secret)].join();
    expect(shown).not.toContain("4711");
    expect(shown).not.toContain("52");
  }
  expect([...bytes]).toEqual([0, 0, 0, 0]);
});
