// Paints lines as bytes for the terminal. Without colors no attribute is sent; brackets, marks and
// words mean the same. Each row and each aligned span is positioned separately, so that a character
// with another width in the terminal does not move anything else.

import type { Tone } from "../document/document.ts";
import type { Line, Span } from "./lines.ts";

const ESCAPE = "\u001b";
const RESET = `${ESCAPE}[0m`;

// Select Graphic Rendition codes (ECMA-48 8.3.117).
const CODES: Readonly<Record<Tone, readonly number[]>> = {
  plain: [],
  heading: [1],
  good: [32],
  bad: [31],
  caution: [33],
  faint: [2],
  alert: [1, 31],
};
const BAR = 7;
const MARK = [1, 4];

/** Returns one text for each row. */
export function paint(lines: readonly Line[], color: boolean): string[] {
  return lines.map((line) => line.spans.map((span) => paintSpan(span, line, color)).join(""));
}

function paintSpan(span: Span, line: Line, color: boolean): string {
  const bar = span.bar ?? line.bar === true;
  const mark = span.mark ?? line.mark ?? "";
  const move = span.column === undefined ? "" : `${ESCAPE}[${span.column + 1}G`;
  if (!color) return move + span.text;
  // Faint text is hard to read on a bar.
  const tone = bar && span.tone === "faint" ? "plain" : span.tone;
  const codes = bar ? [BAR, ...CODES[tone]] : CODES[tone];
  const parts = splitAt(span.text, mark);
  const painted = parts.map((part, i) =>
    attributed(part, i % 2 === 1 ? [...codes, ...MARK] : codes),
  );
  return move + painted.join("");
}

function attributed(text: string, codes: readonly number[]): string {
  if (text === "" || codes.length === 0) return text;
  return `${ESCAPE}[${codes.join(";")}m${text}${RESET}`;
}

/**
 * Returns alternating parts of a text: without the mark, and the mark itself, in upper or lower
 * case.
 */
function splitAt(text: string, mark: string): string[] {
  if (mark === "") return [text];
  const lower = text.toLowerCase();
  // Some letters have another length in lower case, and the positions then do not match.
  if (lower.length !== text.length) return [text];
  const needle = mark.toLowerCase();
  const parts: string[] = [];
  let from = 0;
  for (let at = lower.indexOf(needle); at !== -1; at = lower.indexOf(needle, from)) {
    parts.push(text.slice(from, at), text.slice(at, at + needle.length));
    from = at + needle.length;
  }
  return [...parts, text.slice(from)];
}

/** Returns the bytes that turn one painted screen into the next. Only rows that differ are sent. */
export function difference(previous: readonly string[], next: readonly string[]): string {
  const changed = next.map((row, index) =>
    row === previous[index] ? "" : `${ESCAPE}[${index + 1};1H${ESCAPE}[2K${row}`,
  );
  return changed.join("");
}
