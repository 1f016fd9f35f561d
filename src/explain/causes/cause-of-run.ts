// The cause of a run that did not happen on the chain: a transaction that was run with something
// changed. Only that run's own diagnostics count.

import type { Execution } from "../../model/execution.ts";
import type { Snapshot } from "../../model/snapshot.ts";
import { contractLookup } from "../../xdr/contract/contract-specs.ts";
import type { OpenedRecord } from "../../xdr/envelope/envelope.ts";
import { operationResultCode, readTransactionResult } from "../../xdr/outcome/result.ts";
import { findCause } from "./cause.ts";
import type { CauseFacts } from "./failure.ts";

/**
 * The first argument is what ran; the chain's outcome in it is ignored. `execution` did not
 * succeed.
 */
export function causeOfRun(
  { record, envelope, snapshot }: OpenedRecord & { readonly snapshot: Snapshot },
  execution: Execution,
  absentByNode: readonly string[] = [],
): CauseFacts {
  const { outcome, operationResultXdr } = execution;
  if (operationResultXdr === null) {
    const why = outcome.kind === "internal_error" ? `: ${outcome.message}` : "";
    const summary = `The contract host ended with an internal error${why}.`;
    const cause = { kind: "internal-error", summary, confidence: "known" } as const;
    return { cause, evidence: [], remedy: null };
  }
  const result = {
    ...readTransactionResult(record.resultXdr),
    code: "txFailed",
    innerCode: null,
    operationCodes: [operationResultCode(operationResultXdr)],
    success: false,
  };
  const entries = snapshot.entries.flatMap(({ entryXdr }) => entryXdr ?? []);
  return findCause(record, result, {
    envelope,
    snapshot,
    execution,
    absentByNode,
    lookup: contractLookup(entries),
  });
}
