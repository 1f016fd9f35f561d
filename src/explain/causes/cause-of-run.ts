// The cause of a run that did not happen on the chain: a transaction that was run with something
// changed. Only that run's own diagnostics count.

import type { ChainRecord } from "../../model/chain-record.ts";
import type { Execution } from "../../model/execution.ts";
import type { Snapshot } from "../../model/snapshot.ts";
import { contractLookup } from "../../xdr/contract/contract-specs.ts";
import { readEnvelope } from "../../xdr/envelope/envelope.ts";
import { operationResultCode, readTransactionResult } from "../../xdr/outcome/result.ts";
import { findCause } from "./cause.ts";
import type { CauseFacts } from "./failure.ts";

/**
 * `record` and `snapshot` are those of the run; the chain's outcome in them is ignored.
 * `execution` did not succeed.
 */
export function causeOfRun(
  record: ChainRecord,
  snapshot: Snapshot,
  execution: Execution,
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
    envelope: readEnvelope(record.envelopeXdr, record.networkPassphrase),
    snapshot,
    execution,
    lookup: contractLookup(entries),
  });
}
