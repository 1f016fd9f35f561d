// svc's own markup in its sentences: a command, a flag or a name in code stands between backticks.
// This file alone reads it. Text that somebody else wrote stands between quotes, in which no
// backtick is a mark; where it has no quotes, such as the symbol of a token, it has no backticks
// either (`neutralInSentence`). So nobody but svc opens or closes a mark.

import { QUOTED } from "./neutralise.ts";

/** A part of a sentence. */
export interface SentencePiece {
  /** Without the backticks around it. */
  readonly text: string;
  readonly isCode: boolean;
}

/** A text in quotes, or marked code. */
const QUOTED_OR_CODE = new RegExp(`${QUOTED.source}|\`([^\`]+)\``, "g");

/**
 * The sentence in pieces; between two pieces of code there is always a text, which can be empty. A
 * backtick without a partner is an ordinary character.
 */
export function codePieces(sentence: string): readonly SentencePiece[] {
  const pieces: SentencePiece[] = [];
  let end = 0;
  for (const { 0: whole, 1: code, index } of sentence.matchAll(QUOTED_OR_CODE)) {
    if (code === undefined) continue;
    pieces.push({ text: sentence.slice(end, index), isCode: false }, { text: code, isCode: true });
    end = index + whole.length;
  }
  return [...pieces, { text: sentence.slice(end), isCode: false }];
}

/** The sentence for a place that shows no code, such as a title. */
export function withoutCodeMarks(sentence: string): string {
  return codePieces(sentence)
    .map(({ text }) => text)
    .join("");
}
