// The fast check gives the same answer as the exact one.

import { expect, test } from "bun:test";
import fc from "fast-check";
import { isBase64 } from "../../src/base/text/base64.ts";

const EXACT = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

test("a text is base64 exactly when its alphabet and its padding are right", () => {
  const likely = fc.string({ unit: fc.constantFrom(..."AZaz09+/=-_ \n\0é\ud83d"), maxLength: 12 });
  const spoilt = fc
    .tuple(fc.uint8Array({ maxLength: 40 }), fc.nat(60), likely)
    .map(([bytes, at, more]) => {
      const text = Buffer.from(bytes).toString("base64");
      return text.slice(0, at) + more + text.slice(at);
    });
  fc.assert(
    fc.property(fc.oneof(likely, spoilt, fc.string(), fc.base64String()), (text) => {
      expect([text, isBase64(text)]).toEqual([text, EXACT.test(text)]);
    }),
    { numRuns: 5_000 },
  );
});

test("a long text is checked as a short one, to its last character", () => {
  for (const bytes of [65_534, 65_535, 65_536, 65_537, 65_538, 200_000]) {
    const text = Buffer.alloc(bytes, 0xfb).toString("base64");
    const spoilt = `${text.slice(0, -6)}*${text.slice(-5)}`;
    expect([bytes, isBase64(text), isBase64(spoilt)]).toEqual([bytes, true, false]);
  }
});
