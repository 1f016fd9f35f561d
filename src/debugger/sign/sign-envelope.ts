// Envelope × key → signed envelope. The signature is over the transaction's hash, of a fee-bump the
// outer one's: the hash that the view has shown.

import type { Signer } from "../../model/signing-view.ts";
import type { Envelope } from "../../xdr/envelope/envelope.ts";
import { addSignature, type SignedEnvelope } from "../../xdr/envelope/signatures.ts";

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

/** ISO 8601; null while the time bounds have not passed. */
export function expiredAt({ terms }: Envelope, unixMilliseconds: number): string | null {
  const { latestSeconds } = terms;
  if (latestSeconds === null || BigInt(Math.floor(unixMilliseconds / 1000)) <= latestSeconds)
    return null;
  return new Date(Number(latestSeconds) * 1000).toISOString();
}
