// The walk: hash → ChainRecord → Snapshot → Execution → Verdict → Explanation.

import { withEnd } from "../../base/join-signals.ts";
import type { Investigation } from "../../model/investigation.ts";
import { differsFromChain } from "../../model/verdict.ts";
import { prefetchEarlier } from "../../snapshot/gather/earlier-changes.ts";
import type { Engines } from "../run/replay.ts";
import { askOtherNodes, type Walked } from "./ask-other-nodes.ts";
import { type CaptureDependencies, captureTransaction } from "./capture-transaction.ts";
import { type DebugOptions, replayCaptured } from "./replay-captured.ts";

export type DebugDependencies = CaptureDependencies & Engines;

/** Throws the errors of the sources and of the simulator. A failing transaction is a value. */
export async function debugTransaction(
  dependencies: DebugDependencies,
  hash: string,
  options: DebugOptions,
): Promise<Investigation> {
  const walked = await walk(dependencies, hash, options);
  if (!differsFromChain(walked.investigation.verdict)) return walked.investigation;
  const again = (nodes: CaptureDependencies) => walk({ ...dependencies, ...nodes }, hash, options);
  return askOtherNodes(dependencies, walked, again, options);
}

async function walk(
  dependencies: DebugDependencies,
  hash: string,
  options: DebugOptions,
): Promise<Walked> {
  const captured = await captureTransaction(dependencies, hash, options);
  const { record, chain, snapshot, witnesses = new Map() } = captured;
  if (snapshot === null || chain.result.success) {
    return { investigation: await replayCaptured(dependencies, captured, options), witnesses };
  }
  return withEnd(options.signal, async (signal) => {
    // The replay does not need earlier ledgers, but looking back from the failure does, so they are
    // fetched meanwhile.
    prefetchEarlier(dependencies.ledgers, record, snapshot, { signal });
    return { investigation: await replayCaptured(dependencies, captured, options), witnesses };
  });
}
