// The values that a JSON text would make, counted from its bytes before it is parsed: a few
// megabytes of brackets become gigabytes of objects, in seconds in which no other request is
// answered.
// Invariant: what is within the bounds is parsed in the time that its strings take.

export interface JsonBounds {
  readonly depth: number;
  /** Objects, arrays and members; escapes in strings may be ten times as many. */
  readonly values: number;
}

const ESCAPES_PER_VALUE = 10;
const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Takes the bytes in pieces; returns what exceeds the bounds, or null. Any bytes will do. */
export function openJsonMeter({ depth, values }: JsonBounds): (bytes: Uint8Array) => string | null {
  let [level, found, escapes] = [0, 0, 0];
  let isString = false;
  let isEscaped = false;
  return (bytes) => {
    const { length } = bytes;
    let [quote, backslash] = [-1, -1];
    for (let at = 0; at < length; at += 1) {
      // Most bytes are in long strings without escapes, which a search passes over.
      if (isString && !isEscaped) {
        if (quote < at) quote = positionOf(bytes, QUOTE, at);
        if (backslash < at) backslash = positionOf(bytes, BACKSLASH, at);
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
        found += 1;
        if (byte !== COMMA) level += 1;
        if (level > depth) return `more than ${depth} levels`;
        if (found > values) return `more than ${values} values`;
      } else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) level -= 1;
    }
    return null;
  };
}

/** The length when there is none. */
function positionOf(bytes: Uint8Array, byte: number, from: number): number {
  const at = bytes.indexOf(byte, from);
  return at === -1 ? bytes.length : at;
}
