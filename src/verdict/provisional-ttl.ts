// A time to live that was read at a later ledger than the transaction's. It cannot matter to a live
// entry that nothing writes or extends: contracts cannot read it, and it costs nothing. Where the
// replay or the chain does write or extend, it decides the rent, and where the fee or the budget
// ran out, it may have: then it is an assumption like any other.

import type { Execution } from "../model/execution.ts";
import type { Snapshot } from "../model/snapshot.ts";
import type { Caveat } from "../model/verdict.ts";
import type { ChainFacts } from "../xdr/outcome/chain-facts.ts";
import { ttlKeyOf } from "../xdr/reader/keys.ts";

const RUNS_OUT = new Set([
  "INVOKE_HOST_FUNCTION_RESOURCE_LIMIT_EXCEEDED",
  "INVOKE_HOST_FUNCTION_INSUFFICIENT_REFUNDABLE_FEE",
  "EXTEND_FOOTPRINT_TTL_RESOURCE_LIMIT_EXCEEDED",
  "EXTEND_FOOTPRINT_TTL_INSUFFICIENT_REFUNDABLE_FEE",
  "RESTORE_FOOTPRINT_RESOURCE_LIMIT_EXCEEDED",
  "RESTORE_FOOTPRINT_INSUFFICIENT_REFUNDABLE_FEE",
]);

export function provisionalTtlCaveats(
  chain: Pick<ChainFacts, "meta">,
  snapshot: Snapshot,
  execution: Execution,
): Caveat[] {
  const provisional = snapshot.entries.filter((entry) => entry.provisional === "ttl-unchanged");
  if (provisional.length === 0) return [];
  const changed = new Set(execution.changes.map((change) => change.keyXdr));
  for (const change of chain.meta?.operationChanges.flat() ?? []) changed.add(change.keyXdr);
  const ranOut = ranOutOfSomething(execution);
  return provisional
    .filter(({ keyXdr }) => ranOut || changed.has(keyXdr) || changed.has(ttlKeyOf(keyXdr)))
    .map(({ keyXdr }) => ({
      kind: "assumed",
      keyXdr,
      detail: "Its time to live is a later ledger's, and here it may have decided the fee.",
    }));
}

function ranOutOfSomething({ outcome, hostError }: Execution): boolean {
  if (hostError?.type === "Budget") return true;
  return outcome.kind === "failed" && RUNS_OUT.has(outcome.code);
}
