// Finds entries that the replay missed and the chain evidently had. The replay failed because one
// was absent or archived, and the chain had another outcome. In that case the state that svc was
// given is wrong, not the chain.

import type { Execution } from "../model/execution.ts";
import { isAssumed, isProof, isWord } from "../model/provenance.ts";
import { endedWith } from "../model/result-code.ts";
import type { Snapshot, SnapshotEntry } from "../model/snapshot.ts";
import type { Caveat, Comparison } from "../model/verdict.ts";
import type { ChainFacts } from "../xdr/outcome/chain-facts.ts";
import { readErrorReports } from "../xdr/outcome/error-reports.ts";
import { absentKeys, isOfAbsentCode } from "../xdr/outcome/missed-keys.ts";
import { ENTRY_TYPE, isTemporaryKey, typeOfKey } from "../xdr/reader/keys.ts";

/** `decisive` are the differences from the chain. `ledger` is that of the transaction. */
export function missedEntries(
  snapshot: Snapshot,
  execution: Execution,
  decisive: readonly Comparison[],
  ledger: number,
): Caveat[] {
  const { outcome } = execution;
  const isArchived = outcome.kind === "failed" && endedWith(outcome, "entryArchived");
  if (!isArchived) return absentEntries(snapshot, execution, decisive);
  if (!decisive.some(({ subject }) => subject === "operation-result")) return [];
  return snapshot.entries.flatMap((entry) => {
    const { keyXdr, ttlProvenance } = entry;
    if (!mayHaveBeenLive(entry, ledger)) return [];
    const detail = `archived, as far as svc knows (${ttlProvenance?.detail}), but the chain read it`;
    return [{ kind: "unknown", keyXdr, detail }];
  });
}

function absentEntries(
  { entries }: Snapshot,
  { hostError, diagnosticsXdr }: Execution,
  decisive: readonly Comparison[],
): Caveat[] {
  const reports = readErrorReports(diagnosticsXdr);
  const code = reports.some(isOfAbsentCode) ? entries.filter(isCodeNotSeen) : [];
  if (code.length > 0) return code.map((entry) => missed(entry, code.length, true, CODE_STAYS));
  const isMissed = hostError?.type === "Storage" && hostError.code === "MissingValue";
  const otherOutcome = decisive.some(({ subject }) => subject === "operation-result");
  const otherError = decisive.some(({ subject }) => subject === "diagnostic-error");
  if (!isMissed || !(otherOutcome || otherError)) return [];
  const absent = entries.filter(mayHaveBeenThere);
  const values = entries.flatMap(({ entryXdr }) => entryXdr ?? []);
  const named = new Set(reports.flatMap((report) => absentKeys(report, values)));
  const reportedAbsent = absent.filter(({ keyXdr }) => named.has(keyXdr));
  const candidates = reportedAbsent.length > 0 ? reportedAbsent : absent;
  return candidates.map((entry) => missed(entry, candidates.length, otherOutcome));
}

/**
 * `count` is the number of entries of which at least one was missed. `isShown` is true if more than
 * a node's diagnostic events shows it.
 */
function missed(
  { keyXdr, provenance }: SnapshotEntry,
  count: number,
  isShown: boolean,
  why = "",
): Caveat {
  const had = isShown ? "the chain had it" : "the chain may have had it";
  const evident = count === 1 ? had : `${had} or another one of these entries`;
  const shownBy = isShown ? "" : "; the node's diagnostic events end in another way";
  const detail = `svc ran without it, although ${evident}${why} (${provenance.detail})${shownBy}`;
  return { kind: "unknown", keyXdr, detail };
}

const CODE_STAYS = ", since code is never deleted and archived code fails otherwise";

/**
 * The code of a called contract exists, or is archived. For archived code the operation's result
 * says so before the host runs (stellar-core, InvokeHostFunctionOpFrame.cpp, addReads).
 */
function isCodeNotSeen({ keyXdr, entryXdr, provenance }: SnapshotEntry): boolean {
  const isOpen = isWord(provenance) || isAssumed(provenance);
  return entryXdr === null && isOpen && typeOfKey(keyXdr) === ENTRY_TYPE.contractCode;
}

/**
 * Caveats about entries that a node left out, if the replay differs from the chain, the chain read
 * more, or no diagnostics show why it failed. The node may be wrong then, and nothing is concluded
 * against the chain.
 */
export function absenceCaveats(
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
  const otherwise = chainReadMore
    ? "by the node's metrics the chain read more"
    : "no diagnostics show why it failed";
  const why = differs ? "the replay differs from the chain" : otherwise;
  return entries.filter(isAbsentByNode).map(({ keyXdr, provenance }) => ({
    kind: "assumed",
    keyXdr,
    detail: `${provenance.detail}; it may have been there, because ${why}`,
  }));
}

/** True if only the answer of a node, or a capsule, shows that the entry is absent. */
export function isAbsentByNode({ entryXdr, provenance }: SnapshotEntry): boolean {
  return entryXdr === null && isWord(provenance);
}

/** True if the entry has expired, and nothing proves that. */
function mayHaveBeenLive(entry: SnapshotEntry, ledger: number): boolean {
  const { keyXdr, entryXdr, archived, liveUntilLedger, ttlProvenance } = entry;
  if (entryXdr === null || isTemporaryKey(keyXdr)) return false;
  if (ttlProvenance !== null && isProof(ttlProvenance)) return false;
  return archived || (liveUntilLedger !== null && liveUntilLedger < ledger);
}

/** True if the entry is absent, and nothing proves that. */
function mayHaveBeenThere({ entryXdr, provenance }: SnapshotEntry): boolean {
  return entryXdr === null && !isProof(provenance);
}
