// SorobanTransactionData by itself, as a simulation answers it.

import { SorobanTransactionData } from "@stellar/stellar-sdk/xdr";
import { SvcError } from "../base/errors.ts";
import type { SorobanFacts } from "./envelope.ts";

/** Throws XDR_INVALID. */
export function readSorobanData(dataXdr: string): Omit<SorobanFacts, "operation"> {
  const { resources, resourceFee, ext } = decode(dataXdr);
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

function decode(dataXdr: string) {
  try {
    return SorobanTransactionData.fromXdr(dataXdr, "base64");
  } catch (cause) {
    throw new SvcError("XDR_INVALID", {
      message: "The SorobanTransactionData cannot be decoded.",
      remedy: "Check that it is whole.",
      cause,
      details: { type: "SorobanTransactionData" },
    });
  }
}
