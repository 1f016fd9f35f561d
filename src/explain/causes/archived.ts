// Archived entries of the footprint, and since when they are archived.

import { describeTypedKey } from "../../xdr/contract/key-typed.ts";
import { archivedKey } from "../../xdr/outcome/missed-keys.ts";
import { isSorobanKey, isTemporaryKey } from "../../xdr/reader/keys.ts";
import { codeKeys, contractDataKeys } from "../../xdr/values/value-parts.ts";
import { type CauseFacts, evidenceOf, type Failure } from "./failure.ts";

const SHOWN_ENTRIES = 8;
const REMEDY =
  "Restore the entry with a RestoreFootprint operation, or simulate again so that the " +
  "transaction restores it itself.";

export function archivedCause(failure: Failure): CauseFacts | null {
  if (!failure.code.endsWith("EntryArchived")) return null;
  const archived = archivedEntries(failure);
  const [first = reportedEntry(failure)] = archived;
  const kind = "entry-archived";
  const summary =
    first === null
      ? "A footprint entry is archived: its TTL had expired."
      : `A footprint entry is archived, and the transaction does not restore it: ${first}.`;
  const evidence = [
    ...archived.slice(1, SHOWN_ENTRIES).map((entry) => `Also archived: ${entry}.`),
    ...evidenceOf(failure),
  ];
  return { cause: { kind, summary, confidence: "known" }, evidence, remedy: REMEDY };
}

/**
 * The entry that the diagnostics name; otherwise those of the state that the transaction does not
 * restore, where a replay ended as the chain did.
 */
function archivedEntries(failure: Failure): string[] {
  const { snapshot, ledger, envelope, lookup, execution, reports } = failure;
  const inWords = (keyXdr: string, liveUntil: number | null) => {
    const since =
      liveUntil !== null && liveUntil < ledger ? ` (lived until ledger ${liveUntil})` : "";
    return `${describeTypedKey(keyXdr, lookup)}${since}`;
  };
  const entries = snapshot?.entries ?? [];
  const named = reports.map(archivedKey).findLast((key) => key !== null) ?? null;
  if (named !== null) {
    const known = entries.find(({ keyXdr }) => keyXdr === named);
    return [inWords(named, known?.liveUntilLedger ?? null)];
  }
  if (execution === null) return [];
  const { footprint, archivedEntryIndexes = [] } = envelope?.soroban ?? {};
  const restored = new Set(archivedEntryIndexes.map((i) => footprint?.readWrite[i]));
  return entries.flatMap(({ keyXdr, archived, liveUntilLedger }) => {
    if (!isSorobanKey(keyXdr) || isTemporaryKey(keyXdr) || restored.has(keyXdr)) return [];
    const isOver = liveUntilLedger !== null && liveUntilLedger < ledger;
    return archived || isOver ? [inWords(keyXdr, liveUntilLedger)] : [];
  });
}

/** The entry of the footprint that the diagnostic events name; null when they name none of it. */
function reportedEntry({ reports, envelope, lookup }: Failure): string | null {
  const { footprint } = envelope?.soroban ?? {};
  const report = reports.findLast(({ message }) => message?.startsWith(REPORTED));
  const [first = "", second] = report?.valuesXdr ?? [];
  if (footprint === undefined || report === undefined) return null;
  const keys = second === undefined ? codeKeys(first) : contractDataKeys(first, second);
  const declared = [...footprint.readOnly, ...footprint.readWrite];
  const key = keys.find((each) => declared.includes(each));
  return key === undefined ? null : `${describeTypedKey(key, lookup)}, by the diagnostic events`;
}

const REPORTED = "trying to access an archived contract ";
