// The context of a proof: further runs of one transaction besides its replay, and the judge.

import type { Execution } from "../../model/execution.ts";
import type { Snapshot } from "../../model/snapshot.ts";
import type { Verdict } from "../../model/verdict.ts";
import type { ReplayRequest } from "../../simulator/wire-schema.ts";

export interface ProofContext {
  /** The sequence number of the transaction's ledger. */
  readonly ledger: number;
  /** Runs a request in the simulator of the replay. Throws the errors of the simulator. */
  readonly run: (request: ReplayRequest) => Promise<Execution>;
  readonly judge: (snapshot: Snapshot, execution: Execution) => Verdict;
}

/** A replay as far as it has been judged. */
export interface Judged {
  readonly request: ReplayRequest;
  readonly execution: Execution;
  readonly verdict: Verdict;
  readonly snapshot: Snapshot;
}

/** Says whether two executions are equal in everything that is compared with the chain. */
export function endedAlike(left: Execution, right: Execution): boolean {
  return comparable(left) === comparable(right);
}

function comparable(execution: Execution): string {
  const { outcome, operationResultXdr, resultXdr, returnValueXdr, eventsXdr } = execution;
  const { changes, diagnosticsXdr, hostError, fees, metrics } = execution;
  const written = changes.map(({ kind, keyXdr, afterXdr }) => [kind, keyXdr, afterXdr]);
  const result = [outcome, operationResultXdr, resultXdr, returnValueXdr, eventsXdr];
  return JSON.stringify([result, written, diagnosticsXdr, hostError, fees, metrics]);
}
