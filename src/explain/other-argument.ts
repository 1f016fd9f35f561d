// Another value for an argument of the transaction's own call: a suspicious one of the failed call,
// if it was passed on. A run with it shows whether the argument decides.

import type { Execution } from "../model/execution.ts";
import type { Snapshot } from "../model/snapshot.ts";
import { contractLookup } from "../xdr/contract/contract-specs.ts";
import { mayBe } from "../xdr/contract/value-kind.ts";
import type { OpenedRecord } from "../xdr/envelope/envelope.ts";
import { readTransactionResult } from "../xdr/outcome/result.ts";
import { showValue } from "../xdr/values/value.ts";
import { integerValue } from "../xdr/values/value-parts.ts";
import { beneathConstructor, type Failure, readFailure } from "./causes/failure.ts";
import { suspiciousArguments } from "./causes/suspicious-arguments.ts";
import { PLAIN_NAME } from "./naming/deciding-value.ts";

export interface Failed extends OpenedRecord {
  readonly snapshot: Snapshot;
  /** Null where the replay is not the chain's run. */
  readonly execution: Execution | null;
}

/** The failed call of a transaction that ended in the contract host. */
export function failureIn({ record, envelope, snapshot, execution }: Failed): Failure {
  const entries = snapshot.entries.flatMap(({ entryXdr }) => entryXdr ?? []);
  const { operationCodes, code } = readTransactionResult(record.resultXdr);
  const facts = { code: operationCodes[0] ?? code, envelope, snapshot, execution };
  return beneathConstructor(readFailure(record, { ...facts, lookup: contractLookup(entries) }));
}

export interface OtherArgument {
  readonly name: string;
  /** As a user writes it; VALUE: for the user to choose. */
  readonly value: string;
  /** All arguments of the call, ScVals; null where the value is for the user to choose. */
  readonly argumentsXdr: readonly string[] | null;
  readonly isSuspect: boolean;
}

/**
 * The suspicious argument, or the one of the wrong type, or else the first. Null where its name is
 * not a plain word, or its type is unknown.
 */
export function otherArgument(failure: Failure): OtherArgument | null {
  const { envelope, lookup } = failure;
  const invoked = envelope?.hostFunction?.kind === "invoke" ? envelope.hostFunction : null;
  if (invoked === null) return null;
  const given = invoked.argumentsXdr;
  const spec = lookup(invoked.contract)?.spec ?? null;
  const inputs = spec?.functions.get(invoked.function)?.inputs ?? [];
  if (inputs.length !== given.length) return null;
  const suspects = suspiciousArguments(failure).map(({ valueXdr }) => valueXdr);
  const suspected = inputs.findIndex((_, i) => suspects.includes(given[i] ?? ""));
  const misfit = inputs.findIndex(({ type }, i) => !mayBe(given[i] ?? "", type, spec));
  const at = Math.max(suspected, suspected === -1 ? misfit : -1, 0);
  const input = inputs[at];
  if (input === undefined || !PLAIN_NAME.test(input.name)) return null;
  const typeName = input.type.kind === "plain" ? input.type.name : "";
  const value = showValue(given[at] ?? "") === "1" ? 2n : 1n;
  const valueXdr = /^[ui]/.test(typeName) ? integerValue(typeName, value) : null;
  return {
    name: input.name,
    value: valueXdr === null ? "VALUE" : String(value),
    argumentsXdr: valueXdr === null ? null : given.map((each, i) => (i === at ? valueXdr : each)),
    isSuspect: suspected !== -1 || misfit !== -1,
  };
}
