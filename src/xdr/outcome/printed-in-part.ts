// Events of a log of which people left out a part: the topics, the data, or the mark that an event
// begins with. What is left out is added where the rest of the text shows it.
// Invariant: an event gets no value that the text does not have. Its error is the last one that
// the text names before it.

const ERROR = /\bError\((?:Contract, ?#\d{1,10}|[A-Z]\w{1,15}, ?[A-Z]\w{1,19})\)/g;
const MARK = String.raw`\[(?:Failed )?Diagnostic Event(?: \(not emitted\))?\]`;
/** An event, or a line of its own, with data that begins with a message, and without topics. */
const WITHOUT_TOPICS = new RegExp(
  String.raw`(?:${MARK} ?(?:…|\.{3})? ?|(?<=^|\n)[ \t>|"'${"`"}.…]*)data: ?(?=\[?"[^"\n]{6,})`,
  "g",
);
/** Data that ends with the line, of which the brackets of the list are left out. */
const WITHOUT_BRACKETS = /(data:)("[^"\n]{6,200}"(?:, ?[\w.…-]{1,80}){1,6})["'`]?[ \t]*$/gm;
/** An event that ends with its topics. */
const WITHOUT_DATA = new RegExp(
  String.raw`(${MARK}[^\n]{0,120}topics:\[error, [^\]\n]{5,60}\])[ \t]*$`,
  "gm",
);
/** How a trap is told: its message, and the function that trapped. It always has the same error. */
const TRAP = /\bVM call trapped: (UnreachableCodeReached)["'`]?, ?["'`]?(\w{1,32})\b/;

/** The text with these parts added; null if no event lacks one. */
export function completedEvents(text: string): string | null {
  const completed = text
    .replace(WITHOUT_DATA, "$1, data:Void")
    .replace(WITHOUT_TOPICS, (_, at: number) => {
      const error = text.slice(0, at).match(ERROR)?.at(-1);
      return error === undefined ? _ : `\n[Diagnostic Event] topics:[error, ${error}], data:`;
    })
    .replace(WITHOUT_BRACKETS, "$1[$2]");
  if (completed !== text) return completed;
  const [, trap, name] = text.includes("data:") ? [] : (TRAP.exec(text) ?? []);
  return trap === undefined
    ? null
    : `[Diagnostic Event] topics:[error, Error(WasmVm, InvalidAction)], data:["VM call trapped: ${trap}", ${name}]`;
}
