// Compares the declarations of one transaction with the network's limits (stellar-core,
// TransactionFrame::checkSorobanResources).

import { grouped } from "../../base/text/grouped.ts";
import type { SorobanFacts } from "../envelope/envelope-facts.ts";
import { isSorobanKey } from "../reader/keys.ts";
import type { TransactionLimits } from "./transaction-limits.ts";

const FOOTPRINT_LIMITED_PROTOCOL = 23;

/**
 * Returns sentences such as `41 footprint entries; the network allows 40 per transaction`. Unknown
 * limits are ignored. `sizeBytes` is the size of the transaction.
 */
export function exceededLimits(
  declared: Omit<SorobanFacts, "resourceFeeStroops">,
  sizeBytes: number,
  limits: TransactionLimits,
  protocol: number,
): string[] {
  const { operation, footprint, archivedEntryIndexes } = declared;
  const { instructions, diskReadBytes, writeBytes } = declared;
  const keys = [...footprint.readOnly, ...footprint.readWrite];
  const onDisk =
    protocol < FOOTPRINT_LIMITED_PROTOCOL
      ? keys.length
      : operation === "restore_footprint"
        ? footprint.readWrite.length
        : keys.filter((key) => !isSorobanKey(key)).length + archivedEntryIndexes.length;
  const rows: readonly (readonly [what: string, declared: number, limit: string | undefined])[] = [
    ["CPU instructions", instructions, limits.instructions],
    ["disk read bytes", diskReadBytes, limits.diskReadBytes],
    ["write bytes", writeBytes, limits.writeBytes],
    ["footprint entries", keys.length, limits.footprintEntries],
    ["entries read from disk", onDisk, limits.diskReadEntries],
    ["read-write entries", footprint.readWrite.length, limits.writeEntries],
    ["bytes of the transaction", sizeBytes, limits.sizeBytes],
  ];
  return rows.flatMap(([what, each, limit]) =>
    limit === undefined || each <= Number(limit)
      ? []
      : `${grouped(each)} ${what}; the network allows ${grouped(limit)} per transaction`,
  );
}
