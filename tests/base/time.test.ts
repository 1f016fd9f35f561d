// Durations in words: rounded, in the unit that a reader expects.

import { expect, test } from "bun:test";
import fc from "fast-check";
import { durationInWords } from "../../src/base/text/time.ts";

test.each([
  [0.2, "less than 1 ms"],
  [12.49, "12 ms"],
  [999.4, "999 ms"],
  [4000.5, "4 s"],
  [4500, "4.5 s"],
  [59_960, "1 min"],
  [125_000.7, "2 min 5 s"],
  [3_599_700, "1 h"],
  [12_000_000, "3 h 20 min"],
] as const)("%p milliseconds are %p", (milliseconds, words) => {
  expect(durationInWords(milliseconds)).toBe(words);
});

test("no duration has more digits than a reader needs, and later ones are never shorter", () => {
  const inMilliseconds = (words: string) => {
    if (words === "less than 1 ms") return 0;
    const sizes = { ms: 1, s: 1000, min: 60_000, h: 3_600_000 };
    const parts = [...words.matchAll(/([\d.]+) (ms|s|min|h)/g)];
    return parts.reduce((sum, [, many, unit]) => sum + Number(many) * sizes[unit as "ms"], 0);
  };
  fc.assert(
    fc.property(fc.double({ min: 0, max: 1e9, noNaN: true }), (milliseconds) => {
      const words = durationInWords(milliseconds);
      expect(words).toMatch(
        /^(less than 1 ms|\d{1,3} ms|\d{1,2}(\.\d)? s|\d{1,2} min( \d{1,2} s)?|\d+ h( \d{1,2} min)?)$/,
      );
      // From a second on, tenths of one; from a minute on, whole seconds.
      const most = Math.max(milliseconds < 999 ? 1 : 50.001, milliseconds / 100);
      expect(Math.abs(inMilliseconds(words) - milliseconds)).toBeLessThanOrEqual(
        most + 30_000 * Number(milliseconds > 3_500_000),
      );
    }),
  );
});
