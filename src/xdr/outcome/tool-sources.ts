// Messages as they stand in the sources of stellar-cli, of Stellar RPC, of SDKs, of wallets and of
// relayers (tool-sources.json). `{}` in them stands for a part that differs. The table is compared
// with the sources by `bun scripts/tool-messages.ts`. Rows of tool-messages.ts that know facts come
// before them.

import SOURCES from "./tool-sources.json" with { type: "json" };

type RowsOf<Source> = Source extends { readonly messages: infer Rows } ? keyof Rows : never;

/** The row of the words for a message. */
export type SourceRow = RowsOf<(typeof SOURCES)[keyof typeof SOURCES]> & string;

interface Template {
  readonly row: SourceRow;
  /** The literal parts of its first line. */
  readonly parts: readonly string[];
  /** How many characters these have. */
  readonly size: number;
}

export interface FoundTemplate {
  readonly row: SourceRow;
  /** The line that the message is in, from the message on. */
  readonly line: string;
}

/** A shorter message could be a part of any sentence. */
const SELF_EVIDENT = 24;
const LONGEST_GAP = 400;

let made: readonly Template[] | null = null;

/** The longest first. */
function templates(): readonly Template[] {
  made ??= Object.values(SOURCES)
    .flatMap(({ messages }) =>
      Object.entries(messages).flatMap(([row, each]) =>
        each.map((message) => templateOf(row as SourceRow, message)),
      ),
    )
    .sort((left, right) => right.size - left.size);
  return made;
}

function templateOf(row: SourceRow, message: string): Template {
  const [line = ""] = message.split("\n");
  const parts = line.trim().split("{}");
  return { row, parts, size: parts.join("").length };
}

/** The message with the most characters that a line of the text has; null: none. */
export function messageOfSources(text: string): FoundTemplate | null {
  const lines = text.split("\n");
  for (const template of templates())
    for (const line of lines) {
      const at = placeIn(line, template);
      if (at !== null) return { row: template.row, line: messageFrom(line, at, template) };
    }
  return null;
}

/** The message, up to the quote that closes it if it stands in quotes. */
function messageFrom(line: string, at: number, { parts }: Template): string {
  const quote = /["'`]/.exec(line[at - 1] ?? "")?.[0];
  const end = quote === undefined ? -1 : line.indexOf(quote, endOf(line, at, parts) ?? at);
  return line.slice(at, end === -1 ? undefined : end).trim();
}

/** Where the message begins in the line; null: it is not in it. */
function placeIn(line: string, { parts, size }: Template): number | null {
  const [first = ""] = parts.filter((part) => part.trim() !== "");
  const isStrict = size < SELF_EVIDENT;
  for (let at = line.indexOf(first); at !== -1; at = line.indexOf(first, at + 1)) {
    const end = endOf(line, at, parts);
    if (end === null) continue;
    const before = line.slice(0, at);
    const behind = line.slice(end);
    const begins = parts[0] === "" ? beginsWithGap(before) : beginsAt(before, isStrict);
    const ends =
      parts.at(-1) === "" || (isStrict ? /^(?:["'`)\].,;]|\s*$)/ : /^(?!\w)/).test(behind);
    if (begins && ends) return at;
  }
  return null;
}

function beginsAt(before: string, isStrict: boolean): boolean {
  return isStrict ? /(?:^|: |["'`([]|[^\w\s] )\s*$/.test(before) : !/\w$/.test(before);
}

/** A part that differs can begin a message, as one word: others are of another message. */
function beginsWithGap(before: string): boolean {
  return /(?:^|: |["'`([]|[^\w\s] )[^\s:]{1,80}\s?$/.test(before);
}

/** The end of the message that begins at that place; null: a part of it is missing. */
function endOf(line: string, from: number, parts: readonly string[]): number | null {
  let at = from;
  for (const [i, part] of parts.filter((each) => each.trim() !== "").entries()) {
    const next = line.indexOf(part, at);
    if (next === -1 || next - at > (i === 0 ? 0 : LONGEST_GAP)) return null;
    at = next + part.length;
  }
  return at;
}
