// The host function of an invokeHostFunction operation. The envelope has been read before, so its
// depth is limited.

import { readBase64 } from "../reader/cursor.ts";
import { hostFunctionOperations } from "../reader/decode-sdk.ts";
import { readAddress } from "../values/value-text.ts";

export type HostFunctionFacts =
  | {
      readonly kind: "invoke";
      /** Strkey. */
      readonly contract: string;
      /** As in the envelope, not neutralised. */
      readonly function: string;
      readonly argumentsXdr: readonly string[];
    }
  | { readonly kind: "create" | "upload" };

/** Null when no operation invokes a host function. Throws XDR_INVALID. */
export function readHostFunction(envelopeXdr: string): HostFunctionFacts | null {
  const [operation] = hostFunctionOperations(envelopeXdr);
  if (operation === undefined) return null;
  const { hostFunction } = operation;
  switch (hostFunction.type) {
    case "hostFunctionTypeInvokeContract": {
      const { contractAddress, functionName, args } = hostFunction.invokeContract;
      return {
        kind: "invoke",
        contract: readBase64(contractAddress.toXdr("base64"), "SCAddress", readAddress),
        function: functionName.toString(),
        argumentsXdr: args.map((value) => value.toXdr("base64")),
      };
    }
    case "hostFunctionTypeUploadContractWasm":
      return { kind: "upload" };
    default:
      return { kind: "create" };
  }
}
