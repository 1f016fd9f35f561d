// The calls of a transaction as a tree: contract, function, arguments, result and cost of each call
// and, if they were recorded, its calls to the host; and the calls that authorizations allow.

import { grouped } from "../../base/text/grouped.ts";
import type { NamedInvocation } from "../../model/authorizations.ts";
import type {
  DiagnosticCall,
  Explanation,
  NamedCall,
  NamedHostCall,
  StorageAccess,
} from "../../model/explanation.ts";
import type { CallAlone } from "../../model/what-if.ts";
import type { Item, Note, Signature } from "./document.ts";
import { percent, shareOf } from "./numbers.ts";

const UNKNOWN_VALUE = "(not recorded)";

interface Called {
  readonly arguments: readonly string[];
  readonly argumentNames: readonly string[] | null;
}

function signatureOf(name: string, called: Called, result?: string | null): Signature {
  const names = called.argumentNames;
  const values = called.arguments.map((value, i) => ({ name: names?.[i] ?? null, value }));
  return { name, values, ...(result !== undefined && { result }) };
}

export function callSignature(call: CallAlone): Signature {
  const result = call.failed ? null : (call.result ?? UNKNOWN_VALUE);
  return signatureOf(call.function ?? call.kind, call, result);
}

/** `swap(amount: 1) -> 2`. */
export function inWords({ name, values, result }: Signature): string {
  const given = values.map((each) =>
    each.name === null ? each.value : `${each.name}: ${each.value}`,
  );
  const outcome = result === undefined ? "" : result === null ? " FAILED" : ` -> ${result}`;
  return `${name}(${given.join(", ")})${outcome}`;
}

export function whereOf(contract: string | null): Item["where"] {
  return contract === null ? undefined : { lead: "in", name: contract };
}

/**
 * The host function itself, and frames without a function, only contain other frames, unless they
 * have a result.
 */
export function isDrawn(
  call: Pick<NamedCall, "function" | "result"> | null,
  below: readonly unknown[],
): boolean {
  return call === null || call.function !== null || call.result !== null || below.length === 0;
}

/** The outermost frame is there even where it only contains others. */
export function callItems(root: NamedCall): Item[] {
  const whole = BigInt(root.cpuInstructions);
  if (isDrawn(root, root.calls)) return itemsOf(root, whole);
  const text = root.kind === "host" ? "contract host" : root.kind.replaceAll("_", " ");
  const metered = meteredOf(root, whole);
  const below = belowOf(root, whole);
  return [{ role: "call", text, frame: true, failed: root.failed, ...metered, below }];
}

function itemsOf(call: NamedCall, whole: bigint): Item[] {
  if (!isDrawn(call, call.calls)) return belowOf(call, whole);
  return [
    {
      role: "call",
      text: callSignature(call),
      where: whereOf(call.contract),
      cost: costOf(call),
      ...meteredOf(call, whole),
      below: belowOf(call, whole),
    },
  ];
}

/** The cost of a frame that is not drawn is part of the self cost of the one around it. */
function meteredOf(call: NamedCall, whole: bigint): Pick<Item, "cells" | "shares" | "rows"> {
  const drawn = drawnBelow(call);
  const [cpu, memory] = [BigInt(call.cpuInstructions), BigInt(call.memoryBytes)];
  const selfCpu = drawn.reduce((left, each) => left - BigInt(each.cpuInstructions), cpu);
  const selfMemory = drawn.reduce((left, each) => left - BigInt(each.memoryBytes), memory);
  const share = (part: bigint) => percent(part, whole, 1);
  const instructions = `${grouped(cpu)} total (${share(cpu)}), ${grouped(selfCpu)} self (${share(selfCpu)})`;
  const bytes = `${grouped(memory)} total, ${grouped(selfMemory)} self`;
  return {
    cells: [grouped(cpu), share(cpu), grouped(memory)],
    shares: { self: shareOf(selfCpu, whole), total: shareOf(cpu, whole) },
    rows: [
      { label: "instructions", values: [instructions], detail: "values" },
      { label: "bytes", values: [bytes], detail: "values" },
    ],
  };
}

function drawnBelow({ calls }: NamedCall): NamedCall[] {
  return calls.flatMap((each) => (isDrawn(each, each.calls) ? [each] : drawnBelow(each)));
}

function belowOf(call: NamedCall, whole: bigint): Item[] {
  if (call.hostCalls === undefined) return call.calls.flatMap((each) => itemsOf(each, whole));
  const between = hostCallsByPlace(call);
  const leftOut = call.hostCallsLeftOut ?? 0;
  const items = between.flatMap((hostCalls, index) => {
    const next = call.calls[index];
    const rows = withoutFloods(hostCalls).map((row) => hostItem(row, whole));
    return [...rows, ...(next ? itemsOf(next, whole) : [])];
  });
  if (leftOut > 0)
    items.push({
      text: `(${grouped(leftOut)} more host calls, not recorded)`,
      detail: "host-calls",
    });
  return items;
}

