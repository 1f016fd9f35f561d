// One line of text of limited length, for values of any size.

import { grouped } from "../../base/text/grouped.ts";
import { cutNeutral, neutralise } from "../../base/text/neutralise.ts";

const ELLIPSIS = "…";
const SHOWN_BYTES = 32;
/** The length of a short address, `CARM…JDFF`. Reports list the full addresses. */
const ADDRESS_WEIGHT = 9;
/** With less room than this, an ellipsis and a quote are not useful. */
const LEAST_QUOTED = 4;

/**
 * Text that stops growing at its limit. Every part is either complete or missing, and every bracket
 * is closed. Without a limit, two values never give the same text, for a person who signs them.
 */
export class TextBudget {
  private readonly parent: TextBudget | null;
  private readonly limit: number;
  private text = "";
  private used = 0;
  private cut = false;
  private hasGap = false;

  constructor(limit: number, parent: TextBudget | null = null) {
    this.limit = Math.max(limit, 8);
    this.parent = parent;
  }

  get left(): number {
    return this.limit - this.used;
  }

  /** True if nothing may be left out, and no two values may look alike. */
  get exact(): boolean {
    return this.limit === Number.POSITIVE_INFINITY;
  }

  get full(): boolean {
    return this.cut;
  }

  /** True if a part of the value was left out, in this text or in a part of it. */
  get isShortened(): boolean {
    return this.hasGap;
  }

  add(part: string, weight = part.length): void {
    if (this.cut) return;
    if (weight > this.left) this.leaveOut();
    else this.write(part, weight);
  }

  address(address: string): void {
    this.add(address, ADDRESS_WEIGHT);
  }

  /**
   * Adds bytes as hex. For many bytes, or with little room left, it adds the first ones and their
   * number.
   */
  bytes(bytes: Uint8Array): void {
    if (this.cut) return;
    const whole = `0x${bytes.toHex()}`;
    if ((this.exact || bytes.length <= SHOWN_BYTES) && whole.length <= this.left) {
      this.write(whole);
      return;
    }
    const count = `${ELLIPSIS} (${grouped(bytes.length)} bytes)`;
    const fitting = Math.floor((this.left - count.length - 2) / 2);
    const shown = Math.min(fitting, SHOWN_BYTES);
    if (shown < 2) this.leaveOut();
    else {
      this.markShortened();
      this.write(`0x${bytes.subarray(0, shown).toHex()}${count}`);
    }
  }

  /** Adds text from the chain in quotes, which are closed even if the text is cut. */
  quote(bytes: Uint8Array): void {
    if (this.cut) return;
    if (this.exact) {
      this.write(exactly(bytes));
      return;
    }
    const quoted = JSON.stringify(this.lossy(bytes)).replaceAll("\\\\u{", "\\u{");
    if (quoted.length <= this.left) this.write(quoted);
    else if (this.left < LEAST_QUOTED) this.leaveOut();
    else {
      this.cut = true;
      this.markShortened();
      this.write(`${cutNeutral(quoted, this.left - 1)}${ELLIPSIS}"`);
    }
  }

  /** Adds the text of `write` in brackets that are closed even if it is cut. */
  enclosed(open: string, close: string, write: () => void): void {
    this.add(open);
    if (this.cut) return;
    write();
    this.write(close);
  }

  /** Returns a part of the same text with its own, smaller limit. */
  part(limit: number): TextBudget {
    return new TextBudget(Math.min(limit, this.left), this);
  }

  lossy(bytes: Uint8Array): string {
    // A character has at most four bytes, and more characters would not be shown anyway.
    return neutralise(new TextDecoder().decode(bytes.subarray(0, this.limit * 4)));
  }

  toString(): string {
    return this.text;
  }

  /** Adds an ellipsis for a part of the value that is nested too deeply. */
  deeper(): void {
    if (this.cut) return;
    this.markShortened();
    this.add(ELLIPSIS);
  }

  private leaveOut(): void {
    this.cut = true;
    this.markShortened();
    this.write(ELLIPSIS);
  }

  private markShortened(): void {
    this.hasGap = true;
    this.parent?.markShortened();
  }

  private write(part: string, weight = part.length): void {
    this.text += part;
    this.used += weight;
    this.parent?.write(part, weight);
  }
}

/**
 * Returns the text as JSON, in which invisible characters are escaped, or the bytes if it is not
 * UTF-8.
 */
function exactly(bytes: Uint8Array): string {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return neutralise(JSON.stringify(text));
  } catch {
    return `text that is not UTF-8 0x${bytes.toHex()}`;
  }
}
