// Why a run failed that nothing on the chain answers to: a transaction run again with something
// changed. Only its own diagnostics count.

import type { Execution } from "../model/execution.ts";
import type { Recording } from "../model/recording.ts";
import type { Snapshot } from "../model/snapshot.ts";
import { contractLookup } from "../xdr/contract-specs.ts";
import { readEnvelope } from "../xdr/envelope.ts";
import { operationResultCode, readTransactionResult } from "../xdr/result.ts";
import { findCause } from "./cause.ts";
import type { CauseFacts } from "./failure.ts";

/**
 * `recording` and `snapshot` as it ran: what is left of the chain's outcome is not looked at.
 * `execution`: did not succeed.
 */
export function causeOfRun(
  recording: Recording,
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
    ...readTransactionResult(recording.resultXdr),
    code: "txFailed",
    innerCode: null,
    operationCodes: [operationResultCode(operationResultXdr)],
    success: false,
  };
  const entries = snapshot.entries.flatMap(({ entryXdr }) => entryXdr ?? []);
  return findCause(recording, result, {
    envelope: readEnvelope(recording.envelopeXdr, recording.networkPassphrase),
    snapshot,
    execution,
    lookup: contractLookup(entries),
  });
}
