// Events of a log of which people left out a part: the topics, the data, or the mark that an event
// begins with. What is left out is added where the rest of the text shows it.
// Invariant: an event gets no value that the text does not have. Its error is the last one that
// the text names before it.

import { kindOfMessage } from "./host-messages.ts";

const ERROR = String.raw`\bError\((?:Contract, ?#\d{1,10}|[A-Z]\w{1,15}, ?[A-Z]\w{1,19})\)`;
const MARK = String.raw`\[(?:Failed )?Diagnostic Event(?: \(not emitted\))?\]`;
/** An event, or a line of its own, with data that begins with a message, and without topics. */
const WITHOUT_TOPICS = String.raw`(?:${MARK} ?(?:…|\.{3})? ?|(?<=^|\n)[ \t>|"'${"`"}.…]*)data: ?(?=\[?"[^"\n]{6,})`;
const ERROR_OR_EVENT = new RegExp(`${ERROR}|${WITHOUT_TOPICS}`, "g");
/** Data that ends with the line, of which the brackets of the list are left out. */
const WITHOUT_BRACKETS = /(data:)("[^"\n]{6,200}"(?:, ?[\w.…-]{1,80}){1,6})["'`]?[ \t]*$/gm;
/** An event that ends with its topics. */
const WITHOUT_DATA = new RegExp(
  String.raw`(${MARK}[^\n]{0,120}topics:\[error, [^\]\n]{5,60}\])[ \t]*$`,
  "gm",
);
/** A line about a trap has its message and the function. Its error is always the same. */
const TRAP = /\bVM call trapped: (UnreachableCodeReached)["'`]?, ?["'`]?(\w{1,32})\b/;

/** Without the mark of an event, only a message of the host shows that the data is of one. */
function isOfHost(part: string, at: number, text: string): boolean {
  if (part.includes("Event")) return true;
  const from = at + part.length;
  const [, message = ""] = MESSAGE.exec(text.slice(from, from + LONGEST_MESSAGE)) ?? [];
  return kindOfMessage(message) !== null;
}

const LONGEST_MESSAGE = 250;
const MESSAGE = /^\[?"([^"\n]*)"/;

/** The text with these parts added; null if no event lacks one. */
export function completedEvents(text: string): string | null {
  let last: string | null = null;
  const completed = text
    .replace(WITHOUT_DATA, "$1, data:Void")
    .replace(ERROR_OR_EVENT, (part, at: number, whole: string) => {
      if (part.startsWith("Error(")) last = part;
      const isEvent = last !== null && last !== part && isOfHost(part, at, whole);
      return isEvent ? `\n[Diagnostic Event] topics:[error, ${last}], data:` : part;
    })
    .replace(WITHOUT_BRACKETS, "$1[$2]");
  if (completed !== text) return completed;
  const [, trap, name] = text.includes("data:") ? [] : (TRAP.exec(text) ?? []);
  return trap === undefined
    ? null
    : `[Diagnostic Event] topics:[error, Error(WasmVm, InvalidAction)], data:["VM call trapped: ${trap}", ${name}]`;
}
