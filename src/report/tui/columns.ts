// Text in terminal columns. Every text passes `neutralise` here. The width of each character is
// counted separately, because terminals disagree on which characters they join: a width that is too
// large only leaves a gap, but one that is too small would break the layout.

import { neutralise, shortened } from "../../base/text/neutralise.ts";

const PRINTABLE_ASCII = /^[\x20-\x7e]*$/;
// Two regional indicators form a flag, and some terminals draw each of them in two columns.
const REGIONAL_INDICATOR = /^[\u{1f1e6}-\u{1f1ff}]$/u;
/** Longer texts are only in `--json`, so that a redraw stays cheap. */
const LONGEST_TEXT = 20_000;

/** Counts the columns of a text without control characters. */
export function widthOf(text: string): number {
  if (PRINTABLE_ASCII.test(text)) return text.length;
  let width = 0;
  for (const character of text) width += widthOfCharacter(character);
  return width;
}

function widthOfCharacter(character: string): number {
  if (REGIONAL_INDICATOR.test(character)) return 2;
  return Bun.stringWidth(character);
}

/** Texts are shortened with this sign. Terminals without Unicode have `more` in its place. */
const ELLIPSIS = "…";

/** Returns at most `width` columns. A text that is cut ends with `more`. */
export function cut(text: string, width: number, more: string): string {
  if (width <= 0) return "";
  // Characters far beyond the width cannot be visible.
  const safe = withMore(neutralise(text.slice(0, width * 4 + 8)), more);
  if (safe.length < width * 4 && widthOf(safe) <= width) return safe;
  const room = width - widthOf(more);
  return room < 0 ? start(safe, width) : `${start(safe, room)}${more}`;
}

function withMore(text: string, more: string): string {
  return more === "" || more === ELLIPSIS ? text : text.replaceAll(ELLIPSIS, more);
}

/** Returns the longest prefix that fits. */
function start(text: string, width: number): string {
  let taken = 0;
  let used = 0;
  for (const character of text) {
    used += widthOfCharacter(character);
    if (used > width) break;
    taken += character.length;
  }
  return text.slice(0, taken);
}

/** Returns exactly `width` columns. */
export function fitColumns(text: string, width: number, more: string): string {
  const fitting = cut(text, width, more);
  return fitting + " ".repeat(Math.max(0, width - widthOf(fitting)));
}

/** Wraps words into lines of at most `width` columns. A wider word continues on the next line. */
export function wrapColumns(text: string, width: number, more = ELLIPSIS): string[] {
  const room = Math.max(2, width);
  const lines: string[] = [];
  let line = "";
  for (let word of withMore(neutralise(shortened(text, LONGEST_TEXT, "; see --json")), more).split(
    " ",
  )) {
    if (line !== "" && widthOf(line) + 1 + widthOf(word) <= room) {
      line += ` ${word}`;
      continue;
    }
    if (line !== "") lines.push(line);
    for (let part = start(word, room); part !== word; part = start(word, room)) {
      lines.push(part);
      word = word.slice(part.length);
    }
    line = word;
  }
  lines.push(line);
  return lines;
}
