// What an invokeHostFunction operation asks of the host. The envelope has been read before: its
// depth is bounded.

import { TransactionEnvelope } from "@stellar/stellar-sdk/xdr";
import { readBase64 } from "./cursor.ts";
import { readAddress } from "./value-text.ts";

export type HostFunctionFacts =
  | {
      readonly kind: "invoke";
      /** Strkey. */
      readonly contract: string;
      /** As it stands in the envelope: not neutralised. */
      readonly function: string;
      readonly argumentsXdr: readonly string[];
    }
  | { readonly kind: "create" | "upload" };

/** Null when no operation invokes a host function. */
export function readHostFunction(envelopeXdr: string): HostFunctionFacts | null {
  const envelope = TransactionEnvelope.fromXdr(envelopeXdr, "base64");
  if (envelope.type === "envelopeTypeTxV0") return null;
  const { tx } = envelope.type === "envelopeTypeTx" ? envelope.v1 : envelope.feeBump.tx.innerTx.v1;
  for (const { body } of tx.operations) {
    if (body.type !== "invokeHostFunction") continue;
    const { hostFunction } = body.invokeHostFunctionOp;
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
  return null;
}
