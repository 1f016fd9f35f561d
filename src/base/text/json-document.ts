// JSON that is safe to print: the same value for every parser, with each character that a terminal
// would obey or hide written as an escape.

/** Line breaks stay: JSON.stringify writes them only between values. */
const UNSAFE = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** Changes a value before it is written; as JSON.stringify takes it. */
type Replacer = (key: string, value: unknown) => unknown;

/**
 * One document and a line break. GitHub's runner interprets `##[` anywhere in a log as a command,
 * so it is escaped.
 */
export function jsonDocument(value: unknown, replacer?: Replacer, indent = 2): string {
  const text = JSON.stringify(value, replacer, indent);
  return `${text.replaceAll("##[", "\\u0023#[").replace(UNSAFE, escaped)}\n`;
}

/** A character beyond the first plane is two escapes. */
function escaped(character: string): string {
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
}
