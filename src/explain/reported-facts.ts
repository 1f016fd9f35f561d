// The facts of a report with their source: the chain's own record for every part that it has, and
// the replay for the rest. The parts from an unproven replay are listed in `replayOnly`.

import type { Execution, LedgerChange } from "../model/execution.ts";
import type { FeeFacts, ReplayedFact } from "../model/explanation.ts";
import type { Comparison, Verdict } from "../model/verdict.ts";
import type { ChainFacts } from "../xdr/outcome/chain-facts.ts";
import { operationChanges } from "../xdr/outcome/operation-changes.ts";

export type ReportedFees = Pick<
  FeeFacts,
  "nonRefundableStroops" | "refundableConsumedStroops" | "rentStroops" | "refundStroops"
>;

export interface ReportedFacts {
  readonly changes: readonly LedgerChange[];
  /** ContractEvents. */
  readonly eventsXdr: readonly string[];
  /** stellar-core's `core_metrics` by name. */
  readonly metrics: Readonly<Record<string, string>>;
  readonly fees: ReportedFees;
  readonly replayOnly: readonly ReplayedFact[];
}

/**
 * The facts. `verdict` is null if nothing was replayed, and for a run that never happened on the
 * chain.
 */
export function reportedFacts(
  chain: ChainFacts,
  execution: Execution | null,
  verdict: Verdict | null,
): ReportedFacts {
  const isProven = verdict === null || isProof(chain, verdict);
  const replayOnly: ReplayedFact[] = [];
  const replayed = (...facts: readonly ReplayedFact[]) => {
    if (!isProven) replayOnly.push(...facts);
  };
  const { meta, metrics } = chain;
  if (execution?.callTree) replayed("calls");
  if (meta === null) replayed("changes", "events", "tokens");
  const isMetered = Object.keys(execution?.metrics ?? {}).length > 0;
  if (metrics.size === 0 && isMetered) replayed("resources");
  return {
    changes: execution === null ? [] : changesOf(chain, execution),
    eventsXdr: (isMetaRewritten(verdict) ? null : meta?.eventsXdr) ?? execution?.eventsXdr ?? [],
    metrics: {
      ...(isProven || metrics.size === 0 ? execution?.metrics : {}),
      ...Object.fromEntries(metrics),
    },
    fees: reportedFees(chain, execution, replayed),
    replayOnly,
  };
}

/**
 * True if no part of the state was assumed. If a failure shows only that it failed, no part of the
 * state may be only a node's claim either.
 */
function isProof({ result, diagnosticsXdr }: ChainFacts, verdict: Verdict): boolean {
  const { kind, caveats, unconfirmed } = verdict;
  if (kind !== "exact" && kind !== "equivalent") return false;
  const isBare = !result.success && diagnosticsXdr.length === 0;
  return !caveats.some((each) => each.kind === "assumed") && !(isBare && unconfirmed.entries > 0);
}

/**
 * True if the success hash proves the replay's return value and events, and the meta shows others.
 * Only verdict/ knows what a node rewrites.
 */
export function isMetaRewritten(verdict: Verdict | null): boolean {
  return (
    verdict?.comparisons.some(
      ({ subject, result, detail }) =>
        COVERED.has(subject) && result === "different" && detail !== null,
    ) ?? false
  );
}

const COVERED = new Set<Comparison["subject"]>(["events", "return-value", "fee-events"]);

/** The meta also has the TTLs before the transaction, which a replay may not know. */
function changesOf({ meta }: ChainFacts, execution: Execution): readonly LedgerChange[] {
  return meta === null ? execution.changes : [...operationChanges(meta).values()];
}

function reportedFees(
  { meta, refundStroops }: ChainFacts,
  execution: Execution | null,
  replayed: (...facts: readonly ReplayedFact[]) => void,
): ReportedFees {
  const onChain = meta?.sorobanFees ?? null;
  const fees = execution?.fees ?? null;
  if (onChain === null && fees !== null) {
    replayed("fees.nonRefundableStroops", "fees.refundableConsumedStroops", "fees.rentStroops");
  }
  if (refundStroops === null && fees !== null) replayed("fees.refundStroops");
  return {
    nonRefundableStroops: onChain?.nonRefundableStroops ?? fees?.nonRefundableStroops ?? null,
    refundableConsumedStroops:
      onChain?.refundableStroops ?? fees?.refundableConsumedStroops ?? null,
    rentStroops: onChain?.rentStroops ?? fees?.rentStroops ?? null,
    refundStroops: refundStroops ?? fees?.refundStroops ?? null,
  };
}
