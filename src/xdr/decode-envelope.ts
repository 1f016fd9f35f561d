// A TransactionEnvelope as the SDK's value, for who reads more of it than a few fields.

import { TransactionEnvelope } from "@stellar/stellar-sdk/xdr";
import { SvcError } from "../base/errors.ts";

/** Throws XDR_INVALID. */
export function decodeEnvelope(envelopeXdr: string): TransactionEnvelope {
  try {
    return TransactionEnvelope.fromXdr(envelopeXdr, "base64");
  } catch (cause) {
    throw new SvcError("XDR_INVALID", {
      message: "The TransactionEnvelope cannot be decoded.",
      remedy: "Check that the envelope is whole.",
      cause,
      details: { type: "TransactionEnvelope" },
    });
  }
}
