// The value of an envelope's field in a sentence. Text that the signer wrote is quoted, unless it is
// one word.

import { groupedDecimal } from "../../base/text/grouped.ts";
import { quotedText, SHOWN_QUOTE } from "../../base/text/neutralise.ts";
import type { TypedField } from "../../xdr/envelope/describe-envelope.ts";

/** A number, an address, a code or a word. */
const WORD = /^[\w.:+/=-]{1,120}$/;

export function fieldText({ value, of }: Pick<TypedField, "value" | "of">): string {
  switch (of) {
    case "native":
      return "XLM";
    case "words":
    case "amount":
      return value;
    case "value":
      return WORD.test(value) ? value : quotedText(value, SHOWN_QUOTE);
  }
}

/** The same; an amount is grouped, without zeros at its end. */
export function groupedFieldText(field: Pick<TypedField, "value" | "of">): string {
  const { value, of } = field;
  return of === "amount" ? groupedDecimal(value.replace(/\.?0+$/, "")) : fieldText(field);
}
