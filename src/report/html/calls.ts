// The call tree, as nested lists that fold without a script: arguments, results and costs of each
// call, and between the calls what the contract asked of the host.

import { grouped } from "../../base/text/grouped.ts";
import { cutVisibly } from "../../base/text/neutralise.ts";
import type { DiagnosticCall, NamedCall, NamedHostCall } from "../../model/explanation.ts";
import { floodInWords, hostCallsByPlace, withoutFloods } from "../text/calls.ts";
import { isDrawn } from "../visible-frames.ts";
import { bar, html, type Markup, prose } from "./markup.ts";

const UNKNOWN_VALUE = "(not recorded)";
/** Longer values are cut in the line of a call, and are in full below it. */
const SHOWN_VALUE = 120;
/** A page with more is slow. The JSON report has all. */
const MOST_CALLS = 10_000;
const MOST_HOST_CALLS = 20_000;
/** Up to this number, all calls are open at first. */
const OPEN_CALLS = 40;
const OPEN_DEPTH = 2;
/** Up to this number, host calls are open at first if one of them failed. */
const OPEN_HOST_CALLS = 20;

interface Tree {
  readonly rootInstructions: bigint;
  readonly opensAll: boolean;
  calls: number;
  hostCalls: number;
  readonly omitted: { calls: number; hostCalls: number };
}

/** `after`: a sentence below the tree. */
export function callTree(root: NamedCall, after: string | null): Markup {
  const tree: Tree = {
    rootInstructions: BigInt(root.cpuInstructions),
    opensAll: countOf(root) <= OPEN_CALLS,
    calls: 0,
    hostCalls: 0,
    omitted: { calls: 0, hostCalls: 0 },
  };
  const list = drawCall(tree, root, 0);
  const { calls, hostCalls } = tree.omitted;
  const omitted = [
    ...(calls > 0 ? [`${grouped(calls)} more calls`] : []),
    ...(hostCalls > 0 ? [`${grouped(hostCalls)} more host calls`] : []),
  ];
  const left = omitted.length > 0 && html`<p>${omitted.join(" and ")} are in the JSON report.</p>`;
  return treeMarkup(list, html`${left}${after !== null && html`<p>${after}</p>`}`);
}

export function diagnosticCallTree(calls: readonly DiagnosticCall[]): Markup {
  let drawn = 0;
  const draw = (call: DiagnosticCall): Markup | null => {
    drawn += 1;
    if (drawn > MOST_CALLS) return null;
    const { contract, failed, result } = call;
    const values = callValues(call, failed ? null : (result ?? "(no result)"));
    return row({
      failed,
      line: html`${callLine(call.function, values, failed)}
${contract !== null && html`<span class="cost">${prose(contract)}</span>`}`,
      inside: [fullValues(values), ...call.calls.map(draw)],
      open: true,
    });
  };
  const list = calls.map(draw);
  const more = drawn - MOST_CALLS;
  return treeMarkup(
    list,
    more > 0 && html`<p>${grouped(more)} more calls are in the JSON report.</p>`,
  );
}

function treeMarkup(
  list: Markup | null | readonly (Markup | null)[],
  omitted: Markup | false,
): Markup {
  return html`<div data-tree>
<div class="tools" hidden><label>Search <input type="search" autocomplete="off"
spellcheck="false" placeholder="function, value or key"></label>
<button type="button" data-fold="open">Expand all</button>
<button type="button" data-fold="close">Collapse all</button><output></output></div>
<ul class="tree">${list}</ul>${omitted}</div>`;
}

function countOf(call: NamedCall): number {
  return call.calls.reduce((sum, each) => sum + countOf(each), 1);
}

/** Frames that only contain other frames are not drawn themselves. */
function drawCall(tree: Tree, call: NamedCall, depth: number): Markup | null {
  const draws = isDrawn(call, call.calls);
  if (draws) tree.calls += 1;
  if (draws && tree.calls > MOST_CALLS) {
    tree.omitted.calls += countOf(call);
    return null;
  }
  const below = draws ? depth + 1 : depth;
  const between = call.hostCalls === undefined ? [] : hostCallsByPlace(call);
  const children = call.calls.flatMap((child, index) => [
    drawHostCalls(tree, between[index]),
    drawCall(tree, child, below),
  ]);
  const leftOut = call.hostCallsLeftOut ?? 0;
  const inside = [
    ...children,
    drawHostCalls(tree, between[call.calls.length]),
    leftOut > 0
      ? html`<li class="soft">${grouped(leftOut)} more host calls, not recorded</li>`
      : null,
  ];
  if (!draws) return html`${inside}`;
  const { failed, result } = call;
  const values = callValues(call, failed ? null : (result ?? UNKNOWN_VALUE));
  return row({
    failed,
    line: html`${callLine(call.function ?? call.kind, values, failed)}${costLine(tree, call)}`,
    inside: [fullValues(values), ...inside],
    open: tree.opensAll || depth < OPEN_DEPTH || hasFailed(call),
  });
}

/** The way to a failure is open. */
function hasFailed(call: NamedCall): boolean {
  return call.calls.some((each) => each.failed || hasFailed(each));
}

