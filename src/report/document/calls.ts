// The calls of a transaction as a tree: contract, function, arguments, result and cost of each;
// what a call did between the calls that it made, in order; the calls that authorizations allow.

import { grouped } from "../../base/text/grouped.ts";
import { cutVisibly } from "../../base/text/neutralise.ts";
import type { NamedInvocation } from "../../model/authorizations.ts";
import type {
  DiagnosticCall,
  Explanation,
  FrameError,
  NamedCall,
  NamedHostCall,
  NamedLog,
  NamedStep,
  StorageAccess,
} from "../../model/explanation.ts";
import type { CallAlone } from "../../model/what-if.ts";
import { ABSENT, eventText } from "./changes.ts";
import {
  type Content,
  type Item,
  type Signature,
  sentence,
  itemsOf as treeOf,
} from "./document.ts";
import { percent, shareOf } from "./numbers.ts";
import type { Origins } from "./origins.ts";

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
export function callSignatureInWords(signature: Signature, arrow: "->" | "→" = "->"): string {
  const { result } = signature;
  const outcome = outcomeInWords(signature);
  return `${calledInWords(signature)}${result ? ` ${arrow} ${outcome}` : outcome && ` ${outcome}`}`;
}

/** Without how it ended. */
export function calledInWords({ name, values }: Pick<Signature, "name" | "values">): string {
  const argumentTexts = values.map((each) =>
    each.name === null ? each.value : `${each.name}: ${each.value}`,
  );
  return `${name}(${argumentTexts.join(", ")})`;
}

/** Whether it is a call that failed. */
export function hasFailed({ text }: Item): boolean {
  return typeof text !== "string" && text.result === null;
}

/** The result, or `FAILED` and why; empty where it did not run. */
export function outcomeInWords({ result, error }: Signature): string {
  if (result === null) return error === undefined ? "FAILED" : `FAILED ${error}`;
  return result ?? "";
}

