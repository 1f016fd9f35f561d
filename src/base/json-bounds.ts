// Counts the values that a JSON text would make, from its bytes, before it is parsed. A few
// megabytes of brackets would become gigabytes of objects, and no other request would be answered
// for seconds.
// Invariant: parsing a text within the bounds takes no longer than its strings do.

export interface JsonBounds {
  readonly depth: number;
  /**
   * The number of objects, arrays and members. Ten times as many escapes are allowed in strings.
   */
  readonly values: number;
}

const ESCAPES_PER_VALUE = 10;
const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Opens a meter that takes the bytes in pieces. It returns what exceeds the bounds, or null. The
 * bytes need not be JSON.
 */
export function openJsonMeter({ depth, values }: JsonBounds): (bytes: Uint8Array) => string | null {
  let [level, valueCount, escapes] = [0, 0, 0];
  let isString = false;
  let isEscaped = false;
  return (bytes) => {
    const { length } = bytes;
    let [quote, backslash] = [-1, -1];
    for (let at = 0; at < length; at += 1) {
      // Most bytes are in long strings without escapes, which a search skips.
      if (isString && !isEscaped) {
        if (quote < at) quote = positionOfByte(bytes, QUOTE, at);
        if (backslash < at) backslash = positionOfByte(bytes, BACKSLASH, at);
        at = Math.min(quote, backslash);
        if (at === length) break;
      }
      const byte = bytes[at] as number;
      if (isEscaped) isEscaped = false;
      else if (isString) {
        if (byte === QUOTE) isString = false;
        else if (byte === BACKSLASH) {
          isEscaped = true;
          escapes += 1;
          if (escapes > values * ESCAPES_PER_VALUE) return "too many escapes";
        }
      } else if (byte === QUOTE) isString = true;
      else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT || byte === COMMA) {
        valueCount += 1;
        if (byte !== COMMA) level += 1;
        if (level > depth) return `more than ${depth} levels`;
        if (valueCount > values) return `more than ${values} values`;
      } else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) level -= 1;
    }
    return null;
  };
}

/** Returns the position of a byte, or the length if the byte does not occur. */
export function positionOfByte(bytes: Uint8Array, byte: number, from: number): number {
  const at = bytes.indexOf(byte, from);
  return at === -1 ? bytes.length : at;
}

const FILE_DEPTH = 500;
const [LEAST_VALUES, CHARACTERS_PER_VALUE] = [100_000, 32];
const PIECE_CHARACTERS = 1024 * 1024;

/**
 * Returns what a file has more of than any that svc writes, or null. A file of 60 MB may have two
 * million values, and one of brackets would have forty.
 */
export function excessOfJson(text: string): string | null {
  const values = Math.floor(LEAST_VALUES + text.length / CHARACTERS_PER_VALUE);
  const meter = openJsonMeter({ depth: FILE_DEPTH, values });
  const encoder = new TextEncoder();
  for (let at = 0; at < text.length; at += PIECE_CHARACTERS) {
    const excess = meter(encoder.encode(text.slice(at, at + PIECE_CHARACTERS)));
    if (excess !== null) return excess;
  }
  return null;
}
