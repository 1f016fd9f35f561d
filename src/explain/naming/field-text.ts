// The value of a field of an envelope within a sentence: what whoever signed it wrote is quoted.

import { quotedText, SHOWN_QUOTE } from "../../base/text/neutralise.ts";

/** Numbers, addresses, codes, and what svc says of a time or of nothing. */
const PLAIN =
  /^(?:[\w.:+/=-]{0,120}|[\d,.]{1,60}|no limit|\((?:none|empty)\)|[\dT:.Z-]{1,40} \(\d{1,20}\))$/;

export function fieldText(value: string): string {
  return PLAIN.test(value) ? value : quotedText(value, SHOWN_QUOTE);
}
