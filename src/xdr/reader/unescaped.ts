// The bytes of a text in which bytes outside printable ASCII are escaped, as Stellar's XDR crate and
// the contract host print texts: `caf\xc3\xa9`.

import { concatBytes, utf8Bytes } from "../../base/bytes.ts";

/** Only the host escapes quotes. */
const ESCAPED: Readonly<Record<string, number>> = {
  0: 0,
  t: 9,
  n: 10,
  r: 13,
  '"': 34,
  "'": 39,
  "\\": 92,
};
const ESCAPE = /\\(?:x([0-9a-f]{2})|([0tnr"'\\]))|[^\\]+/iy;

/** The inverse of escaped() in to-json.ts. Returns null for an unknown escape. */
export function unescaped(text: string): Uint8Array | null {
  const parts: Uint8Array[] = [];
  ESCAPE.lastIndex = 0;
  while (ESCAPE.lastIndex < text.length) {
    const match = ESCAPE.exec(text);
    if (match === null) return null;
    const [whole, hex, letter] = match;
    if (hex !== undefined) parts.push(Uint8Array.fromHex(hex));
    else if (letter !== undefined)
      parts.push(new Uint8Array([ESCAPED[letter.toLowerCase()] as number]));
    else parts.push(utf8Bytes(whole));
  }
  return concatBytes(parts);
}
