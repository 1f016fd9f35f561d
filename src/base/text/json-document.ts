// Writes JSON that is safe to print: the same value for every parser, but each character that a
// terminal would obey or hide is an escape.

/** Line breaks stay, because JSON.stringify writes them only between values. */
const UNSAFE = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** Changes a value before it is written, as JSON.stringify's replacer does. */
type Replacer = (key: string, value: unknown) => unknown;

/**
 * Returns one document and a line break. `##[` is escaped too, because GitHub's runner reads it as
 * a command anywhere in a log.
 */
export function jsonDocument(value: unknown, replacer?: Replacer, indent = 2): string {
  const text = JSON.stringify(value, replacer, indent);
  return `${text.replaceAll("##[", "\\u0023#[").replace(UNSAFE, escaped)}\n`;
}

/** Escapes a character. One beyond the first plane becomes two escapes. */
function escaped(character: string): string {
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
}
