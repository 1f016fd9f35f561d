// JSON that is printed: the value that was given, and nothing that a terminal obeys or hides.

import { expect, test } from "bun:test";
import fc from "fast-check";
import { jsonDocument, jsonDocumentPieces } from "../../src/base/text/json-document.ts";

/** Any text, with many of the characters that are escaped. */
const text = fc.string({
  unit: fc.oneof(
    fc.constantFrom(
      "\u0085",
      "\u009b",
      "\u007f",
      "\u202e",
      "\u2028",
      "\u{e0041}",
      "\ud800",
      "#",
      "[",
    ),
    fc.string({ minLength: 1, maxLength: 1, unit: "binary" }),
  ),
});

test("every value survives, and nothing of it is hidden, in its names and its texts", () => {
  fc.assert(
    fc.property(fc.dictionary(text, fc.oneof(text, fc.array(text))), (value) => {
      const document = jsonDocument(value);
      expect(JSON.parse(document)).toEqual(JSON.parse(JSON.stringify(value)));
      expect(document.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u);
      expect(document).not.toContain("##[");
    }),
    { numRuns: 300 },
  );
});

test("a C1 control is written as an escape", () => {
  expect(jsonDocument({ a: "x\u009b31m" }, undefined, 0)).toBe('{"a":"x\\u009b31m"}\n');
});

test("a document in pieces is the document", () => {
  const row = fc.jsonValue().filter((value) => value !== undefined);
  const other = fc.dictionary(text, fc.jsonValue());
  fc.assert(
    fc.property(fc.array(row), other, other, (rows, before, after) => {
      const around = { ...before, rows: [] as never[], after };
      const pieces = [...jsonDocumentPieces(around, "rows", rows)].join("");
      expect(pieces).toBe(jsonDocument({ ...around, rows }));
    }),
    { numRuns: 300 },
  );
});
