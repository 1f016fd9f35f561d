// The cause of a run that did not happen on the chain: a transaction that was run with something
// changed, or before it was sent. Only that run's own diagnostics count.

import type { Execution } from "../../model/execution.ts";
import type { Snapshot } from "../../model/snapshot.ts";
import { lookupIn } from "../../xdr/contract/lookup-in.ts";
import type { Envelope } from "../../xdr/envelope/envelope.ts";
import { readOperationResult } from "../../xdr/outcome/result.ts";
import { causeOfOperation } from "./cause.ts";
import { type CauseFacts, failureOf } from "./failure.ts";

const REPORT_IT = "Report it to the maintainers of svc, with this transaction.";

/** A transaction that ran, and the state that it ran on. */
export interface Ran {
  readonly envelope: Envelope;
  readonly snapshot: Snapshot;
  readonly ledger: number;
}

/** `execution` did not succeed. */
export function causeOfRun(
  { envelope, snapshot, ledger }: Ran,
  execution: Execution,
  absentByNode: readonly string[] = [],
): CauseFacts {
  const { outcome, operationResultXdr, diagnosticsXdr } = execution;
  if (operationResultXdr === null) {
    const why = outcome.kind === "internal_error" ? `: ${outcome.message}` : "";
    const summary = `The contract host ended with an internal error${why}.`;
    const cause = { kind: "internal-error", summary, confidence: "known" } as const;
    return { cause, evidence: [], remedy: REPORT_IT };
  }
  return causeOfOperation(
    failureOf(diagnosticsXdr, {
      result: readOperationResult(operationResultXdr),
      envelope,
      ledger,
      snapshot,
      execution,
      absentByNode,
      lookup: lookupIn(snapshot.entries),
    }),
  );
}
