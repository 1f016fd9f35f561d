// The subject of a headline: what a transaction does, in a few words. They come from the envelope,
// which is always available.

import { sentenceStart } from "../../base/text/sentence.ts";
import type { HostFunctionFacts } from "../../xdr/envelope/host-function.ts";
import { showFunction } from "./named-calls.ts";
import { operationInWords } from "./operation-codes.ts";

/** `operationKinds`: XDR names. */
export function headlineSubject(
  hostFunction: HostFunctionFacts | null,
  operationKinds: readonly string[],
): string {
  switch (hostFunction?.kind) {
    case "invoke":
      return `\`${showFunction(hostFunction.function)}()\``;
    case "create":
      return "Creation of a contract";
    case "upload":
      return "Upload of contract code";
    default: {
      if (operationKinds.length > 1) return `${operationKinds.length} operations`;
      return sentenceStart(operationInWords(operationKinds[0] ?? "operation"));
    }
  }
}
