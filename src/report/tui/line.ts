// A line of the screen before it is painted: spans in known columns.

import type { Tone } from "../document/document.ts";

export interface Span {
  readonly text: string;
  readonly tone: Tone;
  /** Column, from 0, at which the span begins, wherever the previous span ended. */
  readonly column?: number;
}

export interface Line {
  readonly spans: readonly Span[];
  /** Highlights the entire line: a bar, or the selected row. */
  readonly bar?: boolean;
  /** The text of the search, highlighted everywhere in the line. */
  readonly mark?: string;
}

export const EMPTY_LINE: Line = { spans: [] };

export function lineOf(text: string, tone: Tone = "plain"): Line {
  return { spans: [{ text, tone }] };
}

/** The line without colors. */
export function plainText({ spans }: Line): string {
  return spans.map(({ text }) => text).join("");
}
