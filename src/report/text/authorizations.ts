// Who allowed which calls, as the transaction carries it.

import type { NamedAuthorization, NamedInvocation } from "../../model/explanation.ts";
import { wrap } from "./layout.ts";

/** A report is read by people: beyond this, the rest is for --json. */
const SHOWN_LINES = 200;
const INDENT = 2;
const DEEPEST_INDENT = 24;

/** Empty when the transaction carries none. `depth`: below how many other lines it stands. */
export function authorizationLines(
  authorizations: readonly NamedAuthorization[],
  shownLines = SHOWN_LINES,
  depth = 0,
): string[] {
  const lines: string[] = [];
  const visit = (invocation: NamedInvocation, below: number) => {
    lines.push(...invocationLines(invocation, below));
    for (const call of invocation.calls) visit(call, below + 1);
  };
  const indent = " ".repeat((depth + 1) * INDENT);
  for (const { signer, signed, validUntilLedger, invocation } of authorizations) {
    const until = validUntilLedger === null ? "" : `, valid until ledger ${validUntilLedger}`;
    const who = signer ?? "the source account, by its signature";
    lines.push(...wrap(`${who}${until}${signed ? "" : ", not signed"}`, indent, indent.length + 2));
    visit(invocation, depth + 2);
  }
  if (lines.length <= shownLines) return lines;
  const omitted = lines.length - shownLines;
  return [...lines.slice(0, shownLines), `${indent}(${omitted} more lines; see --json)`];
}

export function invocationLines(
  { contract, ...invocation }: NamedInvocation,
  depth: number,
): string[] {
  const indent = " ".repeat(Math.min(depth * INDENT, DEEPEST_INDENT));
  const names = invocation.argumentNames;
  const values = invocation.arguments.map((value, i) =>
    names === null ? value : `${names[i]}: ${value}`,
  );
  const call = `${invocation.function ?? "create a contract"}(${values.join(", ")})`;
  const where = contract === null ? [] : wrap(contract, `${indent}  in `);
  return [...wrap(call, indent, indent.length + 4), ...where];
}
