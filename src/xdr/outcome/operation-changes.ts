// The change of each ledger entry by a transaction's operations, from its meta. The meta has STATE
// before UPDATED or REMOVED. From protocol 23, RESTORED (alone, or before UPDATED or REMOVED) is
// the restoration of an archived entry (stellar-core, processOpLedgerEntryChanges).

import type { LedgerChange } from "../../model/execution.ts";
import type { EntryChange, TransactionMetaFacts } from "./meta.ts";

/**
 * Returns one change for each key, in the meta's order. `beforeXdr` is null if the entry did not
 * exist, or the meta does not have it. RESTORED is the state before if another change follows.
 */
export function operationChanges(
  meta: Pick<TransactionMetaFacts, "operationChanges">,
): Map<string, LedgerChange> {
  const byKey = new Map<string, LedgerChange>();
  const first = new Map<string, EntryChange>();
  for (const change of meta.operationChanges.flat()) {
    const { kind, keyXdr, entryXdr } = change;
    const start = first.get(keyXdr);
    if (start === undefined) first.set(keyXdr, change);
    // STATE shows the entry before. If nothing follows, the entry did not change.
    if (kind === "state") continue;
    const hasBefore = start?.kind === "state" || start?.kind === "restored";
    const beforeXdr = hasBefore ? start.entryXdr : null;
    byKey.set(keyXdr, { kind, keyXdr, beforeXdr, afterXdr: entryXdr });
  }
  return byKey;
}
