// Archived entries of the footprint, and since when they are archived.

import { endedWith } from "../../model/result-code.ts";
import { describeTypedKey } from "../../xdr/contract/key-typed.ts";
import { archivedKey } from "../../xdr/outcome/missed-keys.ts";
import { isSorobanKey, isTemporaryKey } from "../../xdr/reader/keys.ts";
import { type CauseFacts, evidenceOf, type Failure } from "./failure.ts";

const SHOWN_ENTRIES = 8;
const REMEDY =
  "Restore the entry with a RestoreFootprint operation, or simulate again so that the " +
  "transaction restores it itself.";

export function archivedCause(failure: Failure): CauseFacts | null {
  if (!endedWith(failure.result, "entryArchived")) return null;
  const archived = archivedEntries(failure);
  const [first] = archived;
  const kind = "entry-archived";
  const summary =
    first === undefined
      ? "A footprint entry is archived: its TTL had expired."
      : `A footprint entry is archived, and the transaction does not restore it: ${first}.`;
  const evidence = [
    ...archived.slice(1, SHOWN_ENTRIES).map((entry) => `Also archived: ${entry}.`),
    ...evidenceOf(failure),
  ];
  return { cause: { kind, summary, confidence: "known" }, evidence, remedy: REMEDY };
}

/**
 * The entry of the footprint that the diagnostics name; otherwise those of the state that the
 * transaction does not restore, where a replay ended as the chain did.
 */
function archivedEntries(failure: Failure): string[] {
  const { snapshot, ledger, envelope, lookup, execution, reports } = failure;
  const inWords = (keyXdr: string, liveUntil: number | null) => {
    const since =
      liveUntil !== null && liveUntil < ledger ? ` (lived until ledger ${liveUntil})` : "";
    return `${describeTypedKey(keyXdr, lookup)}${since}`;
  };
  const entries = snapshot?.entries ?? [];
  const { footprint, archivedEntryIndexes = [] } = envelope?.soroban ?? {};
  const declared = footprint && new Set([...footprint.readOnly, ...footprint.readWrite]);
  const isDeclared = (key: string | null) => key !== null && (declared?.has(key) ?? true);
  const named = reports.map(archivedKey).findLast(isDeclared) ?? null;
  if (named !== null) {
    const known = entries.find(({ keyXdr }) => keyXdr === named);
    return [inWords(named, known?.liveUntilLedger ?? null)];
  }
  if (execution === null) return [];
  const restored = new Set(archivedEntryIndexes.map((i) => footprint?.readWrite[i]));
  return entries.flatMap(({ keyXdr, archived, liveUntilLedger }) => {
    if (!isSorobanKey(keyXdr) || isTemporaryKey(keyXdr) || restored.has(keyXdr)) return [];
    const isOver = liveUntilLedger !== null && liveUntilLedger < ledger;
    return archived || isOver ? [inWords(keyXdr, liveUntilLedger)] : [];
  });
}
