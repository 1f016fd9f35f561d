// Hostile text: nothing that moves a cursor, hides or reorders gets through, and nothing else
// changes.

import { expect, test } from "bun:test";
import fc from "fast-check";
import {
  cutNeutral,
  cutVisibly,
  neutralise,
  neutraliseCommands,
  neutraliseLines,
} from "../../src/base/text/neutralise.ts";

const HOSTILE = [
  ...range(0x00, 0x1f),
  ...range(0x7f, 0x9f),
  0xad,
  0x061c,
  0x180e,
  ...range(0x200b, 0x200f),
  ...range(0x2028, 0x202e),
  ...range(0x2060, 0x206f),
  0x3164,
  0xfe0f,
  0xfeff,
  ...range(0xfff9, 0xfffb),
  0xd800,
  0xdfff,
  0xe0001,
  0xe0041,
  0xe0100,
];

test("each hostile character becomes its visible code point", () => {
  for (const point of HOSTILE) {
    const text = String.fromCodePoint(point);
    expect(neutralise(`a${text}b`)).toBe(`a\\u{${point.toString(16)}}b`);
  }
});

test("a terminal escape is shown, not obeyed", () => {
  expect(neutralise("\u001b[2J\u001b]0;owned\u0007")).toBe("\\u{1b}[2J\\u{1b}]0;owned\\u{7}");
});

test("whatever comes in, nothing hostile comes out", () => {
  const anyText = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.array(fc.constantFrom(...HOSTILE)).map((points) => String.fromCodePoint(...points)),
    fc.array(fc.integer({ min: 0, max: 0xffff })).map((units) => String.fromCharCode(...units)),
  );
  fc.assert(
    fc.property(anyText, (text) => {
      const shown = neutralise(text);
      for (const character of shown) {
        const point = character.codePointAt(0) ?? 0;
        expect(HOSTILE.includes(point)).toBe(false);
        expect(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u.test(character)).toBe(false);
      }
      expect(neutralise(shown)).toBe(shown);
      expect(neutraliseLines(text).replaceAll("\n", "\\u{a}")).toBe(shown);
    }),
    { numRuns: 2000 },
  );
});

test("honest text of any language stays as it is", () => {
  for (const text of ["transfer 10 XLM", "naïve – “quoted”", "日本語", "ελληνικά", "עברית", "🚀"])
    expect(neutralise(text)).toBe(text);
});

test("no line is a workflow command, and nothing else changes", () => {
  expect(neutraliseCommands("a\n::error::b\n \t::x y::\n::")).toBe(
    "a\n\\u{3a}:error::b\n \t\\u{3a}:x y::\n\\u{3a}:",
  );
  expect(neutraliseCommands("a ##[error]b ###[c")).toBe("a \\u{23}#[error]b #\\u{23}#[c");
  const honest = "Foo::bar ## [x] # [y]\n  a :: b\n\n: c";
  expect(neutraliseCommands(honest)).toBe(honest);
});

test("the beginning of neutralised text is neutral, and never less by more than an escape", () => {
  const parts = fc.constantFrom("a", "\u{10000}", "\u{10ffff}", "\u202e", "\u0007", "\ud800");
  fc.assert(
    fc.property(fc.array(parts), fc.nat(60), (units, most) => {
      const text = neutralise(units.join(""));
      const cut = cutNeutral(text, most);
      expect(text.startsWith(cut)).toBe(true);
      expect(neutralise(cut)).toBe(cut);
      expect(cut.length).toBeLessThanOrEqual(most);
      expect(cut.length).toBeGreaterThan(Math.min(most, text.length) - "\\u{10ffff}".length);
      expect(cut).not.toMatch(/\\(?:u(?:\{[0-9a-f]*)?)?$/);
    }),
  );
});

test("a visibly cut text ends with an ellipsis, and is not longer than the limit", () => {
  expect(cutVisibly("as it is", 8)).toBe("as it is");
  expect(cutVisibly("nine long", 8)).toBe("nine lo…");
  expect(cutVisibly(neutralise("nine\u202elong"), 8)).toBe("nine…");
});

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}
