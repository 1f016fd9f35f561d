// Envelope × key → signed envelope. The signature is over the transaction's hash, of a fee-bump the
// outer one's: the hash that the view has shown.

import { SvcError } from "../../base/errors/errors.ts";
import type { Signer } from "../../model/signer.ts";
import { type Envelope, openEnvelope } from "../../xdr/envelope/envelope.ts";
import { addSignature, type SignedEnvelope } from "../../xdr/envelope/signatures.ts";

/** `name`: where it comes from. Throws FILE_INVALID when it is no TransactionEnvelope. */
export function openGivenEnvelope(
  envelopeXdr: string,
  networkPassphrase: string,
  name: string,
): Envelope {
  try {
    return openEnvelope(envelopeXdr, networkPassphrase);
  } catch (cause) {
    throw new SvcError("FILE_INVALID", {
      message: `${name} holds no TransactionEnvelope in base64: ${(cause as Error).message}`,
      remedy: "Give the envelope as stellar-sdk's toXDR() or stellar tx commands print it.",
      cause,
    });
  }
}

/**
 * `named`: the key is that of an account which the envelope names. Throws FILE_INVALID when there is
 * no room for a signature, and what the signer throws.
 */
export function signEnvelope(
  envelope: Envelope,
  signer: Signer,
): SignedEnvelope & { readonly named: boolean } {
  const named = envelope.terms.signers.includes(signer.address);
  return { ...addSignature(envelope, signer), named };
}
