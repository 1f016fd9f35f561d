// The summary of a deciding value in parts, of which each knows the terms whose words it is.

import { type Marked, piecesOf } from "../../base/text/marked.ts";
import { neutralise } from "../../base/text/neutralise.ts";
import type { SummaryPart } from "../../model/explanation.ts";
import type { Term } from "../../model/why.ts";

/** The longest words of each term: those with its value and origin, if the sentence has them. */
export function longestWords({ text, marks }: Marked<Term>): Map<Term, string> {
  const longest = new Map<Term, string>();
  for (const { from, to, thing } of marks)
    if (to - from > (longest.get(thing)?.length ?? 0)) longest.set(thing, text.slice(from, to));
  return longest;
}

/** The parts of the summary. `terms` are those of the conditions, and then of a refused call. */
export function summaryParts(words: Marked<Term>, terms: readonly Term[]): SummaryPart[] {
  const longest = longestWords(words);
  const marks = words.marks.filter(
    ({ from, to, thing }) => longest.get(thing) === words.text.slice(from, to),
  );
  const all = terms.flatMap(inOrder);
  return piecesOf({ ...words, marks }).map(({ text, things }) => ({
    text: neutralise(text),
    terms: [...new Set(things)].flatMap((thing) =>
      all.flatMap((term, number) => (term === thing ? [number] : [])),
    ),
  }));
}

/** The term, those from which it was made, and what it was in another call. */
function inOrder(term: Term): Term[] {
  const { of = [], origin } = term;
  return [term, ...of.flatMap(inOrder), ...(origin === undefined ? [] : inOrder(origin.term))];
}
