import { expect, test } from "bun:test";
import fc from "fast-check";
import { SvcError } from "../../src/base/errors/errors.ts";
import { beginningOf, endingOf, ownText } from "../../src/base/own-text.ts";
import { cutNeutral, neutralise } from "../../src/base/text/neutralise.ts";

test("a text of its own has the same characters", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.nat(20), (text, most) => {
      expect(ownText(text)).toBe(text);
      expect(beginningOf(text, most)).toBe(text.slice(0, most));
      expect(endingOf(text, most)).toBe(most === 0 ? "" : text.slice(-most));
    }),
  );
});

const LARGE = 1024 * 1024;
const KEPT = 20;

/** The memory that is kept with what `shorten` makes of large texts. */
function keptBytes(shorten: (text: string) => unknown): number {
  const kept: unknown[] = [];
  // A text from a parser, as that of a node is.
  const json = JSON.stringify("e".repeat(LARGE));
  Bun.gc(true);
  const before = process.memoryUsage().heapUsed;
  for (let count = 0; count < KEPT; count += 1) kept.push(shorten(JSON.parse(json)));
  Bun.gc(true);
  const bytes = process.memoryUsage().heapUsed - before;
  expect(kept).toHaveLength(KEPT);
  return bytes;
}

test.each<[string, (text: string) => unknown]>([
  ["a beginning", (text) => beginningOf(text, 300)],
  ["an end", (text) => endingOf(text, 300)],
  ["what is cut for people", (text) => cutNeutral(text, 300)],
  [
    "an error with a slice",
    (text) => {
      const message = `The node refused: ${neutralise(text.slice(0, 300))}.`;
      return new SvcError("NETWORK_BAD_ANSWER", { message, remedy: "", details: { message } });
    },
  ],
  [
    "an error with all of it",
    (text) => new SvcError("INTERNAL", { message: text, remedy: text.slice(0, 9) }),
  ],
])("%s does not keep the text that it is from", (_, shorten) => {
  expect(keptBytes(shorten)).toBeLessThan(LARGE * 4);
});
