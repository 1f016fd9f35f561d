// What the network checks before it runs a transaction, as far as a fix can change it
// (stellar-core, TransactionFrame::checkSorobanResources).

import { grouped } from "../base/text/grouped.ts";
import type { Envelope } from "../xdr/envelope/envelope.ts";
import type { TransactionLimits } from "../xdr/ledger/transaction-limits.ts";
import { isSorobanKey } from "../xdr/reader/keys.ts";

const FOOTPRINT_LIMITED_PROTOCOL = 23;

/** A clause on why the network would refuse it; null if it would not. Ignores unknown limits. */
export function refusalOf(
  { soroban, terms }: Envelope,
  limits: TransactionLimits,
  protocol: number,
): string | null {
  if (soroban === null) return null;
  const { footprint, archivedEntryIndexes } = soroban;
  const keys = [...footprint.readOnly, ...footprint.readWrite];
  const onDisk =
    protocol < FOOTPRINT_LIMITED_PROTOCOL
      ? keys.length
      : keys.filter((key) => !isSorobanKey(key)).length + archivedEntryIndexes.length;
  const rows: readonly (readonly [what: string, needed: number, limit: string | undefined])[] = [
    ["footprint entries", keys.length, limits.footprintEntries],
    ["entries read from disk", onDisk, limits.diskReadEntries],
    ["read-write entries", footprint.readWrite.length, limits.writeEntries],
    ["bytes of the transaction", terms.sizeBytes, limits.sizeBytes],
  ];
  const over = rows.find(([, needed, limit]) => limit !== undefined && needed > Number(limit));
  if (over === undefined) return null;
  const [what, needed, limit] = over;
  const most = grouped(limit ?? "");
  return `the transaction needs ${grouped(needed)} ${what}; the network allows ${most} per transaction`;
}
