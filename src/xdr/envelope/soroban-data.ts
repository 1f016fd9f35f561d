// SorobanTransactionData outside an envelope, as a simulation returns it.

import { decode, encode } from "../reader/value.ts";
import type { SorobanFacts } from "./envelope-facts.ts";

/** Throws XDR_INVALID. */
export function readSorobanData(dataXdr: string): Omit<SorobanFacts, "operation"> {
  const { resources, resourceFee, ext } = decode("SorobanTransactionData", dataXdr);
  const { readOnly, readWrite } = resources.footprint;
  const archived = ext.v === 1 ? ext.resourceExt.archivedSorobanEntries : [];
  return {
    footprint: {
      readOnly: readOnly.map((key) => encode("LedgerKey", key)),
      readWrite: readWrite.map((key) => encode("LedgerKey", key)),
    },
    instructions: resources.instructions,
    diskReadBytes: resources.diskReadBytes,
    writeBytes: resources.writeBytes,
    resourceFeeStroops: String(resourceFee),
    archivedEntryIndexes: [...archived],
  };
}
