import { expect, test } from "bun:test";
import fc from "fast-check";
import { jsonSkeleton } from "../../src/base/text/json-skeleton.ts";
import { accepts } from "../support/accepts.ts";

const KEPT = 1024;
const bytesOf = (text: string) => new TextEncoder().encode(text);
const isJson = (text: string) => accepts(() => JSON.parse(text));

/** The value with its long plain strings cut, as the skeleton has them. */
function cut(value: unknown): unknown {
  if (typeof value === "string") return /^[ !#-[\]-~]*$/.test(value) ? value.slice(0, KEPT) : value;
  if (Array.isArray(value)) return value.map(cut);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, cut(each)]));
}

const long = fc
  .tuple(fc.string({ unit: "binary" }), fc.integer({ min: 1_000, max: 1_100 }), fc.boolean())
  .map(([text, length, plain]) => (plain ? "A".repeat(length) : "A".repeat(length) + text));
const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { depthSize: "small" },
    long,
    fc.jsonValue(),
    fc.array(tie("any"), { maxLength: 3 }),
  ),
})).any;

test("it has everything but the ends of long plain strings", () => {
  fc.assert(
    fc.property(value, (each) => {
      const parsed = JSON.parse(JSON.stringify(each));
      expect(JSON.parse(jsonSkeleton(bytesOf(JSON.stringify(each))))).toEqual(cut(parsed));
    }),
  );
});

test("it is JSON exactly if the text is, wherever that is damaged", () => {
  const damage = fc.tuple(
    fc.nat(5_000),
    fc.constantFrom('"', "\\", "{", "]", ",", "\n", "\u0001", ""),
  );
  fc.assert(
    fc.property(value, damage, (each, [at, character]) => {
      const text = JSON.stringify(each);
      const place = at % (text.length + 1);
      const damaged = text.slice(0, place) + character + text.slice(place + 1);
      expect(isJson(jsonSkeleton(bytesOf(damaged)))).toBe(isJson(damaged));
    }),
    { numRuns: 300 },
  );
});

test("what is not UTF-8 stays as it is", () => {
  const text = Buffer.from([0x22, ...new Uint8Array(2_000).fill(0x41), 0xff, 0x22]);
  expect(jsonSkeleton(text)).toBe(new TextDecoder().decode(text));
});
