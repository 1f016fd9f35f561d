// The call tree. Frames of the host that only contain one contract call are left out. Their cost is
// part of the parent's self cost, so that the self costs of all nodes still add up to the total.

import { grouped } from "../../../base/text/grouped.ts";
import { cutNeutral } from "../../../base/text/neutralise.ts";
import type { NamedCall, NamedHostCall } from "../../../model/explanation.ts";
import type { Investigation } from "../../../model/investigation.ts";
import { headingOf } from "../../replayed-heading.ts";
import { isDrawn } from "../../visible-frames.ts";
import { type Detail, flatten, type Item, type Outline } from "../outline.ts";
import { shortAddresses } from "../short-addresses.ts";

/** Host calls are in the outline if they were recorded. */
type Row = NamedCall | NamedHostCall;

/** Limit for values in a label: the terminal's edge would cut longer ones anyway. */
const LONGEST_VALUE = 160;

export function callOutline({ explanation }: Investigation): Outline {
  const root = explanation.calls;
  const whole = BigInt(root?.cpuInstructions ?? 0);
  return {
    title: headingOf("Call", "calls", explanation),
    headings: ["instructions", "share", "bytes"],
    nodes: flatten<Row>(root === null ? [] : [root], rowsOf, (row) => itemOf(row, whole)),
    leastLabelColumns: 56,
    emptyText: "No calls: nothing ran in the contract host.",
  };
}

/** Calls and host calls in order, without the host calls that the host itself made. */
function rowsOf(row: Row): readonly Row[] {
  if ("depth" in row) return [];
  const hostCalls = (row.hostCalls ?? []).filter(({ depth }) => depth === 0);
  if (hostCalls.length === 0) return childrenOf(row);
  const rows: Row[] = [];
  let next = 0;
  for (const [index, call] of row.calls.entries()) {
    for (; (hostCalls[next]?.afterCalls ?? Number.POSITIVE_INFINITY) <= index; next += 1)
      rows.push(hostCalls[next] as NamedHostCall);
    rows.push(...(isDrawn(call, call.calls) ? [call] : childrenOf(call)));
  }
  return [...rows, ...hostCalls.slice(next)];
}

/** Replaces a frame without a function with the frames below it. */
function childrenOf(call: NamedCall): readonly NamedCall[] {
  if (call.calls.every((child) => isDrawn(child, child.calls))) return call.calls;
  const drawn: NamedCall[] = [];
  const waiting = [...call.calls].reverse();
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (isDrawn(next, next.calls)) drawn.push(next);
    else
      for (let i = next.calls.length - 1; i >= 0; i -= 1) waiting.push(next.calls[i] as NamedCall);
  }
  return drawn;
}

function itemOf(row: Row, whole: bigint): Item {
  const call = "depth" in row ? null : row;
  return {
    label: call === null ? hostCallLabel(row as NamedHostCall) : labelOf(call),
    cells: [
      grouped(row.cpuInstructions),
      shareOf(row.cpuInstructions, whole),
      grouped(row.memoryBytes),
    ],
    failed: row.failed,
    call: call?.contract != null,
    details: () => (call === null ? hostCallDetails(row as NamedHostCall) : detailsOf(call, whole)),
  };
}

const UNKNOWN_VALUE = "(not recorded)";

function hostCallLabel({ function: name, arguments: values, result, failed }: NamedHostCall) {
  const given = values.map((value) => cutNeutral(value ?? UNKNOWN_VALUE, LONGEST_VALUE));
  const outcome = failed ? "" : ` -> ${cutNeutral(result ?? UNKNOWN_VALUE, LONGEST_VALUE)}`;
  return shortAddresses(`${name}(${given.join(", ")})${outcome}`);
}

function hostCallDetails(call: NamedHostCall): Detail[] {
  const { storage } = call;
  return [
    { name: "host call", text: call.function },
    ...call.arguments.map((text, i) => ({
      name: `argument ${i + 1}`,
      text: text ?? UNKNOWN_VALUE,
    })),
    ...(storage === null
      ? []
      : [
          { name: storage.action, text: `${storage.durability} ${storage.key}` },
          ...(storage.value === null ? [] : [{ name: "value", text: storage.value }]),
        ]),
    call.failed
      ? { name: "result", text: "failed", tone: "bad" as const }
      : { name: "result", text: call.result ?? UNKNOWN_VALUE },
    { name: "instructions", text: grouped(call.cpuInstructions) },
    { name: "bytes", text: grouped(call.memoryBytes) },
  ];
}

function labelOf(call: NamedCall): string {
  const contract = call.contract === null ? "" : `${call.contract} `;
  if (call.function === null) return shortAddresses(`${contract}${kindOf(call)}`);
  const names = call.argumentNames;
  const values = call.arguments.map((value, i) => {
    const shown = cutNeutral(value, LONGEST_VALUE);
    return names === null ? shown : `${names[i]}: ${shown}`;
  });
  const result = call.result === null ? "" : ` -> ${cutNeutral(call.result, LONGEST_VALUE)}`;
  return shortAddresses(`${contract}${call.function}(${values.join(", ")})${result}`);
}

/** The root is everything that was metered. */
function kindOf({ kind }: NamedCall): string {
  return kind === "host" ? "contract host" : kind.replaceAll("_", " ");
}

function detailsOf(call: NamedCall, whole: bigint): Detail[] {
  const children = childrenOf(call);
  const self = (of: (call: NamedCall) => string) =>
    children.reduce((rest, child) => rest - BigInt(of(child)), BigInt(of(call))).toString();
  const cpu = (one: NamedCall) => one.cpuInstructions;
  const memory = (one: NamedCall) => one.memoryBytes;
  const share = (decimal: string) => shareOf(decimal, whole);
  return [
    { name: "function", text: call.function ?? kindOf(call) },
    ...(call.contract === null ? [] : [{ name: "contract", text: call.contract }]),
    ...call.arguments.map((text, i) => ({
      name: call.argumentNames?.[i] ?? `argument ${i + 1}`,
      text,
    })),
    call.failed
      ? { name: "result", text: "failed", tone: "bad" as const }
      : { name: "result", text: call.result ?? "(not recorded)" },
    {
      name: "instructions",
      text:
        `${grouped(cpu(call))} total (${share(cpu(call))}), ` +
        `${grouped(self(cpu))} self (${share(self(cpu))})`,
    },
    {
      name: "bytes",
      text: `${grouped(memory(call))} total, ${grouped(self(memory))} self`,
    },
  ];
}

/** `45.9%`; empty when the total is zero. */
function shareOf(decimal: string, whole: bigint): string {
  if (whole === 0n) return "";
  const permille = (BigInt(decimal) * 1000n) / whole;
  return `${permille / 10n}.${permille % 10n}%`;
}
