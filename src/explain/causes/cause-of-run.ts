// Finds the cause of a run that did not happen on the chain: a transaction that ran with a change,
// or before it was sent. Only the diagnostics of that run count.

import type { Execution } from "../../model/execution.ts";
import type { Snapshot } from "../../model/snapshot.ts";
import { lookupIn } from "../../xdr/contract/lookup-in.ts";
import type { Envelope } from "../../xdr/envelope/envelope.ts";
import { readOperationResult } from "../../xdr/outcome/result.ts";
import type { CauseFinding } from "../words/found-cause.ts";
import { causeOfOperation } from "./cause.ts";
import { failureOf } from "./failure.ts";

/** A transaction with its run, and the state of the run. */
export interface Ran {
  readonly envelope: Envelope;
  readonly snapshot: Snapshot;
  readonly ledger: number;
}

/** The cause of a run. `execution` must not be a success. */
export function causeOfRun(
  { envelope, snapshot, ledger }: Ran,
  execution: Execution,
  absentByNode: readonly string[] = [],
): CauseFinding {
  const { outcome, operationResultXdr, diagnosticsXdr } = execution;
  if (operationResultXdr === null) {
    const message = outcome.kind === "internal_error" ? outcome.message : null;
    return {
      by: "internal",
      kind: "internal-error",
      facts: { message },
      confidence: "known",
      evidence: [],
    };
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
