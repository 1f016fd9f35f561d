// Entries of the footprint that were archived: which, and since when.

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
      ? "An entry of its footprint is archived: its time to live had run out."
      : `Archived, and not restored by the transaction: ${first}.`;
  const evidence = [
    ...archived.slice(1, SHOWN_ENTRIES).map((entry) => `Archived too: ${entry}.`),
    ...evidenceOf(failure),
  ];
  return { cause: { kind, summary, confidence: "known" }, evidence, remedy: REMEDY };
}

/** Those that the transaction does not say it restores. */
function archivedEntries({ snapshot, ledger, envelope, lookup }: Failure): string[] {
  const { footprint, archivedEntryIndexes = [] } = envelope.soroban ?? {};
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
