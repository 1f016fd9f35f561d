// A code as an agent wrote it, of svc or of the network → what it means and what to do.

import { nearestWord } from "../base/errors/did-you-mean.ts";
import { SvcError } from "../base/errors/errors.ts";
import { neutralise } from "../base/text/neutralise.ts";
import { CATALOGUE, rowOf } from "../error-catalogue.ts";
import type { Tools } from "../tools/tools.ts";

export interface ExplainedCode {
  readonly code: string;
  readonly kind: string;
  readonly meaning: string;
  readonly whatToDo: string;
}

/** Codes of svc in upper or lower case. Throws USAGE. */
export async function explainCode(
  { tools, overHttp }: { readonly tools: Pick<Tools, "explain">; readonly overHttp: boolean },
  given: string,
): Promise<ExplainedCode> {
  const code = given.trim().toUpperCase();
  const row = rowOf(code);
  if (row !== null) {
    const { summary, advice, httpAdvice } = row;
    const whatToDo = overHttp ? (httpAdvice ?? advice) : advice;
    return { code, kind: "error of svc", meaning: summary, whatToDo };
  }
  const known = await tools.explain(given, "The code");
  if (known.kind === "code") {
    const { remedy: whatToDo, ...explained } = known.code;
    return { ...explained, whatToDo };
  }
  const near = nearestWord(code, Object.keys(CATALOGUE));
  const remedy =
    near === null
      ? "Pass a code of svc, of a transaction's result, or of the contract host."
      : `Did you mean ${near}?`;
  throw new SvcError("USAGE", {
    message: `svc does not know the code "${neutralise(given).slice(0, 80)}".`,
    remedy,
    httpRemedy: remedy,
  });
}
