// Text in terminal columns. Every text passes `neutralise` here, whoever wrote it. A character's
// width is taken by itself, never joined with its neighbours: terminals disagree on what they join,
// and too wide a guess leaves a gap where too narrow a one would break the layout.

import { grouped } from "../../base/text/grouped.ts";
import { cutNeutral, neutralise } from "../../base/text/neutralise.ts";

const PRINTABLE_ASCII = /^[\x20-\x7e]*$/;
// Half a flag: some terminals draw each in two columns.
const REGIONAL_INDICATOR = /^[\u{1f1e6}-\u{1f1ff}]$/u;
/** Beyond this a text is for --json; it bounds what one redraw costs. */
const LONGEST_TEXT = 20_000;

/** Of text without control characters. */
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

/** At most `width` columns; `more` stands at the end of what was cut. */
export function cut(text: string, width: number, more: string): string {
  if (width <= 0) return "";
  // No character is narrower than nothing, so what lies far behind cannot be seen.
  const safe = neutralise(text.slice(0, width * 4 + 8));
  if (safe.length < width * 4 && widthOf(safe) <= width) return safe;
  const room = width - widthOf(more);
  return room < 0 ? start(safe, width) : `${start(safe, room)}${more}`;
}

/** The longest beginning that fits. */
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

/** Exactly `width` columns. */
export function fit(text: string, width: number, more: string): string {
  const fitting = cut(text, width, more);
  return fitting + " ".repeat(Math.max(0, width - widthOf(fitting)));
}

/** Words in lines of at most `width` columns; a word that is wider goes on in the next line. */
export function wrapColumns(text: string, width: number): string[] {
  const room = Math.max(2, width);
  const lines: string[] = [];
  let line = "";
  for (let word of neutralise(shortened(text)).split(" ")) {
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

function shortened(text: string): string {
  if (text.length <= LONGEST_TEXT) return text;
  return `${cutNeutral(text, LONGEST_TEXT)}... (${grouped(text.length)} characters; see --json)`;
}
