// The call tree: contract, function, arguments and result of each call, with what it cost.

import type { NamedCall } from "../../model/explanation.ts";
import { grouped, wrap } from "./layout.ts";
import type { Style } from "./style.ts";

/** A report is read by people: beyond this, the tree is for --json. */
const SHOWN_CALLS = 200;
const INDENT = 2;
const DEEPEST_INDENT = 24;

/** Empty when there is no call tree. */
export function callLines(root: NamedCall | null, style: Style): string[] {
  if (root === null) return [];
  const lines: string[] = [];
  let omitted = 0;
  let shown = 0;
  const visit = (call: NamedCall, depth: number) => {
    // The host function itself, and frames without a function, only hold what is below them.
    const draws = call.function !== null || call.calls.length === 0;
    if (draws && shown < SHOWN_CALLS) {
      shown += 1;
      lines.push(...drawCall(call, depth, style));
    } else if (draws) omitted += 1;
    for (const child of call.calls) visit(child, draws ? depth + 1 : depth);
  };
  visit(root, 1);
  if (omitted > 0) lines.push(`  (${omitted} more calls; see --json)`);
  return lines;
}

function drawCall(call: NamedCall, depth: number, style: Style): string[] {
  const indent = " ".repeat(Math.min(depth * INDENT, DEEPEST_INDENT));
  const name = `${call.function ?? call.kind}(${argumentsOf(call).join(", ")})`;
  const outcome = call.failed ? "FAILED" : `-> ${call.result ?? "(nothing)"}`;
  const cost = `${grouped(call.cpuInstructions)} instructions, ${grouped(call.memoryBytes)} bytes`;
  const contract = call.contract === null ? [] : wrap(call.contract, `${indent}  in `);
  return [
    ...wrap(`${name} ${outcome}`, indent, indent.length + 4).map(
      call.failed ? style.bad : (line) => line,
    ),
    ...contract,
    ...wrap(cost, `${indent}  `).map(style.faint),
  ];
}

function argumentsOf({ arguments: values, argumentNames: names }: NamedCall): readonly string[] {
  return names === null ? values : values.map((value, i) => `${names[i]}: ${value}`);
}
