// The walk: hash → ChainRecord → Snapshot → Execution → Verdict → Explanation.

import { SvcError } from "../../base/errors/errors.ts";
import { withEnd } from "../../base/join-signals.ts";
import type { Investigation } from "../../model/investigation.ts";
import { isRunOfChain } from "../../model/verdict.ts";
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
  const found = await debugOnce(dependencies, hash, options);
  const { kind, unconfirmed } = found.verdict ?? {};
  if (kind !== "diverged" || unconfirmed === undefined) return found;
  if (unconfirmed.entries + unconfirmed.settings === 0) return found;
  return (await withoutFirstNode(dependencies, hash, options)) ?? found;
}

/** A replay may differ because a node's state is false: another node's, if that leads to the chain. */
async function withoutFirstNode(
  dependencies: DebugDependencies,
  hash: string,
  options: DebugOptions,
): Promise<Investigation | null> {
  const { sources, progress } = dependencies;
  const nodes = sources.filter((each) => each.fetchLedgerEntries !== undefined && !each.local);
  const [first, second] = nodes;
  if (first === undefined || second === undefined) return null;
  progress(`the replay differs from the chain: asking ${second.name} for the state`);
  const others = { ...dependencies, sources: sources.filter((each) => each !== first) };
  try {
    const found = await debugOnce(others, hash, options);
    if (found.verdict === null || !isRunOfChain(found.verdict)) return null;
    const caveat = `${first.name} showed another state, with which the replay differs from the chain.`;
    return { ...found, caveats: [...found.caveats, caveat] };
  } catch (error) {
    if (options.signal.aborted || !(error instanceof SvcError)) throw error;
    return null;
  }
}

async function debugOnce(
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
