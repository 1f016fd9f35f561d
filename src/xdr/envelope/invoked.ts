// The arguments of an envelope's contract call.

import { hostFunctionOperations } from "../reader/decode-sdk.ts";

/** ScVals; empty when it invokes no contract. Throws XDR_INVALID. */
export function invokedArguments(envelopeXdr: string): string[] {
  return hostFunctionOperations(envelopeXdr).flatMap(({ hostFunction }) => {
    if (hostFunction.type === "hostFunctionTypeInvokeContract")
      return hostFunction.invokeContract.args.map((value) => value.toXdr("base64"));
    if (hostFunction.type === "hostFunctionTypeCreateContractV2")
      return hostFunction.createContractV2.constructorArgs.map((value) => value.toXdr("base64"));
    return [];
  });
}
