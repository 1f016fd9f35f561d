// The types of XDR that their first bytes tell apart, when the rest is missing or not known.

import type { TypeName } from "../xdr/reader/schema.ts";
import { uint32At } from "../xdr/reader/words.ts";

/** None of these types begins with a hash, which could be any bytes. */
export const TYPES_BY_BEGINNING = [
  ...(["TransactionResult", "DiagnosticEvent", "TransactionMeta", "TransactionEnvelope"] as const),
  ...(["LedgerKey", "LedgerEntry", "LedgerEntryData", "SorobanAuthorizationEntry"] as const),
  ...(["SorobanTransactionData", "ScVal", "ScSpecEntry", "Operation"] as const),
] satisfies readonly TypeName[];

/**
 * True if the bytes may be a TransactionResult. It begins with the fee in 64 bits, which is hardly
 * ever more than 32 bits have: 429 XLM.
 */
export function isPlausibleResult(bytes: Uint8Array): boolean {
  return uint32At(bytes, 0) === 0;
}
