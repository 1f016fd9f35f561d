// The walk: hash → ChainRecord → Snapshot → Execution → Verdict → Explanation.

import { withEnd } from "../../base/join-signals.ts";
import type { Investigation } from "../../model/investigation.ts";
import { prefetchEarlier } from "../../snapshot/gather/earlier-changes.ts";
import { readTransactionResult } from "../../xdr/outcome/result.ts";
import type { Engines } from "../run/replay.ts";
import { type CaptureDependencies, captureTransaction } from "./capture-transaction.ts";
import { type DebugOptions, replayCaptured } from "./replay-captured.ts";

export type DebugDependencies = CaptureDependencies & Engines;

/** Throws what the sources and the simulator throw; a failing transaction is a value. */
export async function debugTransaction(
  dependencies: DebugDependencies,
  hash: string,
  options: DebugOptions,
): Promise<Investigation> {
  const captured = await captureTransaction(dependencies, hash, options);
  const { record, snapshot } = captured;
  if (snapshot === null || readTransactionResult(record.resultXdr).success) {
    return replayCaptured(dependencies, captured, options);
  }
  return withEnd(options.signal, (signal) => {
    // While it is replayed, which does not need it: looking back from the failure does.
    prefetchEarlier(dependencies.ledgers, record, snapshot, { signal });
    return replayCaptured(dependencies, captured, options);
  });
}
