// What the operations of a transaction did to each ledger entry, as its meta tells it.
// Meta holds STATE before UPDATED or REMOVED; from protocol 23 RESTORED, alone or before UPDATED or
// REMOVED, stands for an archived entry's way back (stellar-core, processOpLedgerEntryChanges).

import type { LedgerChange } from "../../model/execution.ts";
import type { EntryChange, TransactionMetaFacts } from "./meta.ts";

/**
 * One change for each key, by key and in the meta's order. `beforeXdr`: null where it did not exist,
 * or the meta does not hold it; RESTORED counts as the state before when another change follows.
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
    // A STATE says what was there: alone, that nothing happened to the key.
    if (kind === "state") continue;
    const told = start?.kind === "state" || start?.kind === "restored";
    const beforeXdr = told ? start.entryXdr : null;
    byKey.set(keyXdr, { kind, keyXdr, beforeXdr, afterXdr: entryXdr });
  }
  return byKey;
}
