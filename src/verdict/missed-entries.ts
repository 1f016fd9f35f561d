// Entries that the replay missed and the chain evidently had: the replay failed because one was
// absent or archived, and the chain did otherwise. What is wrong then is the state that svc was
// given, not the chain.

import type { Execution } from "../model/execution.ts";
import type { Snapshot, SnapshotEntry } from "../model/snapshot.ts";
import type { Caveat, Comparison } from "../model/verdict.ts";
import type { ChainFacts } from "../xdr/outcome/chain-facts.ts";
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
  const values = entries.flatMap(({ entryXdr }) => entryXdr ?? []);
  const reports = readErrorReports(diagnosticsXdr);
  const named = new Set(reports.flatMap((report) => absentKeys(report, values)));
  const those = absent.filter(({ keyXdr }) => named.has(keyXdr));
  const candidates = those.length > 0 ? those : absent;
  const evident = candidates.length === 1 ? "the chain had it" : "the chain had it or another one";
  return candidates.map(({ keyXdr, provenance }) => ({
    kind: "unknown",
    keyXdr,
    detail: `${evident}, and svc has it as absent (${provenance.detail})`,
  }));
}

/**
 * Entries that a node left out, where the replay did otherwise than the chain, where the chain read
 * more, or where no diagnostics show why it failed: the node may be wrong, and nothing is said
 * against the chain then.
 */
export function absentByNode(
  { entries }: Snapshot,
  { result, diagnosticsXdr }: Pick<ChainFacts, "result" | "diagnosticsXdr">,
  comparisons: readonly Comparison[],
  decisive: readonly Comparison[],
): Caveat[] {
  const bytes = comparisons.find(({ item }) => item === "ledger_read_byte");
  const chainReadMore = Number(bytes?.chain ?? 0) > Number(bytes?.replay ?? 0);
  const isUnexplained = !result.success && diagnosticsXdr.length === 0;
  const differs = decisive.length > 0;
  if (!differs && !chainReadMore && !isUnexplained) return [];
  const otherwise = chainReadMore ? "the chain read more" : "no diagnostics show why it failed";
  const why = differs ? "the replay differs from the chain" : otherwise;
  return entries.filter(isAbsentByNode).map(({ keyXdr, provenance }) => ({
    kind: "assumed",
    keyXdr,
    detail: `${why}, so it may have been there: ${provenance.detail}`,
  }));
}

/** Only the word of a node says so. */
export function isAbsentByNode({ entryXdr, provenance }: SnapshotEntry): boolean {
  return entryXdr === null && provenance.kind === "rpc-unchanged";
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
