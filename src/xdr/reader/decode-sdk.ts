// XDR as the SDK's values, for code that reads more than a few fields.

import { type InvokeHostFunctionOp, TransactionEnvelope } from "@stellar/stellar-sdk/xdr";
import { SvcError } from "../../base/errors/errors.ts";

/** `decode`: from the SDK. `name`: the XDR type. `what`: name for people. Throws XDR_INVALID. */
export function decodeSdk<Value>(decode: () => Value, name: string, what: string): Value {
  try {
    return decode();
  } catch (cause) {
    throw new SvcError("XDR_INVALID", {
      message: `The ${name} cannot be decoded.`,
      remedy: `Check that ${what} is complete.`,
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

/** In the envelope's order; for a fee-bump, of the inner transaction. Throws XDR_INVALID. */
export function hostFunctionOperations(envelopeXdr: string): InvokeHostFunctionOp[] {
  const envelope = decodeEnvelope(envelopeXdr);
  // V0 envelopes are older than contracts.
  if (envelope.type === "envelopeTypeTxV0") return [];
  const { tx } = envelope.type === "envelopeTypeTx" ? envelope.v1 : envelope.feeBump.tx.innerTx.v1;
  return tx.operations.flatMap(({ body }) =>
    body.type === "invokeHostFunction" ? [body.invokeHostFunctionOp] : [],
  );
}
