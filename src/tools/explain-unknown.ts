// Explains XDR that begins as a type that svc knows and contains a value that no known protocol
// has: what it seems to be, how far it could be decoded, and that a later protocol may have the
// rest. Invariant: the explanation is only a possibility. Only a header that has its hash proves a
// later protocol.

import type { SvcError } from "../base/errors/errors.ts";
import { isBase64 } from "../base/text/base64.ts";
import type { CodeExplanation } from "../model/node-answer.ts";
import { isProtocolUnknown, NEWEST_PROTOCOL } from "../model/protocols.ts";
import { refuseLaterHeader, refuseLaterLedger } from "../xdr/ledger/later-protocol.ts";
import { HASH_SIZE } from "../xdr/reader/hash.ts";
import type { TypeName } from "../xdr/reader/schema.ts";
import { xdrSource } from "../xdr/reader/shape.ts";
import { int32At } from "../xdr/reader/words.ts";
import { explainTruncated } from "./explain-truncated.ts";
import { beginningsOf } from "./types-by-beginning.ts";

/** Fewer bytes prove nothing. A ledger entry can begin with any number. */
const fewestDecoded = (type: TypeName) => (type === "LedgerEntry" ? 8 : 4);
/** New arms and members follow the existing ones, so larger numbers are garbage. */
const MOST_PLAUSIBLE = 4096;

export const UPDATE_FOR_LATER =
  `If the network is of a later protocol than ${NEWEST_PROTOCOL}, update svc (docs/install.md). ` +
  "If it is not, the bytes are damaged or of another kind: pass them as they were received, " +
  "complete.";

/**
 * Explains the type that is decoded farthest, whether it was cut off there or goes on with a value
 * that svc does not know. Null if no type that svc knows begins in this way.
 */
export function explainUnknown(xdr: string): CodeExplanation | null {
  if (!isBase64(xdr)) return null;
  const bytes = Uint8Array.fromBase64(xdr);
  const explanation = { code: "PROTOCOL_UNKNOWN", kind: "XDR that this svc knows in part" };
  const later = laterIn(bytes);
  if (later !== null) return { ...explanation, meaning: later.message, remedy: later.remedy };
  const beginnings = beginningsOf(bytes);
  const candidates = beginnings.filter(
    ({ end, type, offset }) =>
      end === "unknown" &&
      offset >= fewestDecoded(type) &&
      Math.abs(int32At(bytes, offset)) < MOST_PLAUSIBLE,
  );
  const [first, ...others] = candidates.sort((left, right) => right.offset - left.offset);
  const truncated = explainTruncated(bytes, beginnings);
  if (truncated !== null && truncated.offset > (first?.offset ?? 0)) return truncated.explanation;
  if (first === undefined) return null;
  const { type, offset, name } = first;
  const same = others.filter((each) => each.offset === offset).map((each) => each.type);
  const meaning =
    `The first ${offset} of ${bytes.length} bytes can be decoded as ` +
    `${[type, ...same].join(" or ")} of protocols up to ${NEWEST_PROTOCOL}. What follows them, ` +
    `${name} ${int32At(bytes, offset)}, none of these protocols has.`;
  return { ...explanation, meaning, remedy: UPDATE_FOR_LATER };
}

function laterIn(bytes: Uint8Array): SvcError | null {
  try {
    refuseLaterLedger(bytes);
    // LedgerHeaderHistoryEntry.
    refuseLaterHeader(xdrSource(bytes), HASH_SIZE, bytes.subarray(0, HASH_SIZE));
    return null;
  } catch (error) {
    if (isProtocolUnknown(error)) return error;
    throw error;
  }
}
