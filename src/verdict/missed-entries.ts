// Entries that the replay missed and the chain evidently had: the replay failed because one was
// absent or archived, and the chain did otherwise. What is wrong then is the state that svc was
// given, not the chain.

import type { Execution } from "../model/execution.ts";
import type { Snapshot, SnapshotEntry } from "../model/snapshot.ts";
import type { Caveat, Comparison } from "../model/verdict.ts";
import { readErrorReports } from "../xdr/outcome/error-reports.ts";
import { absentKeys } from "../xdr/outcome/missed-keys.ts";
import { isTemporaryKey } from "../xdr/reader/keys.ts";

/** `decisive`: what differs from the chain. `ledger`: the transaction's. */
export function missedEntries(
  snapshot: Snapshot,
  execution: Execution,
  decisive: readonly Comparison[],
  ledger: number,
): Caveat[] {
  const { outcome } = execution;
  const isArchived = outcome.kind === "failed" && outcome.code.endsWith("ENTRY_ARCHIVED");
  if (!isArchived) return absentEntries(snapshot, execution, decisive);
  if (!decisive.some(({ subject }) => subject === "operation-result")) return [];
  return snapshot.entries.flatMap((entry) => {
    const { keyXdr, ttlProvenance } = entry;
    if (!mayHaveBeenLive(entry, ledger)) return [];
    const detail = `the chain read it, and svc has it as archived (${ttlProvenance?.detail})`;
    return [{ kind: "unknown", keyXdr, detail }];
  });
}

function absentEntries(
  { entries }: Snapshot,
  { hostError, diagnosticsXdr }: Execution,
  decisive: readonly Comparison[],
): Caveat[] {
  const missed = hostError?.type === "Storage" && hostError.code === "MissingValue";
  const otherOutcome = decisive.some(({ subject }) => subject === "operation-result");
  const otherError = decisive.some(({ subject }) => subject === "diagnostic-error");
  if (!missed || !(otherOutcome || otherError)) return [];
  const absent = entries.filter(mayHaveBeenThere);
  const named = new Set(
    readErrorReports(diagnosticsXdr).flatMap((report) =>
      absentKeys(
        report,
        entries.flatMap(({ entryXdr }) => entryXdr ?? []),
      ),
    ),
  );
  const those = absent.filter(({ keyXdr }) => named.has(keyXdr));
  return (those.length > 0 ? those : absent).map(({ keyXdr, provenance }) => ({
    kind: "unknown",
    keyXdr,
    detail: `the chain had it, and svc has it as absent (${provenance.detail})`,
  }));
}

/** Expired, and not because the transaction's own meta proves it. */
function mayHaveBeenLive(entry: SnapshotEntry, ledger: number): boolean {
  const { keyXdr, entryXdr, archived, liveUntilLedger, ttlProvenance } = entry;
  if (entryXdr === null || isTemporaryKey(keyXdr) || ttlProvenance?.kind === "meta") return false;
  return archived || (liveUntilLedger !== null && liveUntilLedger < ledger);
}

/** Absent, and not because the transaction's own meta proves it. */
function mayHaveBeenThere({ entryXdr, provenance }: SnapshotEntry): boolean {
  return entryXdr === null && provenance.kind !== "meta";
}
