// Summarizes a failed transaction in the fewest words: the contract and function that raised the
// error, and the error. Failures that are equal in these are one group.

import { neutralise } from "../base/text/neutralise.ts";
import type { Execution } from "../model/execution.ts";
import { endedWith, resultCodeName } from "../model/result-code.ts";
import type { Snapshot } from "../model/snapshot.ts";
import { errorCase, showName } from "../xdr/contract/contract-spec.ts";
import { lookupIn } from "../xdr/contract/lookup-in.ts";
import type { OpenedRecord } from "../xdr/envelope/opened-record.ts";
import { endOf, reachedHost } from "../xdr/outcome/result.ts";
import { showError } from "../xdr/values/value-text.ts";
import { failureInConstructor, readFailure } from "./causes/failure.ts";
import { showFunction } from "./naming/named-calls.ts";

export interface FailingCall {
  readonly contract: string | null;
  readonly function: string | null;
  /** The error, such as `Error(Contract, #6)`, or the name of the result code. */
  readonly error: string;
  /** From the contract's specification. */
  readonly errorName: string | null;
}

/**
 * Summarizes a failure. `snapshot` and `execution` are null if nothing was replayed, or if the
 * replay is not the chain's run.
 */
export function failingCall(
  { record, envelope, chain }: OpenedRecord,
  snapshot: Snapshot | null,
  execution: Execution | null,
): FailingCall {
  const { hostFunction } = envelope;
  const invoked = hostFunction?.kind === "invoke" ? hostFunction : null;
  const called = {
    contract: invoked?.contract ?? null,
    function: invoked && showFunction(invoked.function),
  };
  const { result } = chain;
  const end = endOf(result);
  const refused = { ...called, error: resultCodeName(end), errorName: null };
  if (!reachedHost(result) || !endedWith(end, "trapped")) return refused;
  const known = lookupIn(snapshot?.entries ?? []);
  const facts = { result: end, envelope, snapshot, execution, lookup: known };
  const { error, origin, call, lookup } = failureInConstructor(
    readFailure({ record, chain }, facts),
  );
  if (error === null) return refused;
  const contract = origin?.contract ?? call?.contract ?? called.contract;
  const raisedBy = call?.contract === contract ? call.function : null;
  const spec = lookup(contract)?.spec ?? null;
  const named = error.contractCode === null ? null : errorCase(spec, error.contractCode);
  return {
    contract,
    function: raisedBy === null || raisedBy === undefined ? called.function : neutralise(raisedBy),
    error: showError(error),
    errorName: named === null ? null : showName(named.name),
  };
}
