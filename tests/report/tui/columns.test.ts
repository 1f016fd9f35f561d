// Text in columns.

import { expect, test } from "bun:test";
import fc from "fast-check";
import { neutralise } from "../../../src/base/text/neutralise.ts";
import { cut, fitColumns, widthOf, wrapColumns } from "../../../src/report/tui/columns.ts";

test("characters of two columns, one, or none", () => {
  const widths = ["a", "é", "漢", "👍", "🏽", "🇩", "\u0301", "…"].map(widthOf);
  expect(widths).toEqual([1, 1, 2, 2, 2, 2, 0, 1]);
});

test("cut and fitColumns never exceed the width, and cut only texts that are too long", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "binary", maxLength: 200 }),
      fc.integer({ min: 0, max: 120 }),
      fc.constantFrom("…", "...", ""),
      (text, width, more) => {
        expect(widthOf(cut(text, width, more))).toBeLessThanOrEqual(width);
        expect(widthOf(fitColumns(text, width, more))).toBe(width);
      },
    ),
  );
  expect(cut("0123456789", 10, "…")).toBe("0123456789");
  expect(cut("0123456789x", 10, "…")).toBe("012345678…");
  expect(fitColumns("漢字漢字", 7, "…")).toBe("漢字漢…");
  expect(fitColumns("漢字漢字", 6, "…")).toBe("漢字… ");
});

test("wrapped lines contain the complete text", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "binary", maxLength: 300 }),
      fc.integer({ min: 2, max: 100 }),
      (text, width) => {
        const lines = wrapColumns(text, width);
        for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(width);
        const bare = (all: string) => all.replaceAll(" ", "");
        expect(bare(lines.join(""))).toBe(bare(neutralise(text)));
      },
    ),
  );
  expect(wrapColumns("one two three", 8)).toEqual(["one two", "three"]);
  expect(wrapColumns("abcdefghij", 4)).toEqual(["abcd", "efgh", "ij"]);
});

test("a text of a megabyte is cut immediately, with its length", () => {
  const lines = wrapColumns("漢".repeat(1_000_000), 78);
  expect(lines.slice(-2).join(" ")).toContain("1,000,000 characters; see --json");
  expect(cut("漢".repeat(1_000_000), 9, "…")).toBe("漢漢漢漢…");
});
