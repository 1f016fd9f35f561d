// Text from the chain, from nodes and from files is hostile: it can move the cursor, recolour the
// terminal, reorder what a person reads (Unicode TR36, "Trojan Source") or hide in plain sight.
// Every such text passes here before a person sees it. The result holds no control, format,
// separator, invisible or unpaired-surrogate character; each stands as \u{hex}.

// Cc controls, Cf format (bidi, zero width, tags), Zl and Zp separators, Cs lone surrogates, and
// what Unicode itself calls ignorable when drawn (fillers, variation selectors).
const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}]/gu;
const UNSAFE_IN_LINES = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}]/gu;

/** One line of text that is safe to print; line breaks become visible too. */
export function neutralise(text: string): string {
  return text.replace(UNSAFE, visible);
}

/** The same for text of our own layout around hostile values: keeps `\n`. */
export function neutraliseLines(text: string): string {
  return text.replace(UNSAFE_IN_LINES, visible);
}

/** What ends inside a surrogate pair or an escape of `neutralise`. */
const CUT_WITHIN = /(?:[\ud800-\udbff]|\\(?:u(?:\{[0-9a-f]*)?)?)$/;

/** The beginning of neutralised text, at most so many characters, which is neutral too. */
export function cutNeutral(text: string, most: number): string {
  return text.length <= most ? text : text.slice(0, most).replace(CUT_WITHIN, "");
}

/** The same, with an ellipsis in the place of what is cut. */
export function cutVisibly(text: string, most: number): string {
  return text.length <= most ? text : `${cutNeutral(text, most - 1)}…`;
}

// GitHub's runner obeys `::command::` at the start of a line, blanks before it or not, and the older
// `##[command]` anywhere in one.
const COMMAND_START = /^([^\S\n]*):(?=:)|#(?=#\[)/gm;

/** A whole report for a log: no line of it is a workflow command. Keeps all else as it is. */
export function neutraliseCommands(text: string): string {
  return text.replace(COMMAND_START, (found, blanks: string | undefined) =>
    found === "#" ? visible("#") : `${blanks ?? ""}${visible(":")}`,
  );
}

function visible(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
