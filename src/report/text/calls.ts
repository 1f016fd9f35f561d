// The call tree: contract, function, arguments, result and cost of each call and, if they were
// recorded, its calls to the host.

import { grouped } from "../../base/text/grouped.ts";
import type { NamedCall, NamedHostCall } from "../../model/explanation.ts";
import { isDrawn } from "../visible-frames.ts";
import { wrap } from "./layout.ts";
import type { Style } from "./style.ts";

/** A report is read by people. Further calls are only in --json. */
const SHOWN_CALLS = 200;
const SHOWN_HOST_CALLS = 2000;
const INDENT = 2;
const DEEPEST_INDENT = 24;
const UNKNOWN_VALUE = "(not recorded)";

export interface CallDetail {
  readonly hostCalls?: boolean;
  /** Storage keys and values in full; only with host calls. */
  readonly storage?: boolean;
}

/** Empty when there is no call tree. */
export function callLines(root: NamedCall | null, style: Style, detail: CallDetail = {}): string[] {
  if (root === null) return [];
  const lines: string[] = [];
  const calls = { shown: 0, omitted: 0 };
  const hostCalls = { shown: 0, omitted: 0 };
  const drawHostCalls = (list: readonly NamedHostCall[], depth: number) => {
    for (const { call, times } of withoutFloods(list)) {
      hostCalls.shown += 1;
      if (hostCalls.shown > SHOWN_HOST_CALLS) hostCalls.omitted += times;
      else if (times > 1) lines.push(...drawFlood(call, times, depth, style));
      else lines.push(...drawHostCall(call, depth + call.depth, style, detail.storage === true));
    }
  };
  const visit = (call: NamedCall, depth: number) => {
    const draws = isDrawn(call, call.calls);
    if (draws && calls.shown < SHOWN_CALLS) {
      calls.shown += 1;
      lines.push(...drawCall(call, depth, style));
    } else if (draws) calls.omitted += 1;
    const below = draws ? depth + 1 : depth;
    const between = detail.hostCalls === true ? hostCallsByPlace(call) : [];
    for (const [index, child] of call.calls.entries()) {
      drawHostCalls(between[index] ?? [], below);
      visit(child, below);
    }
    drawHostCalls(between[call.calls.length] ?? [], below);
    const leftOut = (detail.hostCalls === true && call.hostCallsLeftOut) || 0;
    if (leftOut > 0)
      lines.push(`${indentOf(below)}(${grouped(`${leftOut}`)} more host calls, not recorded)`);
  };
  visit(root, 1);
  if (calls.omitted > 0) lines.push(`  (${calls.omitted} more calls; see --json)`);
  if (hostCalls.omitted > 0)
    lines.push(`  (${grouped(`${hostCalls.omitted}`)} more host calls; see --json)`);
  return lines;
}

/** The host calls before the first call, before the second, and so on. */
export function hostCallsByPlace({ hostCalls = [], calls }: NamedCall): NamedHostCall[][] {
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

function drawCall(call: NamedCall, depth: number, style: Style): string[] {
  const indent = indentOf(depth);
  const name = `${call.function ?? call.kind}(${argumentsOf(call).join(", ")})`;
  const outcome = call.failed ? "FAILED" : `-> ${call.result ?? UNKNOWN_VALUE}`;
  const contract = call.contract === null ? [] : wrap(call.contract, `${indent}  in `);
  return [
    ...wrap(`${name} ${outcome}`, indent, indent.length + 4).map(
      call.failed ? style.bad : (line) => line,
    ),
    ...contract,
    ...wrap(costOf(call), `${indent}  `).map(style.faint),
  ];
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

function argumentsOf({ arguments: values, argumentNames: names }: NamedCall): readonly string[] {
  return names === null ? values : values.map((value, i) => `${names[i]}: ${value}`);
}

/** Successive calls of one function of which nothing was recorded, as one. */
export function withoutFloods(list: readonly NamedHostCall[]) {
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

function drawFlood(call: NamedHostCall, times: number, depth: number, style: Style): string[] {
  const indent = indentOf(depth + call.depth);
  return wrap(floodInWords(call, times), `${indent}. `, indent.length + 4).map(style.faint);
}

export function floodInWords(call: NamedHostCall, times: number): string {
  return `${call.function}, ${grouped(String(times))} times (values not recorded)`;
}

function drawHostCall(
  call: NamedHostCall,
  depth: number,
  style: Style,
  storage: boolean,
): string[] {
  const indent = indentOf(depth);
  const values = call.arguments.map((value) => value ?? UNKNOWN_VALUE).join(", ");
  const outcome = call.failed ? "FAILED" : `-> ${call.result ?? UNKNOWN_VALUE}`;
  const cost = `[${grouped(call.cpuInstructions)}]`;
  const head = `${call.function}(${values}) ${outcome} ${cost}`;
  const lines = wrap(head, `${indent}. `, indent.length + 4).map(
    call.failed ? style.bad : style.faint,
  );
  return storage ? [...lines, ...storageLines(call, indent)] : lines;
}

function storageLines({ storage }: NamedHostCall, indent: string): string[] {
  if (storage === null) return [];
  const { action, durability, key, value } = storage;
  const lines = wrap(`${action} ${durability} ${key}`, `${indent}    `, indent.length + 6);
  return value === null ? lines : [...lines, ...wrap(value, `${indent}      = `)];
}

function indentOf(depth: number): string {
  return " ".repeat(Math.min(depth * INDENT, DEEPEST_INDENT));
}
