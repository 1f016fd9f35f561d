// Finds archived entries of the footprint, and since when they are archived.

import { endedWith } from "../../model/result-code.ts";
import { snapshotState } from "../../model/snapshot.ts";
import { knownIn } from "../../model/state/entry-state.ts";
import { describeTypedKey } from "../../xdr/contract/key-typed.ts";
import { archivedKey } from "../../xdr/outcome/missed-keys.ts";
import { isSorobanKey, isTemporaryKey } from "../../xdr/reader/keys.ts";
import type { CauseFinding } from "../words/found-cause.ts";
import type { ArchivedEntry } from "../words/found-evidence.ts";
import { evidenceOf, type Failure } from "./failure.ts";

const SHOWN_ENTRIES = 8;
export function archivedCause(failure: Failure): CauseFinding | null {
  if (!endedWith(failure.result, "entryArchived")) return null;
  const [first = null, ...others] = archivedEntries(failure);
  return {
    by: "archived",
    kind: "entry-archived",
    facts: { entry: first },
    confidence: "known",
    evidence: [
      ...others
        .slice(0, SHOWN_ENTRIES - 1)
        .map((entry) => ({ kind: "also-archived", entry }) as const),
      ...evidenceOf(failure),
    ],
  };
}

/**
 * The entry of the footprint that the diagnostics name. Without one, the archived entries that the
 * transaction does not restore, if a replay had the chain's end.
 */
function archivedEntries(failure: Failure): ArchivedEntry[] {
  const { snapshot, ledger, envelope, lookup, execution, reports } = failure;
  const named = (keyXdr: string, liveUntil: number | null): ArchivedEntry => ({
    name: describeTypedKey(keyXdr, lookup),
    liveUntil: liveUntil !== null && liveUntil < ledger ? liveUntil : null,
  });
  const entries = snapshot?.entries ?? [];
  const { footprint, archivedEntryIndexes = [] } = envelope?.soroban ?? {};
  const declared = footprint && new Set([...footprint.readOnly, ...footprint.readWrite]);
  const isDeclared = (key: string | null) => key !== null && (declared?.has(key) ?? true);
  const reported = reports.map(archivedKey).findLast(isDeclared) ?? null;
  if (reported !== null) {
    const known = knownIn(snapshotState({ entries }), reported);
    return [named(reported, known?.liveUntilLedger ?? null)];
  }
  if (execution === null) return [];
  const restored = new Set(archivedEntryIndexes.map((i) => footprint?.readWrite[i]));
  return entries.flatMap(({ keyXdr, archived, liveUntilLedger }) => {
    if (!isSorobanKey(keyXdr) || isTemporaryKey(keyXdr) || restored.has(keyXdr)) return [];
    const isOver = liveUntilLedger !== null && liveUntilLedger < ledger;
    return archived || isOver ? [named(keyXdr, liveUntilLedger)] : [];
  });
}
