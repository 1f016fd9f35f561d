// The value of an envelope's field in a sentence. Text that the signer wrote is quoted.

import { quotedText, SHOWN_QUOTE } from "../../base/text/neutralise.ts";

/** Numbers, addresses, codes and times, as svc writes them. */
const PLAIN = /^(?:[\w.:+/=-]{1,120}|[\d,.]{1,60}|no limit|[\dT:.Z-]{1,40} \(\d{1,20}\))$/;
/** The text of svc for an absent value, also as the code of an asset. */
const NOTHING = /^\((?:none|empty)\)(?::G\w{55})?$/;

export function fieldText(value: string): string {
  return PLAIN.test(value) || NOTHING.test(value) ? value : quotedText(value, SHOWN_QUOTE);
}
