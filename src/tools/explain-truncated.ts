// Explains XDR that ends inside a value: of which type its beginning is, and where it ends.

import { SvcError } from "../base/errors/errors.ts";
import { grouped } from "../base/text/grouped.ts";
import { listed } from "../base/text/listed.ts";
import type { CodeExplanation } from "../model/node-answer.ts";
import { shapeOf, xdrSource } from "../xdr/reader/shape.ts";
import { isPlausibleResult, TYPES_BY_BEGINNING } from "./types-by-beginning.ts";

/** Values of a fixed size are read at once, and few are larger. */
const LARGEST_VALUE = 48;
/** Fewer bytes could be the beginning of anything. */
const FEWEST_BYTES = 12;

export interface TruncatedXdr {
  /** Where the value begins that the bytes end in. */
  readonly offset: number;
  readonly explanation: CodeExplanation;
}

/** Null if the bytes are not the beginning of a value that svc knows. */
export function explainTruncated(bytes: Uint8Array): TruncatedXdr | null {
  if (bytes.length < FEWEST_BYTES) return null;
  const found = TYPES_BY_BEGINNING.flatMap((type) => {
    const end = endOf(() => shapeOf(type).skip(xdrSource(bytes), 0, 0));
    const isNone = end === null || (type === "TransactionResult" && !isPlausibleResult(bytes));
    return isNone ? [] : [{ type, ...end }];
  });
  // A type that the bytes are not of reads a length from them that nothing has, and ends there.
  const farthest = Math.max(...found.map(({ offset }) => offset));
  const likely = found.filter(({ offset }) => offset > farthest - LARGEST_VALUE);
  const [first] = likely;
  if (first === undefined) return null;
  const types = listed(
    likely.map(({ type }) => type),
    "or",
  );
  const inside = likely.length === 1 ? `, inside ${first.inside}` : "";
  const explanation = {
    code: `${bytes.subarray(0, 9).toBase64()}…`,
    kind: "XDR that was cut off",
    meaning: `The text begins as ${types}, and ends after ${grouped(bytes.length)} bytes${inside}.`,
    remedy:
      "Pass the complete text: terminals, chats and logs cut long lines, and a file or a pipe does not.",
  };
  return { offset: farthest, explanation };
}

/** Returns the value that the bytes end in, and where it begins; null if they end in none. */
function endOf(read: () => unknown): { readonly inside: string; readonly offset: number } | null {
  try {
    read();
    return null;
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    const { incomplete, type, offset } = error.details;
    return incomplete === true ? { inside: String(type), offset: Number(offset) } : null;
  }
}
