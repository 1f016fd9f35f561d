// A TTL that was read at a later ledger than the transaction's, or of which only the result shows
// that it had not ended. Contracts cannot read a TTL. It decides whether an extension takes place,
// which the changes show; what an entry that grows pays for rent, which the fee shows (soroban-env-
// host, fees.rs, compute_rent_fee: growth and extensions are all that is paid for); and, by both,
// whether the fee or the budget runs out. Where none of that can be seen to be the chain's, it is an
// assumption like any other.

import type { Execution, LedgerChange } from "../model/execution.ts";
import type { Snapshot, SnapshotEntry } from "../model/snapshot.ts";
import type { Caveat, Comparison } from "../model/verdict.ts";
import type { ChainFacts } from "../xdr/outcome/chain-facts.ts";
import { operationChanges } from "../xdr/outcome/operation-changes.ts";
import { ttlKeyOf } from "../xdr/reader/keys.ts";

const RUNS_OUT = new Set([
  "INVOKE_HOST_FUNCTION_RESOURCE_LIMIT_EXCEEDED",
  "INVOKE_HOST_FUNCTION_INSUFFICIENT_REFUNDABLE_FEE",
  "EXTEND_FOOTPRINT_TTL_RESOURCE_LIMIT_EXCEEDED",
  "EXTEND_FOOTPRINT_TTL_INSUFFICIENT_REFUNDABLE_FEE",
  "RESTORE_FOOTPRINT_RESOURCE_LIMIT_EXCEEDED",
  "RESTORE_FOOTPRINT_INSUFFICIENT_REFUNDABLE_FEE",
]);

/** `comparisons`: those that were made; without them no fee is seen to be the chain's. */
export function provisionalTtlCaveats(
  chain: Pick<ChainFacts, "meta">,
  snapshot: Snapshot,
  execution: Execution,
  comparisons: readonly Comparison[],
): Caveat[] {
  const provisional = snapshot.entries.filter((entry) => entry.provisional === "ttl-unchanged");
  if (provisional.length === 0) return [];
  const onChain = chain.meta === null ? [] : [...operationChanges(chain.meta).values()];
  const changes = [...onChain, ...execution.changes];
  const changed = new Set(changes.map(({ keyXdr }) => keyXdr));
  const grown = new Set(changes.filter(isGrowth).map(({ keyXdr }) => keyXdr));
  const ranOut = ranOutOfSomething(execution);
  const paidAlike = rentIsEqual(comparisons);
  const matters = ({ keyXdr }: SnapshotEntry) =>
    ranOut || changed.has(ttlKeyOf(keyXdr)) || (grown.has(keyXdr) && !paidAlike);
  return provisional.filter(matters).map(({ keyXdr, ttlProvenance }) => ({
    kind: "assumed",
    keyXdr,
    detail:
      ttlProvenance?.kind === "meta"
        ? "No source has the ledger in which its TTL ends, and it may have affected the fee."
        : "Its TTL was taken from a later ledger, and may have affected the fee.",
  }));
}

function isGrowth({ beforeXdr, afterXdr }: LedgerChange): boolean {
  return afterXdr !== null && (beforeXdr === null || afterXdr.length > beforeXdr.length);
}

/** Rent of existing entries grows with the TTL: the same rent is that of the same TTL. */
function rentIsEqual(comparisons: readonly Comparison[]): boolean {
  const rent = comparisons.find(
    ({ subject, item }) => subject === "resource-fee" && item === "rent",
  );
  const fee = comparisons.find(({ subject }) => subject === "fee-charged");
  return [rent, fee].some((each) => each?.result === "equal") && rent?.result !== "different";
}

function ranOutOfSomething({ outcome, hostError }: Execution): boolean {
  if (hostError?.type === "Budget") return true;
  return outcome.kind === "failed" && RUNS_OUT.has(outcome.code);
}
