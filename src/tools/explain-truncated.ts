// Explains XDR that ends inside a value: the type that it begins as, and the place where it ends.

import { grouped } from "../base/text/grouped.ts";
import { listed } from "../base/text/listed.ts";
import type { CodeExplanation } from "../model/node-answer.ts";
import type { XdrBeginning } from "./types-by-beginning.ts";

/** Values of a fixed size are read at once, and few are larger. */
const LARGEST_VALUE = 48;
/** Fewer bytes could be the beginning of anything. */
const FEWEST_BYTES = 12;

export interface TruncatedXdr {
  /** The position of the value inside which the bytes end. */
  readonly offset: number;
  readonly explanation: CodeExplanation;
}

/** Null if the bytes are not the beginning of a value that svc knows. */
export function explainTruncated(
  bytes: Uint8Array,
  beginnings: readonly XdrBeginning[],
): TruncatedXdr | null {
  if (bytes.length < FEWEST_BYTES) return null;
  const cutBeginnings = beginnings.filter(({ end }) => end === "cut");
  // If the bytes are read as a wrong type, an impossible length ends the reading early.
  const farthest = Math.max(...cutBeginnings.map(({ offset }) => offset));
  const likely = cutBeginnings.filter(({ offset }) => offset > farthest - LARGEST_VALUE);
  const [first] = likely;
  if (first === undefined) return null;
  const types = listed(
    likely.map(({ type }) => type),
    "or",
  );
  const inside = likely.length === 1 ? `, inside ${first.name}` : "";
  const explanation = {
    code: `${bytes.subarray(0, 9).toBase64()}…`,
    kind: "XDR that was cut off",
    meaning: `The text can be the beginning of ${types}: it ends after ${grouped(bytes.length)} bytes${inside}.`,
    remedy:
      "Pass the complete text: terminals, chats and logs cut long lines, and a file or a pipe does not.",
  };
  return { offset: farthest, explanation };
}
