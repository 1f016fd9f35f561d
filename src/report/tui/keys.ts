// Decodes the bytes from a terminal to names of keys. A key that writes a character is that
// character. Any other key has a name of several letters. An unknown sequence is one `unknown` key,
// never text.

/** The lines that one turn of the wheel moves. */
export const WHEEL_LINES = 3;

export interface Decoded {
  readonly keys: readonly string[];
  /** The beginning of an incomplete sequence. */
  readonly remainder: string;
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

/** The names by the characters after `ESC [` or `ESC O`, without modifiers. */
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
    if (length === null) return { keys, remainder: text.slice(at) };
    const name = sequenceName(text.slice(at, at + length));
    if (name !== null) keys.push(name);
    at += length;
  }
  return { keys, remainder: "" };
}

function nameOf(character: string): string {
  if (character >= " " && character !== "\u007f") return character;
  return CONTROLS[character] ?? "unknown";
}

/** Returns null if the sequence is incomplete. */
function sequenceLength(text: string, at: number): number | null {
  const second = text[at + 1];
  if (second === undefined) return null;
  // Of two escapes in a row, the first one is a key.
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

/** Returns null for a sequence that is not a key, such as the release of a mouse button. */
function sequenceName(sequence: string): string | null {
  const mouse = MOUSE.exec(sequence.slice(1));
  if (mouse !== null) return mouseName(mouse);
  if (sequence === ESCAPE) return "escape";
  if (sequence[1] !== "[" && sequence[1] !== "O") return "unknown";
  // `1;5A` is an arrow with a modifier, and `5;2~` is a page key with one.
  const plain = sequence
    .slice(2)
    .replace(/^1;\d+(?=[A-Z])/, "")
    .replace(/;\d+(?=~)/, "");
  return SEQUENCES[plain] ?? "unknown";
}

// xterm's SGR mouse reports have the button, then column and row from 1, then `M` for a press.
const MOUSE = /^\[<(\d{1,3});(\d{1,5});(\d{1,5})([Mm])$/;
const BUTTONS: Readonly<Record<string, "click" | "wheelup" | "wheeldown">> = {
  "0": "click",
  "64": "wheelup",
  "65": "wheeldown",
};

function mouseName([, button = "", column = "", row = "", end]: RegExpExecArray): string | null {
  const kind = BUTTONS[button];
  if (kind === undefined || end === "m") return null;
  return `${kind} ${Number(column) - 1} ${Number(row) - 1}`;
}

/** Splits a key of the mouse, with columns and rows from 0. Returns null for other keys. */
export function mouseOf(key: string) {
  const [kind = "", column, row, ...more] = key.split(" ");
  if (row === undefined || more.length > 0) return null;
  const known = Object.values(BUTTONS).find((each) => each === kind);
  return known === undefined ? null : { kind: known, column: Number(column), row: Number(row) };
}

/** True if the key writes a character. */
export function writes(key: string): boolean {
  return [...key].length === 1;
}
