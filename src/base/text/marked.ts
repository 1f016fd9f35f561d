// A sentence with marks: parts of it are the words for a thing, such as a value that it is about.
// The marks are made together with the words, so no code searches the finished sentence.

export interface Marked<Thing> {
  readonly text: string;
  /** In any order. One mark may be within another. */
  readonly marks: readonly TextMark<Thing>[];
}

export interface TextMark<Thing> {
  /** Positions in the text: of the first character, and after the last. */
  readonly from: number;
  readonly to: number;
  readonly thing: Thing;
}

/** Words, with marks or without. */
export type MarkedOrPlain<Thing> = string | Marked<Thing>;

export function plainWords<Thing>(text: string): Marked<Thing> {
  return { text, marks: [] };
}

/** Makes a sentence from a template. The marks of its values stay on their words. */
export function marked<Thing>(
  texts: TemplateStringsArray,
  ...values: readonly (MarkedOrPlain<Thing> | number)[]
): Marked<Thing> {
  return together(texts.flatMap((text, i) => [text, wordsOf(values[i] ?? "")]));
}

/** The words, marked as those for the thing. */
export function markedAs<Thing>(thing: Thing, words: MarkedOrPlain<Thing>): Marked<Thing> {
  const { text, marks } = wordsOf(words);
  return { text, marks: [...marks, { from: 0, to: text.length, thing }] };
}

/** The parts with a separator between them. */
export function joinedMarked<Thing>(
  parts: readonly MarkedOrPlain<Thing>[],
  separator: string,
): Marked<Thing> {
  return together(parts.flatMap((part, i) => (i === 0 ? [part] : [separator, part])));
}

/** A list in a sentence: `a`, `a and b`, `a, b and c`. */
export function listedMarked<Thing>(parts: readonly MarkedOrPlain<Thing>[]): Marked<Thing> {
  const last = parts.at(-1) ?? "";
  if (parts.length < 2) return wordsOf(last);
  return together([joinedMarked(parts.slice(0, -1), ", "), " and ", last]);
}

/** Each text once, with the marks of all that have it. */
export function distinctMarked<Thing>(parts: readonly Marked<Thing>[]): Marked<Thing>[] {
  const byText = Map.groupBy(parts, ({ text }) => text);
  return [...byText].map(([text, alike]) => ({ text, marks: alike.flatMap(({ marks }) => marks) }));
}

/** A part of a sentence, and the things whose words it belongs to, the longest words first. */
export interface MarkedPiece<Thing> {
  readonly text: string;
  readonly things: readonly Thing[];
}

/** The sentence in pieces, none of which a mark begins or ends within. */
export function piecesOf<Thing>({ text, marks }: Marked<Thing>): MarkedPiece<Thing>[] {
  const ends = new Set([0, text.length, ...marks.flatMap(({ from, to }) => [from, to])]);
  const borders = [...ends].sort((left, right) => left - right);
  const longestFirst = marks.toSorted((left, right) => right.to - right.from - left.to + left.from);
  return borders.slice(1).map((to, i) => {
    const from = borders[i] ?? 0;
    const around = longestFirst.filter((mark) => mark.from <= from && to <= mark.to);
    return { text: text.slice(from, to), things: around.map(({ thing }) => thing) };
  });
}

function wordsOf<Thing>(words: MarkedOrPlain<Thing> | number): Marked<Thing> {
  return typeof words === "object" ? words : { text: String(words), marks: [] };
}

function together<Thing>(parts: readonly MarkedOrPlain<Thing>[]): Marked<Thing> {
  const marks: TextMark<Thing>[] = [];
  let text = "";
  for (const part of parts) {
    const words = wordsOf(part);
    const begin = text.length;
    for (const { from, to, thing } of words.marks)
      marks.push({ from: begin + from, to: begin + to, thing });
    text += words.text;
  }
  return { text, marks };
}