interface Row {
  readonly failed: boolean;
  readonly line: Markup;
  readonly inside: readonly (Markup | null)[];
  readonly open: boolean;
}

/** One item of the tree; it folds only if something is inside. */
function row({ failed, line, inside, open }: Row): Markup {
  const kind = failed ? "call failed" : "call";
  if (inside.every((each) => each === null || `${each}` === ""))
    return html`<li class="${kind}"><div class="own">${line}</div></li>`;
  return html`<li class="${kind}"><details${open && html` open`}><summary class="own">${line}</summary>
<ul>${inside}</ul></details></li>`;
}

interface NamedValue {
  readonly name: string;
  readonly value: string;
}

interface CallValues {
  readonly arguments: readonly NamedValue[];
  /** Null when the call failed. */
  readonly result: string | null;
}

function callValues(
  call: Pick<NamedCall, "arguments" | "argumentNames">,
  result: string | null,
): CallValues {
  const names = call.argumentNames;
  const named = call.arguments.map((value, i) => ({ name: names?.[i] ?? "", value }));
  return { arguments: named, result };
}

function callLine(name: string, values: CallValues, failed: boolean): Markup {
  const list = values.arguments.map(
    (each, index) =>
      html`${index > 0 && ", "}${each.name !== "" && html`<i>${each.name}:</i> `}${prose(cut(each.value))}`,
  );
  const outcome = failed
    ? html`<b class="badge bad">failed</b>`
    : html`<span class="result">→ ${prose(cut(values.result ?? ""))}</span>`;
  return html`<span class="what"><b>${name}</b>(${list}) ${outcome}</span>`;
}

function cut(value: string): string {
  return cutVisibly(value, SHOWN_VALUE);
}

/** Null when the line of the call has them in full. */
function fullValues({ arguments: given, result }: CallValues): Markup | null {
  const all = [...given, ...(result === null ? [] : [{ name: "result", value: result }])];
  const long = all.filter(({ value }) => value.length > SHOWN_VALUE);
  if (long.length === 0) return null;
  return html`<li class="values">${long.map(
    ({ name, value }, index) => html`<div><i>${name === "" ? `value ${index + 1}` : name}</i>
<code>${value}</code></div>`,
  )}</li>`;
}

function costLine({ rootInstructions }: Tree, call: NamedCall): Markup {
  const instructions = grouped(call.cpuInstructions);
  const bytes = grouped(call.memoryBytes);
  const self = call.calls.length > 0;
  const part = (amount: string) =>
    rootInstructions === 0n ? 0 : Number((BigInt(amount) * 10_000n) / rootInstructions) / 10_000;
  const own = part(call.selfCpuInstructions);
  return html`<span class="cost parts">${
    call.contract !== null && html`<span>${prose(call.contract)}</span>`
  }<span>${instructions} instructions${self && ` (${grouped(call.selfCpuInstructions)} self)`}</span
><span>${bytes} bytes${self && ` (${grouped(call.selfMemoryBytes)} self)`}</span
>${bar([
    { share: own, kind: "self" },
    { share: part(call.cpuInstructions) - own, kind: "total" },
  ])}</span>`;
}

/** The host calls between two calls, which fold together. */
function drawHostCalls(tree: Tree, calls: readonly NamedHostCall[] = []): Markup | null {
  const room = Math.max(0, MOST_HOST_CALLS - tree.hostCalls);
  tree.hostCalls += calls.length;
  tree.omitted.hostCalls += Math.max(0, calls.length - room);
  if (calls.length === 0 || room === 0) return null;
  const open = calls.length <= OPEN_HOST_CALLS && calls.some((call) => call.failed);
  const count = `${grouped(calls.length)} host ${calls.length === 1 ? "call" : "calls"}`;
  const rows = withoutFloods(calls.slice(0, room)).map(({ call, times }) =>
    times > 1 ? drawFlood(call, times) : drawHostCall(call),
  );
  return html`<li class="host"><details${open && html` open`}><summary class="own">${count}</summary>
<ul>${rows}</ul></details></li>`;
}

function drawFlood(call: NamedHostCall, times: number): Markup {
  return html`<li><div class="own depth-${Math.min(call.depth, 4)}"
><span class="what">${floodInWords(call, times)}</span></div></li>`;
}

function drawHostCall(call: NamedHostCall): Markup {
  const values = call.arguments.map((value) => value ?? UNKNOWN_VALUE).join(", ");
  const outcome = call.failed
    ? html`<b class="badge bad">failed</b>`
    : html`<span class="result">→ ${prose(call.result ?? UNKNOWN_VALUE)}</span>`;
  const { storage } = call;
  return html`<li><div class="own depth-${Math.min(call.depth, 4)}"><span class="line"><span class="what"
><b>${call.function}</b>(${prose(values)}) ${outcome}</span>
<span class="soft">${grouped(call.cpuInstructions)}</span></span>${
    storage !== null &&
    html`<span class="storage">${storage.action} ${storage.durability} <code>${prose(storage.key)}</code>${
      storage.value !== null && html` = <code>${prose(storage.value)}</code>`
    }</span>`
  }</div></li>`;
}
