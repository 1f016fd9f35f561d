// A replay request with something else said of some of its entries.

import type { SnapshotEntry } from "../../model/snapshot.ts";
import type { ReplayRequest } from "../../simulator/wire-schema.ts";

type WireEntry = Exclude<ReplayRequest["ledger_entries"][string], string | null>;

/** `fields` replace those of each of `entries`; one that is absent stays so. */
export function withEntries(
  request: ReplayRequest,
  entries: readonly SnapshotEntry[],
  fields: Partial<WireEntry>,
): ReplayRequest {
  const ledger_entries = { ...request.ledger_entries };
  for (const { keyXdr } of entries) {
    const entry = ledger_entries[keyXdr];
    if (entry && typeof entry === "object") ledger_entries[keyXdr] = { ...entry, ...fields };
  }
  return { ...request, ledger_entries };
}

/** With an entry where there was none. */
export function withEntry(request: ReplayRequest, keyXdr: string, entry: WireEntry): ReplayRequest {
  return { ...request, ledger_entries: { ...request.ledger_entries, [keyXdr]: entry } };
}
