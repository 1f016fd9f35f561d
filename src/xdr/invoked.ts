// The arguments that an envelope's invocation gives.

import { decodeEnvelope } from "./decode-envelope.ts";

/** ScVals; empty when it invokes no contract. Throws XDR_INVALID. */
export function invokedArguments(envelopeXdr: string): string[] {
  const envelope = decodeEnvelope(envelopeXdr);
  if (envelope.type === "envelopeTypeTxV0") return [];
  const { tx } = envelope.type === "envelopeTypeTx" ? envelope.v1 : envelope.feeBump.tx.innerTx.v1;
  return tx.operations.flatMap(({ body }) => {
    if (body.type !== "invokeHostFunction") return [];
    const { hostFunction } = body.invokeHostFunctionOp;
    if (hostFunction.type === "hostFunctionTypeInvokeContract")
      return hostFunction.invokeContract.args.map((value) => value.toXdr("base64"));
    if (hostFunction.type === "hostFunctionTypeCreateContractV2")
      return hostFunction.createContractV2.constructorArgs.map((value) => value.toXdr("base64"));
    return [];
  });
}
