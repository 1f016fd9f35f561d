// What a transaction does, in a few words to begin a headline with: from the envelope, which is
// there whatever came of it.

import { readHostFunction } from "../xdr/host-function.ts";
import { showFunction } from "./named-calls.ts";
import { operationInWords } from "./operation-codes.ts";

/** `operationKinds`: XDR names. Throws XDR_INVALID when the envelope is none. */
export function subjectOf(envelopeXdr: string, operationKinds: readonly string[]): string {
  const hostFunction = readHostFunction(envelopeXdr);
  switch (hostFunction?.kind) {
    case "invoke":
      return `Contract call ${showFunction(hostFunction.function)}`;
    case "create":
      return "Creation of a contract";
    case "upload":
      return "Upload of contract code";
    default: {
      if (operationKinds.length > 1) return `${operationKinds.length} operations`;
      const words = operationInWords(operationKinds[0] ?? "operation");
      return words.charAt(0).toUpperCase() + words.slice(1);
    }
  }
}
