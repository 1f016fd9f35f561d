// SorobanTransactionData outside an envelope, as a simulation returns it.

import { SorobanTransactionData } from "@stellar/stellar-sdk/xdr";
import { decodeSdk } from "../reader/decode-sdk.ts";
import type { SorobanFacts } from "./envelope-facts.ts";

/** Throws XDR_INVALID. */
export function readSorobanData(dataXdr: string): Omit<SorobanFacts, "operation"> {
  const decode = () => SorobanTransactionData.fromXdr(dataXdr, "base64");
  const { resources, resourceFee, ext } = decodeSdk(decode, "SorobanTransactionData", "it");
  const { readOnly, readWrite } = resources.footprint;
  const archived = ext.type === "resourceExt" ? ext.resourceExt.archivedSorobanEntries : [];
  return {
    footprint: {
      readOnly: readOnly.map((key) => key.toXdr("base64")),
      readWrite: readWrite.map((key) => key.toXdr("base64")),
    },
    instructions: resources.instructions,
    diskReadBytes: resources.diskReadBytes,
    writeBytes: resources.writeBytes,
    resourceFeeStroops: String(resourceFee),
    archivedEntryIndexes: [...archived],
  };
}
