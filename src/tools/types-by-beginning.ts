// Finds how far bytes can be decoded, for each type of XDR whose beginning distinguishes it from
// the others.

import { SvcError } from "../base/errors/errors.ts";
import type { TypeName } from "../xdr/reader/schema.ts";
import { isUnknownXdr, shapeOf, xdrSource } from "../xdr/reader/shape.ts";
import { uint32At } from "../xdr/reader/words.ts";

/** None of these types begins with a hash, which could be any bytes. */
const TYPES = [
  ...(["TransactionResult", "DiagnosticEvent", "TransactionMeta", "TransactionEnvelope"] as const),
  ...(["LedgerKey", "LedgerEntry", "LedgerEntryData", "SorobanAuthorizationEntry"] as const),
  ...(["SorobanTransactionData", "ScVal", "ScSpecEntry", "Operation"] as const),
] satisfies readonly TypeName[];

export interface XdrBeginning {
  readonly type: TypeName;
  /** The position of the value that could not be decoded, and its type. */
  readonly offset: number;
  readonly name: string;
  /** `cut`: the bytes end in the value. `unknown`: no protocol that svc knows has the value. */
  readonly end: "cut" | "unknown";
}

/**
 * Returns the types that the bytes can begin as, and how far each was decoded. A type that decodes
 * all bytes is left out.
 */
export function beginningsOf(bytes: Uint8Array): XdrBeginning[] {
  return TYPES.flatMap((type) => {
    if (type === "TransactionResult" && !isPlausibleResult(bytes)) return [];
    try {
      shapeOf(type).skip(xdrSource(bytes), 0, 0);
      return [];
    } catch (error) {
      if (!(error instanceof SvcError)) throw error;
      const { incomplete, type: name, offset } = error.details;
      const end = incomplete === true ? "cut" : isUnknownXdr(error) ? "unknown" : null;
      return end === null ? [] : [{ type, offset: Number(offset), name: String(name), end }];
    }
  });
}

/**
 * True if the bytes may be a TransactionResult. It begins with the fee in 64 bits, which is hardly
 * ever more than 32 bits have: 429 XLM.
 */
function isPlausibleResult(bytes: Uint8Array): boolean {
  return bytes.length >= 4 && uint32At(bytes, 0) === 0;
}
