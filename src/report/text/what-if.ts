// The run with overrides compared with the replay: the changed inputs, the outcome, and the
// differences in calls, state, events and costs.

import { grouped } from "../../base/text/grouped.ts";
import { causeInWords, type NamedChange } from "../../model/explanation.ts";
import type {
  AlignedCall,
  AlignedChange,
  AlignedEvent,
  Alignment,
  Amount,
  BeforeAfter,
  CallAlone,
  Difference,
  WhatIf,
} from "../../model/what-if.ts";
import { isDrawn } from "../visible-frames.ts";
import { table, wrap } from "./layout.ts";
import { eventInWords } from "./state.ts";
import type { Style } from "./style.ts";

/** A report is read by people. Further rows are only in --json. */
const SHOWN_CALLS = 200;
const SHOWN_ROWS = 100;
const SHOWN_FIELDS = 30;
const INDENT = 2;
const DEEPEST_INDENT = 24;

const MARKS: Readonly<Record<Alignment, string>> = {
  same: " ",
  different: "~",
  gone: "-",
  new: "+",
};
const LEGEND = "+ only with the overrides, - only without them, ~ different";

/** Blocks of lines, each with its heading; none when nothing was overridden. */
export function whatIfBlocks(whatIf: WhatIf | undefined, style: Style): string[][] {
  if (whatIf === undefined) return [];
  const { difference } = whatIf;
  const blocks: [string, string[]][] = [
    ["What if", outcomeLines(whatIf, style)],
    ["What if: calls", callLines(difference.calls, style)],
    ["What if: state changes", changeLines(difference.changes, style)],
    ["What if: events", eventLines(difference.events, style)],
    ["What if: costs", costLines(difference)],
  ];
  return blocks
    .filter(([, lines]) => lines.length > 0)
    .map(([heading, lines]) => [style.heading(heading), ...lines]);
}

function outcomeLines(whatIf: WhatIf, style: Style): string[] {
  const { changed, headline, success, explanation, unknown, remarks, difference } = whatIf;
  const { cause, evidence, remedy } = explanation;
  const lines = changed.flatMap(({ what, before, after }) =>
    wrap(`${what}: ${before} -> ${after}`, "  ", 4),
  );
  const paint = unknown.length > 0 ? style.caution : success ? style.good : style.bad;
  lines.push("", ...wrap(headline, "  ").map(paint));
  lines.push(...wrap("No verdict: this run did not happen on the chain.", "  ").map(style.faint));
  for (const remark of [...unknown, ...remarks]) lines.push(...wrap(remark, "  - "));
  if (cause !== null) lines.push("", ...wrap(causeInWords(cause), "  "));
  for (const sentence of evidence) lines.push(...wrap(sentence, "  - "));
  if (remedy !== null) lines.push(...wrap(remedy, "  Remedy: ", 4));
  const returned = beforeAfter(difference.returnValue);
  if (returned !== null) lines.push(...wrap(`Returned: ${returned}`, "  ", 4));
  return lines;
}

/** Null when they are equal. */
export function beforeAfter({ before, after }: BeforeAfter): string | null {
  return before === after ? null : `${before ?? "nothing"} -> ${after ?? "nothing"}`;
}

/** Unchanged calls are shown without the calls below them. Empty when all are unchanged. */
function callLines(root: AlignedCall | null, style: Style): string[] {
  if (root === null || isSame(root)) return [];
  const lines: string[] = [];
  let shown = 0;
  let omitted = 0;
  const visit = (call: AlignedCall, depth: number) => {
    const draws = isDrawn(call.after ?? call.before, call.calls);
    if (draws && shown >= SHOWN_CALLS) omitted += 1;
    else if (draws) {
      shown += 1;
      lines.push(...drawCall(call, depth, style));
    }
    if (draws && isSame(call)) return;
    for (const child of call.calls) visit(child, draws ? depth + 1 : depth);
  };
  visit(root, 1);
  if (omitted > 0) lines.push(`  (${omitted} more calls; see --json)`);
  return [`  ${style.faint(LEGEND)}`, ...lines];
}

export function isSame({ alignment, calls }: AlignedCall): boolean {
  return alignment === "same" && calls.every(isSame);
}

