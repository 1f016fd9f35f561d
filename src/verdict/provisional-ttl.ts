// A TTL that was read at a later ledger than the transaction's. It does not matter for a live entry
// that is neither written nor extended: contracts cannot read a TTL, and it costs nothing. If the
// replay or the chain writes or extends the entry, the TTL decides the rent. If the fee or the
// budget was exceeded, it may have mattered. In both cases it is an assumption.

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
      detail: "Its TTL was taken from a later ledger, and may have affected the fee.",
    }));
}

function ranOutOfSomething({ outcome, hostError }: Execution): boolean {
  if (hostError?.type === "Budget") return true;
  return outcome.kind === "failed" && RUNS_OUT.has(outcome.code);
}
