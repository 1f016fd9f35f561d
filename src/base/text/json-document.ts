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
  return `${printable(JSON.stringify(value, replacer, indent))}\n`;
}

const LIST_INDENT = "\n    ";

/**
 * Yields the same document in pieces, so that a long list is never in the memory as one text.
 * `rows` are those of the field `name`, whose value in `document` is an empty list.
 */
export function* jsonDocumentPieces<Name extends string>(
  document: Readonly<Record<Name, readonly never[]>>,
  name: Name,
  rows: Iterable<unknown>,
): Generator<string> {
  // A line break is never within a text of JSON, so this is the field itself.
  const place = `\n  ${JSON.stringify(name)}: [`;
  const [before, after] = jsonDocument(document).split(`${place}]`) as [string, string];
  yield `${before}${place}`;
  let count = 0;
  for (const row of rows) {
    const text = printable(JSON.stringify(row, null, 2)).replaceAll("\n", LIST_INDENT);
    yield `${count === 0 ? "" : ","}${LIST_INDENT}${text}`;
    count += 1;
  }
  yield `${count === 0 ? "" : "\n  "}]${after}`;
}

function printable(json: string): string {
  return json.replaceAll("##[", "\\u0023#[").replace(UNSAFE, escaped);
}

/** Escapes a character. One beyond the first plane becomes two escapes. */
function escaped(character: string): string {
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
}
