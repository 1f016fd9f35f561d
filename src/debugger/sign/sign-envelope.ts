// Envelope × key → signed envelope. The signature is over the transaction's hash, of a fee-bump the
// outer one's: the hash that the view has shown.

import { SvcError } from "../../base/errors/errors.ts";
import type { Signer } from "../../model/signer.ts";
import { readEnvelope } from "../../xdr/envelope/envelope.ts";
import { readNamedKeys } from "../../xdr/envelope/named-keys.ts";
import { addSignature, type SignedEnvelope } from "../../xdr/envelope/signatures.ts";

/** `name`: where it comes from. Throws FILE_INVALID when it is no TransactionEnvelope. */
export function checkEnvelope(envelopeXdr: string, networkPassphrase: string, name: string): void {
  try {
    readEnvelope(envelopeXdr, networkPassphrase);
  } catch (cause) {
    throw new SvcError("FILE_INVALID", {
      message: `${name} holds no TransactionEnvelope in base64: ${(cause as Error).message}`,
      remedy: "Give the envelope as stellar-sdk's toXDR() or stellar tx commands print it.",
      cause,
    });
  }
}

/**
 * `named`: the key is that of an account which the envelope names. Throws FILE_INVALID when there is no room for a signature, and what the signer throws.
 */
export function signEnvelope(
  envelopeXdr: string,
  networkPassphrase: string,
  signer: Signer,
): SignedEnvelope & { readonly named: boolean } {
  const { hash } = readEnvelope(envelopeXdr, networkPassphrase);
  const isSigner = (key: Uint8Array) => Buffer.compare(key, signer.publicKey) === 0;
  const named = readNamedKeys(envelopeXdr).some(isSigner);
  return { ...addSignature(envelopeXdr, Buffer.from(hash, "hex"), signer), named };
}
