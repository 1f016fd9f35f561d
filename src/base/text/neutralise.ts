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

/** No sentence needs more of a text that somebody else wrote. */
export const SHOWN_QUOTE = 240;

/** Says that a text has no visible character; null: it has one. A sentence has no empty place. */
export function blankInWords(text: string): "(empty)" | "(blank)" | null {
  if (text === "") return "(empty)";
  return /\S/.test(text) ? null : "(blank)";
}

/**
 * Quotes a text from the chain within a sentence of svc. The text cannot close its quotes, and has
 * no backticks: svc's own commands stand in those, and an agent follows them. A blank text is shown
 * without quotes, as `(empty)` or `(blank)`. `most`: of the result.
 */
export function quotedText(text: string, most = Number.POSITIVE_INFINITY): string {
  const blank = blankInWords(text);
  if (blank !== null) return blank;
  // Characters that are left out anyway need no escape.
  const quoted = withoutBackticks(JSON.stringify(neutralise(text.slice(0, most))));
  if (text.length <= most && quoted.length <= most) return quoted;
  return shortQuote(quoted.length > most ? quoted : `${quoted.slice(0, -1)}…"`, most);
}

/**
 * Returns text that somebody else wrote for a place in a sentence of svc where it stands without
 * quotes, such as the symbol of a token. It has no quote, and no mark of svc around code.
 */
export function neutralInSentence(text: string): string {
  return withoutBackticks(neutralise(text)).replaceAll('"', visible);
}

/** Writes backticks as `\u{60}`: an agent follows the commands of svc, which stand in those. */
export function withoutBackticks(text: string): string {
  return text.replaceAll("`", visible);
}

/** From one quote to the next that is not escaped. */
export const QUOTED = /"(?:[^"\\]|\\.)*"/g;

/** Cuts each text that a sentence quotes to `most` characters, and closes its quotes again. */
export function withShortQuotes(sentence: string, most = SHOWN_QUOTE): string {
  if (sentence.length <= most) return sentence;
  return sentence.replace(QUOTED, (quoted) => shortQuote(quoted, most));
}

function shortQuote(quoted: string, most: number): string {
  return quoted.length <= most ? quoted : `${cutNeutral(quoted.slice(0, -1), most - 2)}…"`;
}

/** Does as `cutVisibly`; a text within quotes stays within them. */
export function cutSentence(sentence: string, most: number): string {
  if (sentence.length <= most) return sentence;
  const cut = cutNeutral(sentence, most - 2);
  return cut.replace(QUOTED, "").includes('"') ? `${cut}…"` : `${cut}…`;
}

/** Replaces the backticks of texts that somebody else wrote in a sentence that quotes them. */
export function quotedWithoutBackticks(sentence: string): string {
  if (!sentence.includes("`") || !sentence.includes('"')) return sentence;
  return sentence.replace(QUOTED, withoutBackticks);
}

// GitHub's runner obeys `::command::` at the start of a line, also after spaces, and the older
// `##[command]` anywhere in a line.
const COMMAND_START = /^([^\S\n]*):(?=:)|#(?=#\[)/gm;

/** Makes a report safe for such a log: no line is a workflow command. All other text stays. */
export function neutraliseCommands(text: string): string {
  return text.replace(COMMAND_START, (match, blanks: string | undefined) =>
    match === "#" ? visible("#") : `${blanks ?? ""}${visible(":")}`,
  );
}

function visible(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