/** The host calls before the first call, before the second, and so on. */
function hostCallsByPlace({ hostCalls = [], calls }: NamedCall): NamedHostCall[][] {
  const places: NamedHostCall[][] = calls.map(() => []);
  places.push([]);
  for (const [index, call] of hostCalls.entries()) {
    const next = hostCalls[index + 1]?.afterCalls ?? calls.length;
    const opened = next > call.afterCalls;
    // The contract call that it made is in the tree itself.
    if (opened && CALLING.has(call.function)) continue;
    places[call.afterCalls]?.push(call);
  }
  return places;
}

const CALLING = new Set(["call", "try_call"]);

/** Successive calls of one function of which nothing was recorded, as one. */
function withoutFloods(list: readonly NamedHostCall[]) {
  const rows: { readonly call: NamedHostCall; times: number }[] = [];
  for (const call of list) {
    const last = rows.at(-1);
    const isSame = last?.call.function === call.function && last.call.depth === call.depth;
    if (last !== undefined && isSame && isBlank(last.call) && isBlank(call)) last.times += 1;
    else rows.push({ call, times: 1 });
  }
  return rows;
}

function isBlank({ arguments: values, failed, storage }: NamedHostCall): boolean {
  return !failed && storage === null && values.length > 0 && values.every((each) => each === null);
}

function hostItem({ call, times }: ReturnType<typeof withoutFloods>[number], whole: bigint): Item {
  const { depth, storage, failed } = call;
  const common = { role: "host-call", detail: "host-calls", tone: "faint", depth, times } as const;
  if (times > 1) {
    const often = grouped(String(times));
    return { ...common, text: `${call.function}, ${often} times (values not recorded)` };
  }
  const values = call.arguments.map((value) => value ?? UNKNOWN_VALUE);
  const result = failed ? null : (call.result ?? UNKNOWN_VALUE);
  return {
    ...common,
    text: signatureOf(call.function, { arguments: values, argumentNames: null }, result),
    cost: `[${grouped(call.cpuInstructions)}]`,
    cells: [
      grouped(call.cpuInstructions),
      percent(BigInt(call.cpuInstructions), whole, 1),
      grouped(call.memoryBytes),
    ],
    notes: storage === null ? [] : storageNotes(storage),
  };
}

function storageNotes({ action, durability, key, value }: StorageAccess): Note[] {
  const lead = `${action} ${durability}`;
  const accessed: Note = { lead, text: key, hangs: true, detail: "storage" };
  return value === null ? [accessed] : [accessed, { lead: "  =", text: value, detail: "storage" }];
}

function costOf(call: NamedCall): string {
  const instructions = grouped(call.cpuInstructions);
  const bytes = grouped(call.memoryBytes);
  if (call.calls.length === 0) return `${instructions} instructions, ${bytes} bytes`;
  return (
    `${instructions} instructions (${grouped(call.selfCpuInstructions)} self), ` +
    `${bytes} bytes (${grouped(call.selfMemoryBytes)} self)`
  );
}

/** A call as a node's diagnostic events show it. */
export function diagnosticItem(call: DiagnosticCall): Item {
  return {
    role: "call",
    text: signatureOf(call.function, call, call.failed ? null : (call.result ?? "(no result)")),
    where: whereOf(call.contract),
    below: call.calls.map(diagnosticItem),
  };
}

export function invocationItem(invocation: NamedInvocation): Item {
  return {
    role: "call",
    text: signatureOf(invocation.function ?? "create a contract", invocation),
    where: whereOf(invocation.contract),
    below: invocation.calls.map(invocationItem),
  };
}

/** By result code: what failed after the call returned. */
const CHECKS: Readonly<Record<string, string>> = {
  invokeHostFunctionResourceLimitExceeded: "resources",
  invokeHostFunctionInsufficientRefundableFee: "refundable fee",
};

/**
 * A transaction can fail after its call returned: its call tree alone looks like a success. Null
 * where the tree shows the failure itself, or is that of a replay that went otherwise.
 */
export function failedAfterReturn(explanation: Explanation): string | null {
  const { success, calls, replayOnly, transaction } = explanation;
  const check = CHECKS[transaction.operationCodes[0] ?? ""];
  if (success || check === undefined || replayOnly.includes("calls")) return null;
  if (calls === null || calls.failed) return null;
  return `The call returned; the check of its ${check} failed afterwards.`;
}
