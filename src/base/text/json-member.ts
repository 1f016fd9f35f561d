// Finds the text of a member of a JSON object, so that a large value can be passed on without being
// parsed and written again. The bytes must be valid JSON: somebody parsed them before.

const [QUOTE, BACKSLASH, COLON, COMMA] = [0x22, 0x5c, 0x3a, 0x2c];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];
const decoder = new TextDecoder();

/**
 * Returns the last member of that name, as JSON.parse would. Null means that the object has none,
 * or that the text is not an object.
 */
export function jsonMember(bytes: Uint8Array, name: string): Uint8Array | null {
  let at = 0;
  while (isSpace(bytes[at])) at += 1;
  if (bytes[at] !== OPEN_OBJECT) return null;
  at += 1;
  let value: Uint8Array | null = null;
  while (at < bytes.length) {
    while (isSpace(bytes[at]) || bytes[at] === COMMA) at += 1;
    if (bytes[at] !== QUOTE) break;
    const nameEnd = endOfString(bytes, at);
    const isWanted = JSON.parse(decoder.decode(bytes.subarray(at, nameEnd))) === name;
    at = bytes.indexOf(COLON, nameEnd) + 1;
    const end = endOfValue(bytes, at);
    if (isWanted) value = bytes.subarray(at, end);
    at = end;
  }
  return value;
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

/** `at` is the position of the opening quote. Returns the position after the closing one. */
export function endOfString(bytes: Uint8Array, at: number): number {
  for (let from = at + 1; ; ) {
    const quote = bytes.indexOf(QUOTE, from);
    if (quote === -1) return bytes.length;
    let escapes = 0;
    while (bytes[quote - 1 - escapes] === BACKSLASH) escapes += 1;
    if (escapes % 2 === 0) return quote + 1;
    from = quote + 1;
  }
}

/**
 * Finds the strings of a JSON text that have at least `leastBytes` bytes between their quotes.
 * Yields the first position of each and that of its closing quote. The text need not be valid.
 */
export function* longStrings(
  bytes: Uint8Array,
  leastBytes: number,
): Generator<readonly [number, number]> {
  for (let at = bytes.indexOf(QUOTE); at !== -1; ) {
    const end = endOfString(bytes, at);
    if (end - 2 - at >= leastBytes && bytes[end - 1] === QUOTE) yield [at + 1, end - 1];
    at = bytes.indexOf(QUOTE, end);
  }
}

/** Returns the position of the comma or the bracket after the value. */
function endOfValue(bytes: Uint8Array, from: number): number {
  let level = 0;
  for (let at = from; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE) at = endOfString(bytes, at) - 1;
    else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) level += 1;
    else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
      if (level === 0) return at;
      level -= 1;
    } else if (byte === COMMA && level === 0) return at;
  }
  return bytes.length;
}
