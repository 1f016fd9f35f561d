// A line of the screen before it is painted: spans in columns that are known beforehand.

import type { Tone } from "./outline.ts";

export interface Span {
  readonly text: string;
  readonly tone: Tone;
  /** Column from 0, where the span must begin wherever the one before it ended. */
  readonly column?: number;
}

export interface Line {
  readonly spans: readonly Span[];
  /** The whole line stands out: a bar, or the selected row. */
  readonly bar?: boolean;
  /** What is searched for; shown wherever it stands in the line. */
  readonly mark?: string;
}

export const EMPTY_LINE: Line = { spans: [] };

export function lineOf(text: string, tone: Tone = "plain"): Line {
  return { spans: [{ text, tone }] };
}

/** What a reader without colour sees. */
export function plainText({ spans }: Line): string {
  return spans.map(({ text }) => text).join("");
}
