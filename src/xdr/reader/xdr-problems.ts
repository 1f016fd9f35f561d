// What is wrong with a text that is to be XDR in base64, in the words of a field: which character
// is none of base64, where the XDR ends, or which other type it is.

import { SvcError } from "../../base/errors/errors.ts";
import type { FieldProblem } from "../../base/errors/field-problems.ts";
import { isBase64 } from "../../base/text/base64.ts";
import type { TypeName } from "./schema.ts";
import { decode } from "./value.ts";

/** Types that are often passed in the place of another. */
const MISTAKEN: readonly TypeName[] = [
  "TransactionEnvelope",
  "TransactionResult",
  "TransactionMeta",
  "LedgerEntry",
  "LedgerKey",
];

/** Empty: the text is that type. */
export function xdrProblems(field: string, type: TypeName, text: string): FieldProblem[] {
  const expected = `must be ${type} as XDR in base64`;
  if (text === "") return [{ field, problem: "is empty", expected }];
  if (!isBase64(text)) return [{ field, problem: notBase64(text), expected }];
  const problem = undecoded(type, text);
  if (problem === null) return [];
  const other = MISTAKEN.find((each) => each !== type && undecoded(each, text) === null);
  return [{ field, problem: other === undefined ? problem : `is a ${other}`, expected }];
}

/** Null: it can be decoded. */
function undecoded(type: TypeName, text: string): string | null {
  try {
    decode(type, text);
    return null;
  } catch (error) {
    if (error instanceof SvcError) return `cannot be decoded: ${error.message}`;
    throw error;
  }
}

function notBase64(text: string): string {
  const at = text.search(/[^A-Za-z0-9+/=]/);
  if (at !== -1) return `is not base64: character ${at + 1} is ${JSON.stringify(text[at])}`;
  return `is not base64: the end of its ${text.length} characters is cut off, or is not padded`;
}
