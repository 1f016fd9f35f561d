// Folds one ledger in stellar-core's order and stops before every Soroban transaction.
// LedgerManagerImpl.cpp, applyLedger: the fees of all transactions; the sequential phase, one by
// one, each with its refund before protocol 23; then the parallel phase: all sequence numbers,
// stage after stage, all refunds. Upgrades and evictions come last.

import { readSorobanFacts, type SorobanFacts } from "../../xdr/envelope/envelope-facts.ts";
import { keyChanges, readKeyedChanges, type SlicedChange } from "../../xdr/ledger/keyed-change.ts";
import type { LedgerCloseMetaView, LedgerTransaction } from "../../xdr/ledger/ledger-close-meta.ts";
import { type MetaChanges, sliceMetaChanges } from "../../xdr/outcome/meta.ts";
import { type FootprintKey, footprintKeys } from "../footprint-keys.ts";
import type { FoldedState } from "./folded-state.ts";
import { StageTtls } from "./stage-ttls.ts";

/** A transaction of a ledger with its changes by the moment they take effect. */
export interface FoldStep {
  readonly transaction: LedgerTransaction;
  /** Null for classic transactions. */
  readonly soroban: SorobanFacts | null;
  /** Of a Soroban transaction; empty otherwise. */
  readonly footprint: readonly FootprintKey[];
  readonly meta: MetaChanges;
  readonly changesBefore: readonly SlicedChange[];
  readonly operationChanges: readonly SlicedChange[];
  readonly changesAfter: readonly SlicedChange[];
}

/**
 * While the caller handles a step, `state` is what that Soroban transaction's operation sees.
 * `steps`: of the view's transactions, in their order.
 */
export function* foldLedger(
  state: FoldedState,
  view: LedgerCloseMetaView,
  steps: readonly FoldStep[] = view.transactions.map(readStep),
): Generator<FoldStep> {
  state.beginLedger(view.facts.sequence);
  for (const { feeChanges } of view.transactions) state.apply(readKeyedChanges(feeChanges));
  const parallel: FoldStep[] = [];
  for (const step of steps) {
    if (step.transaction.placed.stage !== null) parallel.push(step);
    else yield* foldSequential(state, step);
  }
  yield* foldParallel(state, parallel);
  for (const { refundChanges } of view.transactions) {
    if (refundChanges !== null) state.apply(readKeyedChanges(refundChanges));
  }
  for (const upgrade of view.upgrades) state.apply(readKeyedChanges(upgrade.changes));
  for (const key of view.evictedKeys) state.evict(key);
}

function* foldSequential(state: FoldedState, step: FoldStep): Generator<FoldStep> {
  state.apply(step.changesBefore);
  if (step.soroban !== null) yield step;
  state.apply(step.operationChanges);
  state.apply(step.changesAfter);
}

function* foldParallel(state: FoldedState, steps: readonly FoldStep[]): Generator<FoldStep> {
  for (const step of steps) state.apply(step.changesBefore);
  const ttls = new StageTtls(state);
  let current: number | null = null;
  for (const step of steps) {
    const { stage, cluster } = step.transaction.placed;
    if (stage !== current) ttls.end();
    current = stage;
    ttls.beforeTransaction(cluster ?? 0, step.footprint);
    if (step.soroban !== null) yield step;
    ttls.applyOperation(cluster ?? 0, step.footprint, step.operationChanges);
  }
  ttls.end();
  for (const step of steps) state.apply(step.changesAfter);
}

export function readStep(transaction: LedgerTransaction): FoldStep {
  const soroban = readSorobanFacts(transaction.placed.envelope);
  const meta = sliceMetaChanges(transaction.meta);
  return {
    transaction,
    soroban,
    footprint: soroban === null ? [] : footprintKeys(soroban.footprint),
    meta,
    changesBefore: keyChanges(meta.changesBefore),
    operationChanges: meta.operationChanges.flatMap((changes) => keyChanges(changes)),
    changesAfter: keyChanges(meta.changesAfter),
  };
}
