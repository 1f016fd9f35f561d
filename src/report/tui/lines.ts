// The lines of a screen before they are painted: spans in known columns.

import type { Tone } from "../document/document.ts";

export interface Span {
  readonly text: string;
  readonly tone: Tone;
  /** The column, from 0, at which the span begins, wherever the previous span ended. */
  readonly column?: number;
  /** A span without its own values has the line's `bar` and `mark`. */
  readonly bar?: boolean;
  readonly mark?: string;
}

export interface Line {
  readonly spans: readonly Span[];
  /** Highlights the entire line, such as a bar or the selected row. */
  readonly bar?: boolean;
  /** The text of the search, which is highlighted everywhere in the line. */
  readonly mark?: string;
}

export const EMPTY_LINE: Line = { spans: [] };

/** Returns exactly as many lines as there are rows. */
export function filledTo(rows: number, lines: readonly Line[]): Line[] {
  return Array.from({ length: Math.max(0, rows) }, (_, row) => lines[row] ?? EMPTY_LINE);
}

/** Joins two columns of lines. Highlights of one column end where the other begins. */
export function beside(left: readonly Line[], right: readonly Line[], column: number): Line[] {
  return left.map((line, row) => {
    const other = right[row] ?? EMPTY_LINE;
    const moved = other.spans.map((span) => ({ ...span, column: (span.column ?? 0) + column }));
    return {
      spans: [...line.spans, ...moved].map((span, at) => {
        const { bar = false, mark = "" } = at < line.spans.length ? line : other;
        return { ...span, bar, mark };
      }),
    };
  });
}

export function lineOf(text: string, tone: Tone = "plain"): Line {
  return { spans: [{ text, tone }] };
}

/** Returns the text of the line without colors. */
export function plainText({ spans }: Line): string {
  return spans.map(({ text }) => text).join("");
}
