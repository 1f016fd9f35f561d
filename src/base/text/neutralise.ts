// Text from the chain, from nodes and from files is hostile: it can move the cursor, change colors,
// reorder what a person reads (Unicode TR36, "Trojan Source") or be invisible. All such text passes
// through here before a person sees it. Each control, format, separator, invisible or
// unpaired-surrogate character is replaced by \u{hex}.

import { beginningOf } from "../own-text.ts";
import { grouped } from "./grouped.ts";

// Cc: controls. Cf: format (bidi, zero width, tags). Zl and Zp: separators. Cs: lone surrogates.
// The rest are the characters that Unicode calls default ignorable (fillers, variation selectors).
const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}]/gu;
const UNSAFE_IN_LINES = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}]/gu;

/** Returns one line of text that is safe to print. Line breaks are replaced too. */
export function neutralise(text: string): string {
  return text.replace(UNSAFE, visible);
}

/**
 * Returns several lines of text that are safe to print. `
 * ` stays.
 */
export function neutraliseLines(text: string): string {
  return text.replace(UNSAFE_IN_LINES, visible);
}

/** Matches an incomplete surrogate pair, or an incomplete escape of `neutralise`, at the end. */
const CUT_WITHIN = /(?:[\ud800-\udbff]|\\(?:u(?:\{[0-9a-f]*)?)?)$/;

/**
 * Returns the beginning of neutralized text, at most `most` characters. The result is neutralized
 * too.
 */
export function cutNeutral(text: string, most: number): string {
  return text.length <= most ? text : beginningOf(text, most).replace(CUT_WITHIN, "");
}

/** Does the same, with an ellipsis at the cut. */
export function cutVisibly(text: string, most: number): string {
  return text.length <= most ? text : `${cutNeutral(text, most - 1)}…`;
}

/** Cuts the text and adds its full length if it was cut. `more` is added to that. */
export function shortened(text: string, most: number, more = ""): string {
  if (text.length <= most) return text;
  return `${cutNeutral(text, most)}... (${grouped(text.length)} characters${more})`;
}

/**
 * Quotes a text from the chain within a sentence of svc. The text cannot close its quotes, and has
 * no backticks: svc's own commands stand in those, and an agent follows them.
 */
export function quotedText(text: string): string {
  return JSON.stringify(neutralise(text)).replaceAll("`", visible);
}

// GitHub's runner obeys `::command::` at the start of a line, also after spaces, and the older
// `##[command]` anywhere in a line.
const COMMAND_START = /^([^\S\n]*):(?=:)|#(?=#\[)/gm;

/** Makes a report safe for such a log: no line is a workflow command. All other text stays. */
export function neutraliseCommands(text: string): string {
  return text.replace(COMMAND_START, (found, blanks: string | undefined) =>
    found === "#" ? visible("#") : `${blanks ?? ""}${visible(":")}`,
  );
}

function visible(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
