// The first sentence of a text ends where svc ended it, whatever the text quotes.

import { expect, test } from "bun:test";
import fc from "fast-check";
import { quotedText } from "../../src/base/text/neutralise.ts";
import { firstSentence } from "../../src/base/text/sentence.ts";

test("a quoted text does not end the sentence that quotes it", () => {
  fc.assert(
    fc.property(fc.string(), fc.constantFrom(". It", "! No", "? add(", ""), (before, ending) => {
      const quoted = quotedText(`${before}${ending} more`);
      const first = `The contract failed with ${quoted}.`;
      expect(firstSentence(`${first} A second sentence.`)).toBe(first);
      expect(firstSentence(first)).toBe(first);
    }),
  );
});

test("a name in code or a call begins the second sentence too", () => {
  expect(firstSentence("It failed. `add` was called.")).toBe("It failed.");
  expect(firstSentence("It failed! add(a: 1) was called.")).toBe("It failed!");
  expect(firstSentence("It has 1.5 of e.g. that")).toBe("It has 1.5 of e.g. that");
});
