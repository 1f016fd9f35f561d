// Values as JavaScript prints them are read back, and no text of any kind is more than refused.

import { expect, test } from "bun:test";
import { inspect } from "node:util";
import fc from "fast-check";
import { readPrintedLiteral } from "../../src/xdr/outcome/printed-literals.ts";

const key = fc.oneof(fc.stringMatching(/^[a-z_]\w{0,8}$/), fc.string({ maxLength: 8 }));
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small", maxDepth: 4 },
    fc.string({ unit: "grapheme-ascii", maxLength: 20 }),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie("value"), { maxLength: 6 }),
    fc.dictionary(key, tie("value"), { maxKeys: 6, noNullPrototype: true }),
  ),
}));
const whole = fc.oneof(
  fc.array(value, { maxLength: 6 }),
  fc.dictionary(key, value, { noNullPrototype: true }),
);

test("what inspect and JSON print is read back, alone and after words", () => {
  fc.assert(
    fc.property(whole, fc.boolean(), (printed, isWide) => {
      const breakLength = isWide ? Number.POSITIVE_INFINITY : 40;
      const text = inspect(printed, { depth: null, breakLength, maxStringLength: null });
      expect(readPrintedLiteral(text)).toEqual(printed);
      expect(readPrintedLiteral(`Event: ${JSON.stringify(printed)} and more`)).toEqual(printed);
    }),
  );
});

test("large integers stay texts, and what was left out is null", () => {
  const text = "[ 500n, 170141183460469231731687303715884105727n, [Object], Map(1) { 'a' => 1 } ]";
  expect(readPrintedLiteral(text)).toEqual([
    "500",
    "170141183460469231731687303715884105727",
    null,
    { a: 1 },
  ]);
  expect(readPrintedLiteral("[ 1, 2, ... 3 more items ]")).toEqual([1, 2]);
});

test("any other text is undefined, however deep its brackets are", () => {
  fc.assert(fc.property(fc.string({ maxLength: 200 }), (text) => void readPrintedLiteral(text)));
  expect(readPrintedLiteral("[".repeat(100_000))).toBeUndefined();
  expect(readPrintedLiteral("no brackets")).toBeUndefined();
});
