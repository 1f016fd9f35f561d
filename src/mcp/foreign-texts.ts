// Quotes the fields of a report that contain only text of others. For an agent, no such text then
// reads as a sentence of svc, or as more than a name in one.

import { quotedText, SHOWN_QUOTE } from "../base/text/neutralise.ts";

type Holder = Readonly<Record<string, unknown>>;

/**
 * Fields by name, in maps because whoever wrote the text may have named the field, too. A name, a
 * path or an asset needs no quotes.
 */
const NAMES: ReadonlyMap<string, RegExp> = new Map([
  ["function", /^[\w:$.]{0,64}$/],
  ["file", /^[\w:$./@+-]{0,200}$/],
  ["symbol", /^\w{0,12}$/],
  ["asset", /^\w{0,12}(?::\w{0,64})?$/],
  ["label", /^\w{0,40}$/],
]);
/**
 * Fields by name, each with a rule that says whether the rest of the object marks it as foreign
 * text.
 */
const WORDS: ReadonlyMap<string, (holder: Holder) => boolean> = new Map([
  // The text of a contract's log entry, alone or among the steps of a call, and of the host's
  // report.
  [
    "text",
    (holder: Holder) =>
      holder.kind === "log" ||
      holder.kind === "report" ||
      ("contract" in holder && Object.keys(holder).length === 2),
  ],
  // A capsule's own words for how something is known.
  ["detail", ({ kind }: Holder) => kind === "claimed"],
  // An error of svc also has a remedy.
  ["message", (holder: Holder) => !("remedy" in holder)],
]);

/** Quotes the foreign texts in `value`, which is JSON. */
export function asQuoted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(asQuoted);
  if (typeof value !== "object" || value === null) return value;
  const holder = value as Holder;
  const fields = Object.entries(holder).map(([name, field]) => [
    name,
    name === "origins"
      ? originsOf(field)
      : typeof field === "string"
        ? quotedIn(name, field, holder)
        : asQuoted(field),
  ]);
  return Object.fromEntries(fields);
}

/** The origin of a part of the record: a node's URL, or whatever a capsule contains. */
const ORIGIN = /^[\w:/.@%?&=+-]{0,240}$/;

function originsOf(origins: unknown): unknown {
  if (typeof origins !== "object" || origins === null) return origins;
  const shown = (text: string) => (ORIGIN.test(text) ? text : quotedText(text, SHOWN_QUOTE));
  const entries = Object.entries(origins as Holder);
  return Object.fromEntries(
    entries.map(([part, by]) => [
      shown(part),
      shown(typeof by === "string" ? by : JSON.stringify(by)),
    ]),
  );
}

function quotedIn(name: string, text: string, holder: Holder): string {
  const isPlain = NAMES.get(name)?.test(text) ?? WORDS.get(name)?.(holder) !== true;
  const isQuoted = text.length <= SHOWN_QUOTE && /^"(?:[^"\\]|\\.)*"$/.test(text);
  return isPlain || isQuoted ? text : quotedText(text, SHOWN_QUOTE);
}
