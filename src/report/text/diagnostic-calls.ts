// The call tree of a transaction that was not replayed, as far as diagnostic events show it.

import type { DiagnosticCall } from "../../model/explanation.ts";
import { wrap } from "./layout.ts";
import type { Style } from "./style.ts";

/** A report is read by people. Further calls are only in --json. */
const SHOWN_CALLS = 200;
const INDENT = 2;
const DEEPEST_INDENT = 24;

export function diagnosticCallLines(calls: readonly DiagnosticCall[], style: Style): string[] {
  const lines: string[] = [];
  let count = 0;
  const visit = (call: DiagnosticCall, depth: number) => {
    count += 1;
    if (count <= SHOWN_CALLS) lines.push(...drawCall(call, depth, style));
    for (const child of call.calls) visit(child, depth + 1);
  };
  for (const call of calls) visit(call, 1);
  if (count > SHOWN_CALLS) lines.push(`  (${count - SHOWN_CALLS} more calls; see --json)`);
  return lines;
}

function drawCall(call: DiagnosticCall, depth: number, style: Style): string[] {
  const indent = " ".repeat(Math.min(depth * INDENT, DEEPEST_INDENT));
  const names = call.argumentNames;
  const values = call.arguments.map((value, i) =>
    names === null ? value : `${names[i]}: ${value}`,
  );
  const outcome = call.failed ? "FAILED" : `-> ${call.result ?? "(no result)"}`;
  const drawn = wrap(
    `${call.function}(${values.join(", ")}) ${outcome}`,
    indent,
    indent.length + 4,
  );
  const contract = call.contract === null ? [] : wrap(call.contract, `${indent}  in `);
  return [...drawn.map(call.failed ? style.bad : (line) => line), ...contract];
}
