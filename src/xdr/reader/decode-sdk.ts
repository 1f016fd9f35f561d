// XDR as the SDK's values, for who reads more of it than a few fields.

import { type InvokeHostFunctionOp, TransactionEnvelope } from "@stellar/stellar-sdk/xdr";
import { SvcError } from "../../base/errors/errors.ts";

/** `decode`: of the SDK. `name`: the XDR type's. `what`: as people call it. Throws XDR_INVALID. */
export function decodeSdk<Value>(decode: () => Value, name: string, what: string): Value {
  try {
    return decode();
  } catch (cause) {
    throw new SvcError("XDR_INVALID", {
      message: `The ${name} cannot be decoded.`,
      remedy: `Check that ${what} is whole.`,
      cause,
      details: { type: name },
    });
  }
}

/** Throws XDR_INVALID. */
export function decodeEnvelope(envelopeXdr: string): TransactionEnvelope {
  const decode = () => TransactionEnvelope.fromXdr(envelopeXdr, "base64");
  return decodeSdk(decode, "TransactionEnvelope", "the envelope");
}

/** In the envelope's order, of a fee-bump the inner transaction's. Throws XDR_INVALID. */
export function hostFunctionOperations(envelopeXdr: string): InvokeHostFunctionOp[] {
  const envelope = decodeEnvelope(envelopeXdr);
  // Older than contracts.
  if (envelope.type === "envelopeTypeTxV0") return [];
  const { tx } = envelope.type === "envelopeTypeTx" ? envelope.v1 : envelope.feeBump.tx.innerTx.v1;
  return tx.operations.flatMap(({ body }) =>
    body.type === "invokeHostFunction" ? [body.invokeHostFunctionOp] : [],
  );
}
