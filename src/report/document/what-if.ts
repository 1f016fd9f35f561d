// The run with overrides compared with the replay: the changed inputs, the outcome, and the
// differences in calls, state, events and costs.

import { phraseFor, SHELL } from "../../base/phrase.ts";
import { grouped } from "../../base/text/grouped.ts";
import { causeInWords, type NamedChange, type NamedEvent } from "../../model/explanation.ts";
import type {
  AlignedCall,
  AlignedChange,
  AlignedEvent,
  Alignment,
  Amount,
  CallAlone,
  RunDifference,
  WhatIf,
} from "../../model/what-if.ts";
import { callSignature, callSignatureInWords, isDrawn, whereOf } from "./calls.ts";
import { ABSENT, eventPlace, eventText } from "./changes.ts";
import {
  type Content,
  type Item,
  itemsOf,
  rowsOf,
  type Section,
  section,
  sentence,
  type Table,
} from "./document.ts";
import { numberOf } from "./numbers.ts";

/** A report is read by people. Further rows are only in --json. */
const CALLS = { brief: 8, most: 200, noun: ["call", "calls"] } as const;
const CHANGES = { brief: 4, most: 100, noun: ["change", "changes"] } as const;
const EVENTS = { brief: 4, most: 100, noun: ["event", "events"] } as const;
const SHOWN_FIELDS = 30;
/** The outcome of a run that did not fail. */
const SUCCESS = "success";
const BRIEF = 5;

const TONES = { same: "plain", different: "caution", gone: "bad", new: "good" } as const;

/** None when nothing was overridden. */
export function whatIfSections(whatIf: WhatIf | undefined): Section[] {
  if (whatIf === undefined) return [];
  const { calls, changes, events } = whatIf.difference;
  const called = calls === null || isSame(calls) ? [] : callItems(calls);
  const changed = different(changes).map(changeItem);
  const emitted = different(events).map(eventItem);
  const costs = costTable(whatIf.difference);
  const isSameRun = [called, changed, emitted, costs.rows].every(({ length }) => length === 0);
  const same = isSameRun && "No call, state change, event or cost differs.";
  return [
    section("what-if", "What if", [outcomeContent(whatIf), same], { level: "answer" }),
    section("what-if-calls", "What if: calls", itemsOf("tree", called, CALLS)),
    section("what-if-changes", "What if: state changes", itemsOf("tree", changed, CHANGES)),
    section("what-if-events", "What if: events", itemsOf("tree", emitted, EVENTS)),
    section("what-if-costs", "What if: costs", costs),
  ];
}

function outcomeContent(whatIf: WhatIf): Content {
  const { changed, headline, success, explanation, unknown, refusals, remarks, difference } =
    whatIf;
  const { cause, evidence, remedy } = explanation;
  const { returnValue, outcome } = difference;
  const tone = unknown.length + refusals.length > 0 ? "caution" : success ? "good" : "bad";
  const rows = changed.map(({ kind, what, before, after }) => {
    const isAmount = kind === "ledger" || kind === "limit";
    return { label: what, values: isAmount ? [grouped(before), grouped(after)] : [before, after] };
  });
  const result = (value: string | null, code: string | null) =>
    value ?? (code === SUCCESS ? "no value" : "failed");
  const results = `${result(returnValue.before, outcome.before)} -> ${result(returnValue.after, outcome.after)}`;
  return [
    rowsOf(rows, { layout: "changes" }),
    sentence(headline, { tone, apart: true }),
    sentence("No verdict: this run did not happen on the chain.", { tone: "faint" }),
    itemsOf("list", [...unknown, ...refusals, ...remarks]),
    cause && sentence(causeInWords(cause), { apart: true }),
    itemsOf("list", evidence),
    remedy && sentence(phraseFor(remedy, SHELL), { label: "Remedy", hangs: true }),
    returnValue.before !== returnValue.after && sentence(results, { label: "Result", hangs: true }),
  ];
}

function different<Row extends { readonly alignment: Alignment }>(rows: readonly Row[]): Row[] {
  return rows.filter(({ alignment }) => alignment !== "same");
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
      text: `${callSignatureInWords(callSignature(shown))}${below}`,
      alignment,
      tone: TONES[alignment],
      before:
        alignment === "different"
          ? callSignatureInWords(callSignature(before ?? shown))
          : undefined,
      where: whereOf(shown.contract),
      cost: costOfCall(call),
      below: same ? [] : call.calls.flatMap(callItems),
    },
  ];
}

function costOfCall({ before, after }: AlignedCall): string {
  const cost = (call: CallAlone) =>
    `${grouped(call.cpuInstructions)} instructions, ${grouped(call.memoryBytes)} bytes`;
  const costs = [before, after].filter((call) => call !== null).map(cost);
  return [...new Set(costs)].join(" -> ");
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
  const wordsOf = (event: NamedEvent) => {
    const text = eventText(event);
    return typeof text === "string" ? text : callSignatureInWords(text);
  };
  return {
    text: shown === null ? "" : wordsOf(shown),
    alignment,
    before: alignment === "different" && before !== null ? wordsOf(before) : undefined,
    where: shown === null ? undefined : eventPlace(shown),
  };
}

function costTable({ resources, fees }: RunDifference): Table {
  const row = ({ name, unit, before, after }: Amount) => [
    unit === "stroops" ? `fee: ${name}, ${unit}` : `${name} ${unit}`,
    numberOf(before),
    numberOf(after),
    before === null || after === null ? null : signed(BigInt(after) - BigInt(before)),
  ];
  const changed = [...resources, ...fees].filter(({ before, after }) => before !== after);
  const headings = ["", "without", "with", "difference"];
  return {
    kind: "table",
    title: "Costs",
    headings,
    rows: changed.map(row),
    brief: BRIEF,
    noun: ["cost", "costs"],
  };
}

function signed(difference: bigint): string {
  if (difference === 0n) return "=";
  return difference < 0n ? `-${grouped(-difference)}` : `+${grouped(difference)}`;
}
