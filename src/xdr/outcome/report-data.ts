// The values that the host reports with an error, as text. It is apart from the reader of reports,
// which is also wanted where no value is shown.

import { blankInWords } from "../../base/text/neutralise.ts";
import { showValue } from "../values/value.ts";
import { elementsOf, stringOf } from "../values/value-parts.ts";

/** The values that come with an error: `"Bytes had unexpected size" (31)`. */
export function showData(dataXdr: string, limit?: number): string {
  const [message, ...values] = elementsOf(dataXdr) ?? [];
  if (message === undefined || stringOf(message) === null) return showValue(dataXdr, limit);
  const more = values.map((value) => showValue(value, limit)).join(", ");
  const text = blankInWords(stringOf(message) ?? "") ?? showValue(message, limit);
  return `${text}${more === "" ? "" : ` (${more})`}`;
}
