// Bytes of a terminal → keys.

import { expect, test } from "bun:test";
import fc from "fast-check";
import { decodeKeys, writes } from "../../../src/report/tui/keys.ts";

const CASES: readonly (readonly [string, readonly string[]])[] = [
  ["jk/", ["j", "k", "/"]],
  ["é漢👍", ["é", "漢", "👍"]],
  ["\u001b[A\u001b[B\u001b[C\u001b[D", ["up", "down", "right", "left"]],
  ["\u001bOA\u001bOH\u001bOF", ["up", "home", "end"]],
  ["\u001b[5~\u001b[6~\u001b[1~\u001b[4~", ["pageup", "pagedown", "home", "end"]],
  ["\u001b[1;5A\u001b[5;2~", ["up", "pageup"]],
  ["\t\u001b[Z\r\n\u007f\b", ["tab", "backtab", "enter", "enter", "backspace", "backspace"]],
  ["\u0003\u001a\u000c\u0001", ["interrupt", "suspend", "redraw", "unknown"]],
  ["\u001b\u001b[A", ["escape", "up"]],
  // Alt with a letter, a pasted bracket: neither a key of svc nor text.
  ["\u001bxq", ["unknown", "q"]],
  // The left button and the wheel; the button let go and the other buttons are no keys.
  ["\u001b[<0;3;9M\u001b[<0;3;9mq", ["click 2 8", "q"]],
  ["\u001b[<64;1;1M\u001b[<65;80;24M\u001b[<2;1;1M", ["wheelup 0 0", "wheeldown 79 23"]],
  ["\u001b[200~x\u001b[201~", ["unknown", "x", "unknown"]],
];

for (const [text, keys] of CASES)
  test(`${JSON.stringify(text)}`, () => {
    expect(decodeKeys(text)).toEqual({ keys: [...keys], remainder: "" });
  });

test("an incomplete sequence is kept", () => {
  for (const remainder of ["\u001b", "\u001b[", "\u001bO", "\u001b[1;5"])
    expect(decodeKeys(`j${remainder}`)).toEqual({ keys: ["j"], remainder });
});

test("input in any parts is read completely, and only characters write", () => {
  const piece = fc.oneof(
    fc.string({ unit: "binary", maxLength: 8 }),
    fc.constantFrom("\u001b[A", "\u001b[5~", "\u001bOB", "\u001b[1;5C", "\u001b", "\u001b["),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
      const whole = decodeKeys(pieces.join(""));
      for (const key of whole.keys) if (writes(key)) expect(key >= " ").toBe(true);
      expect(whole.remainder === "" || whole.remainder.startsWith("\u001b")).toBe(true);
      expect(whole.remainder.length).toBeLessThan(32);
    }),
  );
});
