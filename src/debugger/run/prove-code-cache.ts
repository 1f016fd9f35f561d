// Contract code that a transaction restored was in its ledger's module cache if it had expired in
// place, and was not if it came from the archive. Where no source shows which, the metering that the
// chain reported does: the two differ by the cost of parsing the code.

import type { Snapshot, SnapshotEntry } from "../../model/snapshot.ts";
import type { Verdict } from "../../model/verdict.ts";
import type { ReplayRequest } from "../../simulator/wire-schema.ts";

/** Does nothing but metering differ, and may such code be why? */
export function dependsOnCodeCache({ kind, caveats }: Verdict, { entries }: Snapshot): boolean {
  const open = entries.some(({ maybeCached }) => maybeCached === true);
  return open && kind === "equivalent" && caveats.every((caveat) => caveat.kind === "metering");
}

/** Snapshot and request as they are when the code was in the cache. */
export function withCachedCode(
  snapshot: Snapshot,
  request: ReplayRequest,
): { readonly snapshot: Snapshot; readonly request: ReplayRequest } {
  const ledger_entries = { ...request.ledger_entries };
  for (const { keyXdr } of snapshot.entries.filter(({ maybeCached }) => maybeCached)) {
    const entry = ledger_entries[keyXdr];
    if (entry && typeof entry === "object") {
      ledger_entries[keyXdr] = { ...entry, code_cached: true };
    }
  }
  return {
    snapshot: { ...snapshot, entries: snapshot.entries.map(cached) },
    request: { ...request, ledger_entries },
  };
}

function cached(entry: SnapshotEntry): SnapshotEntry {
  if (entry.maybeCached !== true) return entry;
  const { maybeCached: _, ...rest } = entry;
  return { ...rest, codeCached: true };
}
