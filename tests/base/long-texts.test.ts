import { expect, test } from "bun:test";
import fc from "fast-check";
import { LongText, parseWithLongTexts } from "../../src/base/text/long-texts.ts";
import { accepts } from "../support/accepts.ts";

const LEAST = 4 * 1024;
const bytesOf = (text: string) => new TextEncoder().encode(text);

/** The value with its long texts as strings again. */
function whole(value: unknown): unknown {
  if (value instanceof LongText) return value.toString();
  if (Array.isArray(value)) return value.map(whole);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, whole(each)]));
}

const long = fc
  .tuple(fc.string({ unit: "grapheme-ascii" }), fc.integer({ min: LEAST - 9, max: LEAST + 9 }))
  .map(([text, length]) => "A".repeat(length) + text);
const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { depthSize: "small" },
    long,
    fc.jsonValue(),
    fc.array(tie("any"), { maxLength: 4 }),
    fc.dictionary(fc.string(), tie("any"), { maxKeys: 4 }),
  ),
})).any;

test("a value is that of JSON.parse", () => {
  fc.assert(
    fc.property(value, fc.constantFrom(undefined, 1), (each, space) => {
      const text = JSON.stringify(each, null, space);
      expect(whole(parseWithLongTexts(bytesOf(text)))).toEqual(JSON.parse(text));
    }),
    { numRuns: 300 },
  );
});

test("long strings without escapes stay in the text, and others do not", () => {
  const kinds = ["A".repeat(LEAST), `\n${"A".repeat(LEAST)}`, "A".repeat(100)];
  const parsed = parseWithLongTexts(bytesOf(JSON.stringify(kinds))) as readonly unknown[];
  expect(parsed.map((each) => each instanceof LongText)).toEqual([true, false, false]);
  expect(parsed.map(String)).toEqual(kinds);
});

test("a text that is damaged beside the long strings is JSON exactly if JSON.parse takes it", () => {
  const text = JSON.stringify({ ledgers: [{ metadataXdr: "A".repeat(LEAST) }], latestLedger: 7 });
  const outside = [...Array(28).keys(), ...Array.from({ length: 22 }, (_, at) => text.length - at)];
  for (const place of outside)
    for (const character of ["", "{", '"', "\\", "\u0001"]) {
      const damaged = text.slice(0, place) + character + text.slice(place + 1);
      const isJson = accepts(() => JSON.parse(damaged));
      expect(accepts(() => parseWithLongTexts(bytesOf(damaged)))).toBe(isJson);
    }
  expect(accepts(() => parseWithLongTexts(bytesOf(text.slice(0, LEAST))))).toBe(false);
});