function drawCall(call: AlignedCall, depth: number, style: Style): string[] {
  const { alignment, before, after } = call;
  const indent = " ".repeat(Math.min(depth * INDENT, DEEPEST_INDENT));
  const head = `${indent}${MARKS[alignment]} `;
  const shown = after ?? before;
  if (shown === null) return [];
  const below = call.calls.length > 0 && isSame(call) ? ", with unchanged calls below it" : "";
  const lines = wrap(`${callInWords(shown)}${below}`, head, indent.length + 4);
  if (alignment === "different" && before !== null)
    lines.push(...wrap(`was ${callInWords(before)}`, `${indent}    `).map(style.faint));
  const contract = shown.contract === null ? [] : wrap(shown.contract, `${indent}    in `);
  const paint = { gone: style.bad, new: style.good, different: style.caution }[
    alignment as "gone" | "new" | "different"
  ];
  return [
    ...(paint === undefined ? lines : lines.map(paint)),
    ...contract,
    ...wrap(costOfCall(call), `${indent}    `).map(style.faint),
  ];
}

export function callInWords(call: CallAlone): string {
  const { argumentNames: names } = call;
  const values = call.arguments.map((value, i) =>
    names === null ? value : `${names[i]}: ${value}`,
  );
  const outcome = call.failed ? "FAILED" : `-> ${call.result ?? "(not recorded)"}`;
  return `${call.function ?? call.kind}(${values.join(", ")}) ${outcome}`;
}

function costOfCall({ before, after }: AlignedCall): string {
  const cost = (call: CallAlone) =>
    `${grouped(call.cpuInstructions)} instructions, ${grouped(call.memoryBytes)} bytes`;
  if (before === null) return after === null ? "" : cost(after);
  if (after === null) return cost(before);
  const [was, is] = [cost(before), cost(after)];
  return was === is ? is : `${was} -> ${is}`;
}

function changeLines(changes: readonly AlignedChange[], style: Style): string[] {
  const different = changes.filter(({ alignment }) => alignment !== "same");
  const lines = different.slice(0, SHOWN_ROWS).flatMap(({ alignment, before, after }) => {
    const shown = after ?? before;
    return [
      ...wrap(`${shown?.kind} ${shown?.key}`, `  ${MARKS[alignment]} `, 6),
      ...wrap(changeInWords(before), "      without  ").map(style.faint),
      ...wrap(changeInWords(after), "      with     "),
    ];
  });
  return legend(lines, different.length - SHOWN_ROWS, "changes", style);
}

/** The changed fields if there are any, otherwise the new value. */
export function changeInWords(change: NamedChange | null): string {
  if (change === null) return "no change";
  const fields = change.fields.filter(({ field }) => field !== "").slice(0, SHOWN_FIELDS);
  if (fields.length === 0) return change.after ?? "removed";
  const absent = "(absent)";
  return fields
    .map(({ field, before, after }) => `${field}: ${before ?? absent} -> ${after ?? absent}`)
    .join("; ");
}

function eventLines(events: readonly AlignedEvent[], style: Style): string[] {
  const different = events.filter(({ alignment }) => alignment !== "same");
  const lines = different.slice(0, SHOWN_ROWS).flatMap(({ alignment, before, after }) => {
    const shown = after ?? before;
    if (shown === null) return [];
    const was =
      alignment === "different" && before !== null
        ? wrap(`was ${eventInWords(before)}`, "      ").map(style.faint)
        : [];
    const where = wrap(shown.contract ?? "the host", `      ${shown.kind} event of `);
    return [...wrap(eventInWords(shown), `  ${MARKS[alignment]} `, 6), ...was, ...where];
  });
  return legend(lines, different.length - SHOWN_ROWS, "events", style);
}

function legend(lines: readonly string[], omitted: number, what: string, style: Style): string[] {
  if (lines.length === 0) return [];
  const more = omitted > 0 ? [`  (${omitted} more ${what}; see --json)`] : [];
  return [`  ${style.faint(LEGEND)}`, ...lines, ...more];
}

function costLines(difference: Difference): string[] {
  const rows = costRows(difference);
  return rows.length === 0 ? [] : table([["", "without", "with", "difference"], ...rows]);
}

/** Name, value without the overrides, value with them, difference. */
export function costRows({ resources, fees }: Difference): string[][] {
  const row = ({ name, unit, before, after }: Amount) => [
    unit === "stroops" ? `fee: ${name}, ${unit}` : `${name} ${unit}`,
    cell(before),
    cell(after),
    before === null || after === null ? "-" : signed(BigInt(after) - BigInt(before)),
  ];
  const known = [...resources, ...fees].filter(({ before, after }) => before ?? after ?? false);
  return known.map(row);
}

function cell(decimal: string | null): string {
  return decimal === null ? "-" : grouped(decimal);
}

function signed(difference: bigint): string {
  if (difference === 0n) return "=";
  const digits = grouped((difference < 0n ? -difference : difference).toString());
  return `${difference < 0n ? "-" : "+"}${digits}`;
}
