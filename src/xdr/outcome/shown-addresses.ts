// Addresses that somebody shortened or left out of a log: `CDLZ…CYSC`, `CDLZ...CYSC`, `<REDACTED>`.
// Each has an address of its own while the log is explained, and is shown as it was pasted.

import { utf8Bytes } from "../../base/bytes.ts";
import { crypto } from "../../base/crypto.ts";
import { quotedText, SHOWN_QUOTE } from "../../base/text/neutralise.ts";
import { decodeContractId, encodeStrkey, kindOfShortened } from "../../base/text/strkey.ts";
import { SCV } from "../reader/scval-type.ts";
import { encodeBytes } from "../reader/value.ts";
import { variable } from "./printed-words.ts";

const LEFT_OUT = /^(?:<[^<>"]{1,60}>|\[[A-Z_ ]{3,20}\]|\*{3,20}|x{3,20}|…|\.{3})$/i;

export class ShownAddresses {
  /** The text of a value that stands for a pasted one → the pasted text. */
  readonly pasted = new Map<string, string>();

  /** The id of the contract that a text names in the place of a contract. */
  contractId(text: string): Uint8Array {
    return decodeContractId(text) ?? this.keyOf("contract", text);
  }

  /** The ScVal of a text in the place of a value; null if it is no address. */
  valueOf(text: string): Uint8Array | null {
    const kind = kindOfShortened(text);
    if (kind === null) {
      if (!LEFT_OUT.test(text)) return null;
      // Nothing shows that it is an address, or of which kind: it stays a text, without quotes.
      this.pasted.set(`"${text}"`, text);
      return variable(SCV.string, text);
    }
    const key = this.keyOf(kind, text);
    const address =
      kind === "account"
        ? { type: 0, accountId: { type: 0, ed25519: key } }
        : { type: 1, contractId: key };
    return encodeBytes("ScVal", { type: SCV.address, address } as never);
  }

  private keyOf(kind: "account" | "contract", text: string): Uint8Array {
    const key = crypto().sha256(utf8Bytes(`svc: shown as ${text}`));
    this.pasted.set(encodeStrkey(kind, key), asName(text));
    return key;
  }
}

/**
 * Several words in the place of an address are somebody's text, and so in quotes, unless they are a
 * mark in brackets of who took the address out.
 */
function asName(text: string): string {
  return /\s/.test(text) && !/^\[[A-Z_ ]{3,20}\]$/.test(text)
    ? quotedText(text, SHOWN_QUOTE)
    : text;
}
