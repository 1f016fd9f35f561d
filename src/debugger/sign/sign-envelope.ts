// Signs an envelope with a key. The signature covers the transaction's hash, which for a fee-bump
// is the outer one. The view has shown that hash.

import type { Signer } from "../../model/signing-view.ts";
import type { Envelope } from "../../xdr/envelope/envelope.ts";
import { addSignature, type SignedEnvelope } from "../../xdr/envelope/signatures.ts";

/**
 * `named` is true if the key belongs to an account that the envelope names. Throws FILE_INVALID if
 * there is no room for a signature, and the errors of the signer.
 */
export function signEnvelope(
  envelope: Envelope,
  signer: Signer,
): SignedEnvelope & { readonly named: boolean } {
  const named = envelope.terms.signers.includes(signer.address);
  return { ...addSignature(envelope, signer), named };
}

/** The time at which the time bounds ended (ISO 8601); null if they have not ended. */
export function expiredAt({ terms }: Envelope, unixMilliseconds: number): string | null {
  const { latestSeconds } = terms;
  if (latestSeconds === null || BigInt(Math.floor(unixMilliseconds / 1000)) <= latestSeconds)
    return null;
  return new Date(Number(latestSeconds) * 1000).toISOString();
}
