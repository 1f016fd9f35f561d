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
import { callSignature, inWords, isDrawn } from "./calls.ts";
import { ABSENT, eventPlace, eventText } from "./changes.ts";
import {
  type Block,
  type Item,
  listOf,
  present,
  rowsOf,
  type Section,
  sentence,
  type Tone,
  treeOf,
} from "./document.ts";
import { numberOf } from "./numbers.ts";

/** A report is read by people. Further rows are only in --json. */
const SHOWN_CALLS = 200;
const SHOWN_ROWS = 100;
const SHOWN_FIELDS = 30;

const LEGEND = "+ only with the overrides, - only without them, ~ different";
const TONES: Readonly<Record<Alignment, Tone>> = {
  same: "plain",
  different: "caution",
  gone: "bad",
  new: "good",
};

/** None when nothing was overridden. */
export function whatIfSections(whatIf: WhatIf | undefined): Section[] {
  if (whatIf === undefined) return [];
  const { calls, changes, events } = whatIf.difference;
  const section = (id: string, title: string, body: readonly Block[]): Section => ({
    id,
    title,
    level: "details",
    body,
  });
  return [
    section("what-if", "What if", outcomeBlocks(whatIf)),
    section("what-if-calls", "What if: calls", callBlocks(calls)),
    section(
      "what-if-changes",
      "What if: state changes",
      alignedBlocks(changes, changeItem, "changes"),
    ),
    section("what-if-events", "What if: events", alignedBlocks(events, eventItem, "events")),
    section("what-if-costs", "What if: costs", [costTable(whatIf.difference)]),
  ];
}

function outcomeBlocks(whatIf: WhatIf): Block[] {
  const { changed, headline, success, explanation, unknown, remarks, difference } = whatIf;
  const { cause, evidence, remedy } = explanation;
  const tone = unknown.length > 0 ? "caution" : success ? "good" : "bad";
  const rows = changed.map(({ what, before, after }) => ({ label: what, values: [before, after] }));
  return [
    rowsOf(rows, { layout: "changes" }),
    sentence(headline, { tone, apart: true }),
    sentence("No verdict: this run did not happen on the chain.", { tone: "faint" }),
    listOf([...unknown, ...remarks]),
    ...present(cause, (each) => sentence(causeInWords(each), { apart: true })),
    listOf(evidence),
    ...present(remedy, (each) => sentence(each, { label: "Remedy", hangs: true })),
    ...present(beforeAfter(difference.returnValue), (each) =>
      sentence(each, { label: "Returned", hangs: true }),
    ),
  ];
}

/** Null when they are equal. */
function beforeAfter({ before, after }: BeforeAfter): string | null {
  return before === after ? null : `${before ?? "nothing"} -> ${after ?? "nothing"}`;
}

/** Empty when all are unchanged. */
function callBlocks(root: AlignedCall | null): Block[] {
  if (root === null || isSame(root)) return [];
  const tree = treeOf(callItems(root), { most: SHOWN_CALLS, what: "calls" });
  return [sentence(LEGEND, { tone: "faint", detail: "terminal" }), tree];
}

function isSame({ alignment, calls }: AlignedCall): boolean {
  return alignment === "same" && calls.every(isSame);
}

/** Unchanged calls are shown without the calls below them. */
function callItems(call: AlignedCall): Item[] {
  const { alignment, before, after } = call;
  const shown = after ?? before;
  const same = isSame(call);
  if (!isDrawn(shown, call.calls)) return call.calls.flatMap(callItems);
  if (shown === null) return [];
  const below = call.calls.length > 0 && same ? ", with unchanged calls below it" : "";
  return [
    {
      role: "call",
      text: `${inWords(callSignature(shown))}${below}`,
      alignment,
      tone: TONES[alignment],
      ...(alignment === "different" &&
        before !== null && { before: inWords(callSignature(before)) }),
      ...(shown.contract !== null && { where: { lead: "in", name: shown.contract } }),
      cost: costOfCall(call),
      below: same ? [] : call.calls.flatMap(callItems),
    },
  ];
}

function costOfCall({ before, after }: AlignedCall): string {
  const cost = (call: CallAlone) =>
    `${grouped(call.cpuInstructions)} instructions, ${grouped(call.memoryBytes)} bytes`;
  const costs = [before, after].flatMap((call) => present(call, cost));
  return [...new Set(costs)].join(" -> ");
}

function alignedBlocks<Row extends { readonly alignment: Alignment }>(
  rows: readonly Row[],
  itemOf: (row: Row) => Item,
  what: string,
): Block[] {
  const different = rows.filter(({ alignment }) => alignment !== "same");
  if (different.length === 0) return [];
  return [
    sentence(LEGEND, { tone: "faint", detail: "terminal" }),
    treeOf(different.map(itemOf), { most: SHOWN_ROWS, what }),
  ];
}

function changeItem({ alignment, before, after }: AlignedChange): Item {
  const shown = after ?? before;
  return {
    text: `${shown?.kind} ${shown?.key}`,
    alignment,
    rows: [
      { label: "without", values: [changeInWords(before)], tone: "faint" },
      { label: "with", values: [changeInWords(after)] },
    ],
  };
}

/** The changed fields if there are any, otherwise the new value. */
function changeInWords(change: NamedChange | null): string {
  if (change === null) return "no change";
  const fields = change.fields.filter(({ field }) => field !== "").slice(0, SHOWN_FIELDS);
  if (fields.length === 0) return change.after ?? "removed";
  return fields
    .map(({ field, before, after }) => `${field}: ${before ?? ABSENT} -> ${after ?? ABSENT}`)
    .join("; ");
}

function eventItem({ alignment, before, after }: AlignedEvent): Item {
  const shown = after ?? before;
  const textOf = (event: typeof before) => {
    const text = event === null ? "" : eventText(event);
    return typeof text === "string" ? text : inWords(text);
  };
  return {
    text: textOf(shown),
    alignment,
    ...(alignment === "different" && before !== null && { before: textOf(before) }),
    ...(shown !== null && { where: eventPlace(shown) }),
  };
}

function costTable({ resources, fees }: Difference): Block {
  const row = ({ name, unit, before, after }: Amount) => [
    unit === "stroops" ? `fee: ${name}, ${unit}` : `${name} ${unit}`,
    numberOf(before),
    numberOf(after),
    before === null || after === null ? null : signed(BigInt(after) - BigInt(before)),
  ];
  const known = [...resources, ...fees].filter(({ before, after }) => before ?? after ?? false);
  const columns = ["", "without", "with", "difference"].map((heading) => ({ heading }));
  return { kind: "table", title: "Costs", columns, rows: known.map(row) };
}

function signed(difference: bigint): string {
  if (difference === 0n) return "=";
  return difference < 0n ? `-${grouped(-difference)}` : `+${grouped(difference)}`;
}
