// The authorizations of the transaction: who allows which calls.

import type { NamedAuthorization, NamedInvocation } from "../../model/authorizations.ts";
import { wrap } from "./layout.ts";

/** A report is read by people. Further rows are only in --json. */
const SHOWN_LINES = 200;
const INDENT = 2;
const DEEPEST_INDENT = 24;

/** Empty when the transaction has none. `depth`: the number of enclosing lines. */
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
  for (const authorization of authorizations) {
    const { signer, signed, invocation } = authorization;
    const who = signer ?? "the source account, by its signature";
    const state = `${validityInWords(authorization)}${signed ? "" : ", not signed"}`;
    lines.push(...wrap(`${who}${state}`, indent, indent.length + 2));
    visit(invocation, depth + 2);
  }
  if (lines.length <= shownLines) return lines;
  const omitted = lines.length - shownLines;
  return [...lines.slice(0, shownLines), `${indent}(${omitted} more lines; see --json)`];
}

/** `, valid until ledger 314`; empty for an unsigned entry whose ledger is not set yet. */
export function validityInWords({ signed, validUntilLedger: last }: NamedAuthorization): string {
  return last === null || (last === 0 && !signed) ? "" : `, valid until ledger ${last}`;
}

export function invocationLines(invocation: NamedInvocation, depth: number): string[] {
  const { contract } = invocation;
  const indent = " ".repeat(Math.min(depth * INDENT, DEEPEST_INDENT));
  const where = contract === null ? [] : wrap(contract, `${indent}  in `);
  return [...wrap(invocationInWords(invocation), indent, indent.length + 4), ...where];
}

export function invocationInWords(invocation: NamedInvocation): string {
  const names = invocation.argumentNames;
  const values = invocation.arguments.map((value, i) =>
    names === null ? value : `${names[i]}: ${value}`,
  );
  return `${invocation.function ?? "create a contract"}(${values.join(", ")})`;
}
