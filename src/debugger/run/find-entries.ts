// The state of ledger entries that a transaction did not name, just before it: by the rules of its
// snapshot where there is a source to ask, and not known where there is none.

import type { FixContext } from "../../fix/fix-context.ts";
import type { SnapshotDependencies } from "../../snapshot/gather/take-snapshot.ts";
import type { OpenedRecord } from "../../xdr/envelope/envelope.ts";

/** Throws what the sources throw that is not a failure of a node. */
export function entriesFinder(
  { sources = [], ledgers, startEngine }: Partial<SnapshotDependencies>,
  opened: OpenedRecord,
  options: { readonly signal: AbortSignal; readonly progress: (text: string) => void },
): FixContext["findEntries"] {
  return async (keysXdr) => {
    if (ledgers === undefined || startEngine === undefined || sources.length === 0) {
      const reason = "the capsule does not contain it, and no node was queried";
      return { entries: [], unknown: keysXdr.map((keyXdr) => ({ keyXdr, reason })) };
    }
    const { takeEntries } = await import("../../snapshot/gather/take-snapshot.ts");
    return takeEntries({ sources, ledgers, startEngine }, opened, keysXdr, options);
  };
}
