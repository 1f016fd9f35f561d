// One line of text of bounded length, for values of any size.

import { grouped } from "../../base/text/grouped.ts";
import { cutNeutral, neutralise } from "../../base/text/neutralise.ts";

export const ELLIPSIS = "…";
const SHOWN_BYTES = 32;
/** As reports write an address, `CARM…JDFF`: the whole of it stands elsewhere. */
const ADDRESS_WEIGHT = 9;
/** An ellipsis and a quote beside less than this say nothing. */
const LEAST_QUOTED = 4;

/**
 * Text that stops growing at its limit: between its parts, each of which stands there whole or not
 * at all, and with every bracket closed.
 */
export class TextBudget {
  private readonly parent: TextBudget | null;
  private readonly limit: number;
  private text = "";
  private used = 0;
  private cut = false;

  constructor(limit: number, parent: TextBudget | null = null) {
    this.limit = Math.max(limit, 8);
    this.parent = parent;
  }

  get left(): number {
    return this.limit - this.used;
  }

  get full(): boolean {
    return this.cut;
  }

  add(part: string, weight = part.length): void {
    if (this.cut) return;
    if (weight > this.left) this.leaveOut();
    else this.write(part, weight);
  }

  address(address: string): void {
    this.add(address, ADDRESS_WEIGHT);
  }

  /** Bytes as hex; of many, or where little is left, the first and how many there are. */
  bytes(bytes: Uint8Array): void {
    if (this.cut) return;
    const whole = `0x${bytes.toHex()}`;
    if (bytes.length <= SHOWN_BYTES && whole.length <= this.left) {
      this.write(whole);
      return;
    }
    const count = `${ELLIPSIS} (${grouped(bytes.length)} bytes)`;
    const fitting = Math.floor((this.left - count.length - 2) / 2);
    const shown = Math.min(fitting, SHOWN_BYTES);
    if (shown < 2) this.leaveOut();
    else this.write(`0x${bytes.subarray(0, shown).toHex()}${count}`);
  }

  /** Text of the chain between quotes, which are closed where it is cut. */
  quote(bytes: Uint8Array): void {
    if (this.cut) return;
    const quoted = JSON.stringify(this.lossy(bytes)).replaceAll("\\\\u{", "\\u{");
    if (quoted.length <= this.left) this.write(quoted);
    else if (this.left < LEAST_QUOTED) this.leaveOut();
    else {
      this.cut = true;
      this.write(`${cutNeutral(quoted, this.left - 1)}${ELLIPSIS}"`);
    }
  }

  /** What `write` adds, between brackets that are closed even where it is cut. */
  enclosed(open: string, close: string, write: () => void): void {
    this.add(open);
    if (this.cut) return;
    write();
    this.write(close);
  }

  /** A part of the same text with a smaller limit of its own. */
  part(limit: number): TextBudget {
    return new TextBudget(Math.min(limit, this.left), this);
  }

  lossy(bytes: Uint8Array): string {
    // A character takes at most four bytes; more cannot be shown anyway.
    return neutralise(new TextDecoder().decode(bytes.subarray(0, this.limit * 4)));
  }

  toString(): string {
    return this.text;
  }

  private leaveOut(): void {
    this.cut = true;
    this.write(ELLIPSIS);
  }

  private write(part: string, weight = part.length): void {
    this.text += part;
    this.used += weight;
    this.parent?.write(part, weight);
  }
}
