// Functions of ECMAScript 2025 and 2026 that Node 22 and 24 and browsers of 2024 lack. Each one is
// added only where it is missing. This file is imported before everything else.

interface Bytes {
  toHex?: () => string;
  toBase64?: () => string;
  setFromBase64?: (text: string) => { read: number; written: number };
}

const readers = Uint8Array as unknown as {
  fromHex?: (text: string) => Uint8Array;
  fromBase64?: (text: string) => Uint8Array;
};
const bytes = Uint8Array.prototype as unknown as Bytes;
const pattern = RegExp as unknown as { escape?: (text: string) => string };

/** The number of bytes that one call of a function can take as arguments. */
const CHUNK_BYTES = 4096;

readers.fromHex ??= (text) => {
  if (!/^(?:[0-9a-fA-F]{2})*$/.test(text)) throw new SyntaxError("the text is not hex");
  const read = new Uint8Array(text.length / 2);
  for (let at = 0; at < read.length; at += 1)
    read[at] = Number.parseInt(text.slice(2 * at, 2 * at + 2), 16);
  return read;
};
readers.fromBase64 ??= (text) => {
  const data = text.replace(/[\t\n\f\r ]/g, "");

  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(data)) throw new SyntaxError("the text is not base64");
  let decoded: string;
  try {
    decoded = atob(data);
  } catch (cause) {
    throw new SyntaxError("the text is not base64", { cause });
  }
  return Uint8Array.from(decoded, (character) => character.charCodeAt(0));
};

function define(name: keyof Bytes, value: (this: Uint8Array, text: string) => unknown): void {
  if (bytes[name] !== undefined) return;
  Object.defineProperty(bytes, name, { value, configurable: true, writable: true });
}

define("toHex", function () {
  let text = "";
  for (const byte of this) text += byte.toString(16).padStart(2, "0");
  return text;
});
define("toBase64", function () {
  let text = "";
  for (let at = 0; at < this.length; at += CHUNK_BYTES)
    text += String.fromCharCode(...this.subarray(at, at + CHUNK_BYTES));
  return btoa(text);
});
define("setFromBase64", function (text) {
  const read = (readers.fromBase64 as (text: string) => Uint8Array)(text);
  const written = Math.min(this.length, read.length);
  this.set(read.subarray(0, written));
  return { read: text.length, written };
});
pattern.escape ??= (text) => text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
