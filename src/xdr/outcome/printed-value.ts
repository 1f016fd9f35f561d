// Values as the contract host prints them (rs-soroban-env, events/mod.rs) → ScVals. The print does
// not show where a text of a contract ends: what is ambiguous stays text.

import { concatBytes } from "../../base/bytes.ts";
import { SCV } from "../reader/scval-type.ts";
import { unescaped } from "../reader/unescaped.ts";
import { uint32s } from "../reader/words.ts";
import { type PrintedValue, variable, wordValue } from "./printed-words.ts";
import type { ShownAddresses } from "./shown-addresses.ts";

const DEEPEST = 20;
/** `Error(Contract, #10)`, `Bytes(00ff)`, or a word. */
const WORD = /\w+\([^()"]*(?:\([^()"]*\)[^()"]*)*\)|-?\w+|/y;
const ENDS_WORD = /[\],:}]|\s*$|\s+(?:\d{1,5}: ?)?\[/y;
const LOOSE_WORD = /(?:\[[A-Z_ ]{3,20}\]|[^,[\]{}"\n]){1,400}/y;
/** A quote without an escape ends a text where the list goes on, or ends, behind it. */
const QUOTE = /(?<=[^\\](?:\\\\){0,8})"(?=\]|\}|, |: |\s*$)/g;
const QUOTE_IN_ONE_LINE =
  /(?<=[^\\](?:\\\\){0,8})"(?=\]|\}|, |: |\s*$|\s+(?:\d{1,5}: ?)?\[(?:Failed )?(?:System|Contract|Diagnostic) Event|\s+\d{1,5}: ?\[[SCDF]\w{0,9}(?:…|\.{2,3})\s*$)/g;

/** How a log is printed, where it is not as the host prints it. */
export interface PrintStyle {
  /** Texts have no quotes, and addresses are shortened or left out. */
  readonly isLoose: boolean;
  /** Another event can follow on the same line. */
  readonly isOneLine: boolean;
}

/** Reads values from a place of a text on. */
export class ValueReader {
  private readonly closing: RegExp;

  constructor(
    private readonly line: string,
    public at: number,
    private readonly style: PrintStyle,
    private readonly addresses: ShownAddresses,
  ) {
    this.closing = style.isOneLine ? QUOTE_IN_ONE_LINE : QUOTE;
  }

  takes(pattern: RegExp): boolean {
    const prefix = pattern.exec(this.line.slice(this.at, this.at + 16))?.[0];
    this.at += prefix?.length ?? 0;
    return prefix !== undefined;
  }

  /** The values until the closing character, after the opening one. */
  list(close: "]" | "}", depth = 0): PrintedValue[] | null {
    const values: PrintedValue[] = [];
    for (;;) {
      if (this.line[this.at] === close) {
        this.at += 1;
        return values;
      }
      const value = this.value(depth);
      if (value === null) return null;
      values.push(value);
      if (this.line[this.at] !== close && !this.takes(/^[,:] ?/)) return null;
    }
  }

  /** Null where it cannot be read; the place is then that of the value. */
  value(depth = 0): PrintedValue | null {
    const from = this.at;
    const xdr = depth > DEEPEST ? null : this.content(depth);
    if (xdr === null) this.at = from;
    return xdr && { xdr, text: this.line.slice(from, this.at) };
  }

  private content(depth: number): Uint8Array | null {
    const first = this.line[this.at];
    if (first === '"') return this.quoted();
    if (first === "[" || first === "{") {
      this.at += 1;
      const values = this.list(first === "[" ? "]" : "}", depth + 1);
      if (values === null) return null;
      const count = first === "[" ? values.length : values.length / 2;
      const isWhole = Number.isInteger(count);
      const words = uint32s(first === "[" ? SCV.vec : SCV.map, 1, count);
      return isWhole ? concatBytes([words, ...values.map(({ xdr }) => xdr)]) : null;
    }
    const word = this.matched(WORD) ?? "";
    if (!this.style.isLoose) return wordValue(word);
    ENDS_WORD.lastIndex = this.at;
    if (word !== "" && ENDS_WORD.test(this.line))
      return this.addresses.valueOf(word) ?? wordValue(word);
    this.at -= word.length;
    const loose = this.matched(LOOSE_WORD)?.trimEnd() ?? "";
    return loose === "" ? null : (this.addresses.valueOf(loose) ?? wordValue(loose));
  }

  private matched(pattern: RegExp): string | null {
    pattern.lastIndex = this.at;
    const match = pattern.exec(this.line)?.[0] ?? null;
    this.at += match?.length ?? 0;
    return match;
  }

  private quoted(): Uint8Array | null {
    this.closing.lastIndex = this.at + 1;
    const end = this.closing.exec(this.line)?.index;
    if (end === undefined) return null;
    const text = this.line.slice(this.at + 1, end);
    this.at = end + 1;
    return variable(SCV.string, unescaped(text) ?? text);
  }
}
