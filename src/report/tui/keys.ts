// The bytes from a terminal → names of keys. A key that writes a character is that character; any
// other key has a name of several letters. An unknown sequence is one `unknown` key, never text.

/** By which one turn of the wheel moves. */
export const WHEEL_LINES = 3;

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
    const name = sequenceName(text.slice(at, at + length));
    if (name !== null) keys.push(name);
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

/** Null for what is no key, such as a button of the mouse that is let go. */
function sequenceName(sequence: string): string | null {
  const mouse = MOUSE.exec(sequence.slice(1));
  if (mouse !== null) return mouseName(mouse);
  if (sequence === ESCAPE) return "escape";
  if (sequence[1] !== "[" && sequence[1] !== "O") return "unknown";
  // `1;5A` is an arrow with a modifier, `5;2~` a page key with one.
  const plain = sequence
    .slice(2)
    .replace(/^1;\d+(?=[A-Z])/, "")
    .replace(/;\d+(?=~)/, "");
  return SEQUENCES[plain] ?? "unknown";
}

// xterm's SGR mouse reports: button, column and row from 1, `M` when it is pressed.
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

/** What a key of the mouse says, with columns and rows from 0; null for other keys. */
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
