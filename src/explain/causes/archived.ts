// Archived entries of the footprint, and since when they are archived.

import { describeTypedKey } from "../../xdr/contract/key-typed.ts";
import { isSorobanKey, isTemporaryKey } from "../../xdr/reader/keys.ts";
import { type CauseFacts, evidenceOf, type Failure } from "./failure.ts";

const SHOWN_ENTRIES = 8;
const REMEDY =
  "Restore the entry with a RestoreFootprint operation, or simulate again so that the " +
  "transaction restores it itself.";

export function archivedCause(failure: Failure): CauseFacts | null {
  if (!failure.code.endsWith("EntryArchived")) return null;
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

/** Archived entries that the transaction does not restore. */
function archivedEntries({ snapshot, ledger, envelope, lookup }: Failure): string[] {
  const { footprint, archivedEntryIndexes = [] } = envelope?.soroban ?? {};
  const restored = new Set(archivedEntryIndexes.map((i) => footprint?.readWrite[i]));
  return (snapshot?.entries ?? []).flatMap(({ keyXdr, archived, liveUntilLedger }) => {
    if (!isSorobanKey(keyXdr) || isTemporaryKey(keyXdr) || restored.has(keyXdr)) return [];
    const over = liveUntilLedger !== null && liveUntilLedger < ledger;
    if (!archived && !over) return [];
    return [
      `${describeTypedKey(keyXdr, lookup)}${over ? ` (lived until ledger ${liveUntilLedger})` : ""}`,
    ];
  });
}
