// The bytes from a terminal → names of keys. A key that writes a character is that character; any
// other key has a name of several letters. An unknown sequence is one `unknown` key, never text.

export interface Decoded {
  readonly keys: readonly string[];
  /** The beginning of an incomplete sequence. */
  readonly rest: string;
}

const ESCAPE = "\u001b";
/** No terminal sends a longer sequence for a key. */
const LONGEST_SEQUENCE = 32;

const CONTROLS: Readonly<Record<string, string>> = {
  "\r": "enter",
  "\n": "enter",
  "\t": "tab",
  "\u007f": "backspace",
  "\b": "backspace",
  "\u0002": "pageup",
  "\u0003": "interrupt",
  "\u0004": "halfdown",
  "\u0006": "pagedown",
  "\u000c": "redraw",
  "\u0015": "halfup",
  "\u001a": "suspend",
};

/** By the characters after `ESC [` or `ESC O`, without modifiers. */
const SEQUENCES: Readonly<Record<string, string>> = {
  A: "up",
  B: "down",
  C: "right",
  D: "left",
  H: "home",
  F: "end",
  Z: "backtab",
  M: "enter",
  "1~": "home",
  "4~": "end",
  "5~": "pageup",
  "6~": "pagedown",
  "7~": "home",
  "8~": "end",
};

export function decodeKeys(text: string): Decoded {
  const keys: string[] = [];
  let at = 0;
  while (at < text.length) {
    if (text[at] !== ESCAPE) {
      const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
      keys.push(nameOf(character));
      at += character.length;
      continue;
    }
    const length = sequenceLength(text, at);
    if (length === null) return { keys, rest: text.slice(at) };
    keys.push(sequenceName(text.slice(at, at + length)));
    at += length;
  }
  return { keys, rest: "" };
}

function nameOf(character: string): string {
  if (character >= " " && character !== "\u007f") return character;
  return CONTROLS[character] ?? "unknown";
}

/** Null when the sequence is incomplete. */
function sequenceLength(text: string, at: number): number | null {
  const second = text[at + 1];
  if (second === undefined) return null;
  // Two escapes in a row: the first one is the key.
  if (second === ESCAPE) return 1;
  if (second === "O") return text[at + 2] === undefined ? null : 3;
  if (second !== "[") return 1 + String.fromCodePoint(text.codePointAt(at + 1) ?? 0).length;
  for (let end = at + 2; end < text.length && end < at + LONGEST_SEQUENCE; end += 1) {
    const character = text[end] ?? "";
    if (character >= "@" && character <= "~") return end + 1 - at;
    if (character === ESCAPE) return end - at;
  }
  return text.length - at < LONGEST_SEQUENCE ? null : LONGEST_SEQUENCE;
}

function sequenceName(sequence: string): string {
  if (sequence === ESCAPE) return "escape";
  if (sequence[1] !== "[" && sequence[1] !== "O") return "unknown";
  // `1;5A` is an arrow with a modifier, `5;2~` a page key with one.
  const plain = sequence
    .slice(2)
    .replace(/^1;\d+(?=[A-Z])/, "")
    .replace(/;\d+(?=~)/, "");
  return SEQUENCES[plain] ?? "unknown";
}

/** True if the key writes a character. */
export function writes(key: string): boolean {
  return [...key].length === 1;
}
