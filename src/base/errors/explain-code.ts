// A code of the catalogue with its entry, as a user wrote it.

import { nearestWord } from "./did-you-mean.ts";
import { CATALOGUE, type CatalogueEntry, type ErrorCode } from "./error-catalogue.ts";
import { SvcError } from "./errors.ts";

export interface ExplainedCode extends CatalogueEntry {
  readonly code: ErrorCode;
}

/** In upper or lower case. Throws USAGE. */
export function explainCode(text: string): ExplainedCode {
  const code = text.toUpperCase();
  if (Object.hasOwn(CATALOGUE, code))
    return { code: code as ErrorCode, ...CATALOGUE[code as ErrorCode] };
  const codes = Object.keys(CATALOGUE);
  const near = nearestWord(code, codes);
  const remedy = near === null ? `The codes are ${codes.join(", ")}.` : `Did you mean ${near}?`;
  const message = `There is no error code "${text}".`;
  throw new SvcError("USAGE", { message, remedy, httpRemedy: remedy });
}
