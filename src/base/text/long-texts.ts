// Parses a large JSON text whose megabytes are in a few long strings, such as ledgers in base64. A
// parser would copy each of them twice. Here they stay in the bytes of the text, and the code that
// needs one reads it from there.
// Invariant: the value is what JSON.parse makes of the text, except that long strings without
// escapes are of the class LongText. The code that reads one checks what is in it.

import { positionOfByte } from "../json-bounds.ts";
import { longStrings } from "./json-member.ts";

const BACKSLASH = 0x5c;
/** A shorter string is parsed, because that costs little. */
const LEAST_BYTES = 4 * 1024;
const decoder = new TextDecoder();
const latin1 = new TextDecoder("latin1");

/** A long string of a JSON text. */
export class LongText {
  constructor(private readonly bytes: Uint8Array) {}

  /** One character for each byte, so that base64 is as it was written. */
  toString(): string {
    return latin1.decode(this.bytes);
  }
}

/** Throws a SyntaxError if the text beside the long strings is not JSON. */
export function parseWithLongTexts(bytes: Uint8Array): unknown {
  const texts = new Map<unknown, LongText>();
  const pieces: string[] = [];
  // The author of the text cannot know it.
  const mark = crypto.randomUUID();
  let from = 0;
  let backslash = -1;
  for (const [start, end] of longStrings(bytes, LEAST_BYTES)) {
    if (backslash < start) backslash = positionOfByte(bytes, BACKSLASH, start);
    if (backslash < end) continue;
    const name = `${mark} ${texts.size}`;
    pieces.push(decoder.decode(bytes.subarray(from, start)), name);
    texts.set(name, new LongText(bytes.subarray(start, end)));
    from = end;
  }
  pieces.push(decoder.decode(bytes.subarray(from)));
  return JSON.parse(pieces.join(""), (_, value) => texts.get(value) ?? value);
}