/** The host's words are those of the call that raised the error. */
function errorInWords(error: FrameError | null): string | undefined {
  if (error === null) return undefined;
  return error.message === null ? error.error : `${error.error}: ${error.message}`;
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

type Ids = Origins["ids"];

/** The outermost frame is there even where it only contains others. */
export function callItems(root: NamedCall, ids: Ids = new Map()): Item[] {
  const whole = BigInt(root.cpuInstructions);
  if (isDrawn(root, root.calls)) return itemsOf(root, whole, ids);
  const text = root.kind === "host" ? "contract host" : root.kind.replaceAll("_", " ");
  const metered = meteredOf(root, whole);
  const below = belowOf(root, whole, ids);
  return [{ role: "call", text, frame: true, failed: root.failed, ...metered, below }];
}

function itemsOf(call: NamedCall, whole: bigint, ids: Ids): Item[] {
  if (!isDrawn(call, call.calls)) return belowOf(call, whole, ids);
  return [
    {
      role: "call",
      id: ids.get(call),
      text: { ...callSignature(call), ...endOf(call) },
      where: whereOf(call.contract),
      cost: costOf(call),
      ...meteredOf(call, whole),
      below: belowOf(call, whole, ids),
    },
  ];
}

/** The cost of a frame that is not drawn is part of the self cost of the one around it. */
function meteredOf(
  call: NamedCall,
  whole: bigint,
): Pick<Item, "cells" | "amount" | "shares" | "rows"> {
  const drawn = drawnBelow(call);
  const [cpu, memory] = [BigInt(call.cpuInstructions), BigInt(call.memoryBytes)];
  const selfCpu = drawn.reduce((left, each) => left - BigInt(each.cpuInstructions), cpu);
  const selfMemory = drawn.reduce((left, each) => left - BigInt(each.memoryBytes), memory);
  const share = (part: bigint) => percent(part, whole, 1);
  const instructions = `${grouped(cpu)} total (${share(cpu)}), ${grouped(selfCpu)} self (${share(selfCpu)})`;
  const bytes = `${grouped(memory)} total, ${grouped(selfMemory)} self`;
  return {
    cells: [grouped(cpu), share(cpu), grouped(memory)],
    amount: cpu,
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

function endOf({ error }: Pick<NamedCall, "error">) {
  const words = errorInWords(error);
  return words !== undefined && { error: words };
}

/** Steps in order, with what a host call shows after it. */
function belowOf(call: NamedCall, whole: bigint, ids: Ids): Item[] {
  const { steps, calls, hostCalls = [], hostCallsLeftOut: leftOut = 0 } = call;
  const items: Item[] = [];
  let row: NamedHostCall[] = [];
  // Levels that are not drawn: what the host made for a contract call has nothing to be below.
  let levels = 0;
  const endRow = () => {
    items.push(...withoutFloods(row).map((each) => hostItem(each, whole)));
    row = [];
  };
  for (const [at, step] of steps.entries()) {
    const hostCall = step.kind === "host-call" ? hostCalls[step.index] : undefined;
    if (hostCall === undefined) endRow();
    const opens = CALLING.has(hostCall?.function ?? "") && isCallNext(call, at);
    if (hostCall?.depth === 0) levels = opens ? 1 : 0;
    // The contract call that it made is in the tree itself.
    if (hostCall !== undefined && !opens)
      row.push(levels === 0 ? hostCall : { ...hostCall, depth: hostCall.depth - levels });
    const called = step.kind === "call" ? calls[step.index] : undefined;
    const shown =
      hostCall === undefined
        ? reportedItems(step)
        : semanticItems(hostCall, opens).map((item) => ({ ...item, id: ids.get(hostCall) }));
    if (shown.length > 0) endRow();
    items.push(...(called === undefined ? shown : itemsOf(called, whole, ids)));
  }
  endRow();
  if (leftOut > 0) {
    const more = `(${grouped(leftOut)} more host calls, not recorded)`;
    items.push({ role: "step", text: more, detail: "trace" });
  }
  return withoutRepeats(items);
}

const CALLING = new Set(["call", "try_call"]);

/** The host calls that the host itself makes on the way are deeper. */
function isCallNext({ steps, hostCalls = [] }: NamedCall, at: number): boolean {
  let next = at + 1;
  for (let step = steps[next]; step?.kind === "host-call"; step = steps[next]) {
    if (hostCalls[step.index]?.depth === 0) return false;
    next += 1;
  }
  return steps[next]?.kind === "call";
}

function stepItem(badge: string, text: Item["text"], more: Partial<Item> = {}): Item {
  return { role: "step", badge, text, detail: "trace", ...more };
}

function reportedItems(each: NamedStep): Item[] {
  if (each.kind === "event") return [stepItem("event", eventText(each.event))];
  if (each.kind === "log") return [stepItem("log", each.text)];
  if (each.kind === "report") return [stepItem("host", each.text, { detail: "messages" })];
  return [];
}

/**
 * What a reader of a trace looks for, and what failed; any other host call is a detail of the
 * code. `opens`: the call that it made is in the tree.
 */
function semanticItems(call: NamedHostCall, opens: boolean): Item[] {
  const { storage, authorization, failed } = call;
  const tone = failed ? ("bad" as const) : undefined;
  if (storage !== null) return [storageItem(call, storage)];
  if (authorization !== null) {
    const { signer, arguments: argumentText } = authorization;
    const text = argumentText === null ? signer : `${signer} for ${argumentText}`;
    return [stepItem("auth", text, { outcome: failed ? "REFUSED" : "authorized", tone })];
  }
  if (call.function === EXTEND_OWN)
    return [stepItem("extend TTL", "instance and code", extension(call, 0))];
  const isFailure = failed && call.depth === 0 && !opens;
  if (!isFailure && !TELLING.test(call.function)) return [];
  const { text } = hostItem({ call, times: 1 }, 1n);
  return [{ role: "step", text, detail: "trace", tone }];
}

const EXTEND_OWN = "extend_current_contract_instance_and_code_ttl";
/** Code and contracts that a contract creates or replaces, TTLs, and what it lets others do. */
const TELLING = /^(create_|upload_|update_current_|extend_|authorize_as_)/;

function storageItem(call: NamedHostCall, storage: StorageAccess): Item {
  const { action, durability, key, value, before, fields = [] } = storage;
  const text = `${durability} ${key}`;
  if (action === "extend") return stepItem("extend TTL", text, extension(call, 2));
  const badge = action === "look for" ? "has" : action;
  if (call.failed) return stepItem(badge, text, FAILED);
  const old = before === undefined ? [] : [before ?? ABSENT];
  const changed = fields.map((each) => {
    return `${each.field}: ${each.before ?? ABSENT} → ${each.after ?? ABSENT}`;
  });
  const isSame = value !== null && before === value && fields.length === 0;
  const written = isSame ? [`${value} (unchanged)`] : [...old, value ?? UNKNOWN_VALUE];
  const values = {
    read: [value ?? UNKNOWN_VALUE],
    "look for": [call.result ?? UNKNOWN_VALUE],
    write: changed.length > 0 ? [changed.join(", ")] : written,
    delete: [...old, ABSENT],
  };
  return stepItem(badge, text, { values: values[action] });
}

const FAILED = { outcome: "FAILED", tone: "bad" } as const;

/** `threshold`: the position of that argument, which the target follows. Both are numbers. */
function extension(call: NamedHostCall, threshold: number): Partial<Item> {
  const [below = UNKNOWN_VALUE, target = UNKNOWN_VALUE, ...more] = call.arguments
    .slice(threshold)
    .map((each) => (each === null ? undefined : grouped(each)));
  if (call.failed) return FAILED;
  if (more.length > 0) return { values: [[below, target, ...more].join(", ")] };
  return { values: [`to ${target} ledgers, if fewer than ${below} are left`] };
}

/**
 * A contract often reads one key several times, and looks whether it is there before. What it reads
 * stays the same until something else happens.
 */
function withoutRepeats(items: readonly Item[]): Item[] {
  const kept: Item[] = [];
  let known = new Map<unknown, number>();
  for (const item of items) {
    const at = item.role === "step" ? known.get(item.text) : undefined;
    const before = at === undefined ? undefined : kept[at];
    if (item.role === "host-call") kept.push(item);
    else if (item.role !== "step" || (item.badge !== "read" && item.badge !== "has")) {
      kept.push(item);
      known = new Map();
    } else if (at === undefined || before === undefined) {
      known.set(item.text, kept.length);
      kept.push(item);
    } else if (item.badge === before.badge && !item.tone) {
      kept[at] = { ...before, id: before.id ?? item.id, times: (before.times ?? 1) + 1 };
    } else if (item.badge === "has") kept.push({ ...item, detail: "messages" });
    else {
      kept[at] = { ...before, detail: "messages" };
      known.set(item.text, kept.length);
      kept.push(item);
    }
  }
  return kept;
}

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
  const { depth, failed } = call;
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
    amount: BigInt(call.cpuInstructions),
  };
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
    text: {
      ...signatureOf(call.function, call, call.failed ? null : (call.result ?? "(no result)")),
      ...endOf(call),
    },
    where: whereOf(call.contract),
    below: call.steps.flatMap((each) => {
      const called = each.kind === "call" ? call.calls[each.index] : undefined;
      return called === undefined ? reportedItems(each) : [diagnosticItem(called)];
    }),
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

const SHOWN_LOGS = 6;

/** Of long ones and of many only as much as a report has room for: the trace has all. */
export function logContent(logs: readonly NamedLog[]): Content {
  const items = logs.slice(0, SHOWN_LOGS).map(({ contract, text }) => ({
    text: cutVisibly(text, SHOWN_LOG),
    ...(contract !== null && { where: { lead: "of", name: contract } }),
  }));
  const more = logs.length - items.length;
  return [
    treeOf("tree", items),
    more > 0 && sentence(`(${grouped(more)} more; see the calls with -v)`, { tone: "faint" }),
  ];
}

const SHOWN_LOG = 300;
