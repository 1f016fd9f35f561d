// Cuts the long strings of a large JSON text short, to check the form of the text. The megabytes of
// an answer are in strings of base64, and a parser would copy each of them twice.
// Invariant: the skeleton is JSON exactly if the text is.

import { concatBytes } from "../bytes.ts";
import { longStrings } from "./json-member.ts";

const BACKSLASH = 0x5c;
const SPACE = 0x20;
const TILDE = 0x7e;
/** This much of a longer string is kept, which is enough for people. */
const KEPT_BYTES = 1024;
const decoder = new TextDecoder();

export function jsonSkeleton(bytes: Uint8Array): string {
  const kept: Uint8Array[] = [];
  let from = 0;
  for (const [start, end] of longStrings(bytes, KEPT_BYTES)) {
    if (!isPlain(bytes, start, end)) continue;
    kept.push(bytes.subarray(from, start + KEPT_BYTES));
    from = end;
  }
  kept.push(bytes.subarray(from));
  return decoder.decode(concatBytes(kept));
}

/** True for printable ASCII without escapes, which every JSON string may contain. */
function isPlain(bytes: Uint8Array, from: number, to: number): boolean {
  for (let at = from; at < to; at += 1) {
    const byte = bytes[at] as number;
    if (byte < SPACE || byte > TILDE || byte === BACKSLASH) return false;
  }
  return true;
}
