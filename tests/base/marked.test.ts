// Marks stay on their words, whatever is put around and between them.

import { expect, test } from "bun:test";
import fc from "fast-check";
import {
  distinctMarked,
  joinedMarked,
  listedMarked,
  type Marked,
  marked,
  markedAs,
  piecesOf,
} from "../../src/base/text/marked.ts";

type Sentence = Marked<number>;

/** The words of each mark. */
const wordsOf = ({ text, marks }: Sentence) =>
  marks.map(({ from, to, thing }) => [thing, text.slice(from, to)]);

/** A sentence in which each thing has words that name it, so that a moved mark shows. */
const sentences: fc.Arbitrary<Sentence> = fc.letrec<{ sentence: Sentence; part: Sentence }>(
  (tie) => ({
    sentence: fc.oneof(
      { depthSize: "small" },
      fc.nat(99).map((thing) => markedAs(thing, `<${thing}>`)),
      fc
        .tuple(fc.string(), tie("sentence"), fc.string(), tie("sentence"))
        .map(([before, left, between, right]) => marked`${before}${left}${between}${right}.`),
      fc.array(tie("sentence"), { maxLength: 4 }).map((all) => joinedMarked(all, "; ")),
      fc.array(tie("sentence"), { maxLength: 4 }).map((all) => listedMarked(all)),
    ),
    part: tie("sentence"),
  }),
).sentence;

test("each mark is on the words that it was made with", () => {
  fc.assert(
    fc.property(sentences, (sentence) => {
      for (const [thing, words] of wordsOf(sentence)) expect(words).toBe(`<${thing}>`);
    }),
  );
});

test("the pieces are the sentence, and each mark is a run of whole pieces", () => {
  fc.assert(
    fc.property(sentences, fc.nat(99), (inner, thing) => {
      const sentence = marked<number>`It is ${markedAs(100 + thing, marked`(${inner})`)}.`;
      const pieces = piecesOf(sentence);
      expect(pieces.map(({ text }) => text).join("")).toBe(sentence.text);
      const around = pieces.filter(({ things }) => things.includes(100 + thing));
      expect(around.map(({ text }) => text).join("")).toBe(`(${inner.text})`);
      for (const { things } of around) expect(things[0]).toBe(100 + thing);
      for (const [each, words] of wordsOf(inner)) {
        const own = pieces.filter(({ things }) => things.includes(Number(each)));
        expect(own.map(({ text }) => text).join("")).toContain(String(words));
      }
    }),
  );
});

test("what is said twice is there once, for all that it stands for", () => {
  const twice = distinctMarked([markedAs(1, "a"), markedAs(2, "b"), markedAs(3, "a")]);
  expect(twice.map(({ text }) => text)).toEqual(["a", "b"]);
  expect(twice.map(wordsOf)).toEqual([
    [
      [1, "a"],
      [3, "a"],
    ],
    [[2, "b"]],
  ]);
});

test("a list has its last words after `and`", () => {
  const list = (...words: string[]) => listedMarked(words).text;
  expect([list(), list("a"), list("a", "b"), list("a", "b", "c")]).toEqual([
    "",
    "a",
    "a and b",
    "a, b and c",
  ]);
});
