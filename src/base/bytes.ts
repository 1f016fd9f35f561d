// Byte sequences. Every JavaScript runtime has all that this file uses.

/** Concatenates the parts into new memory. */
export function concatBytes(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

const encoder = new TextEncoder();

export function utf8Bytes(text: string): Uint8Array<ArrayBuffer> {
  return encoder.encode(text);
}

const decoder = new TextDecoder();

/** Decodes UTF-8. Invalid bytes become U+FFFD, and a byte order mark at the start is left out. */
export function utf8Text(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}

/**
 * Compares bytewise: negative, 0 or positive. A sequence sorts before every longer one that begins
 * with it.
 */
export function compareBytes(left: Uint8Array, right: Uint8Array): number {
  const shared = Math.min(left.length, right.length);
  for (let at = 0; at < shared; at += 1) {
    const difference = (left[at] as number) - (right[at] as number);
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}

export function sameBytes(left: Uint8Array, right: Uint8Array): boolean {
  return left.length === right.length && compareBytes(left, right) === 0;
}

/** Offset of the first occurrence of `part`; -1 if there is none. */
export function indexOfBytes(bytes: Uint8Array, part: Uint8Array): number {
  const [first] = part;
  if (first === undefined) return 0;
  for (let at = bytes.indexOf(first); at !== -1; at = bytes.indexOf(first, at + 1))
    if (sameBytes(bytes.subarray(at, at + part.length), part)) return at;
  return -1;
}

/** Number of bytes that a base64 text with padding holds; nothing is decoded. */
export function base64Length(text: string): number {
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  return (text.length / 4) * 3 - padding;
}

/** One character per byte, as in ISO 8859-1. */
export function latin1Text(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += PIECE)
    text += String.fromCharCode(...bytes.subarray(at, at + PIECE));
  return text;
}

/** The bytes of a text that `latin1Text` made. */
export function latin1Bytes(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

/** A call with this many arguments works in every runtime. */
const PIECE = 4096;
