// Adds a decorated signature to an envelope. The bytes of the transaction itself do not change.

import { compareBytes } from "../../base/bytes.ts";
import { isSignatureOf } from "../../base/ed25519.ts";
import { SvcError } from "../../base/errors/errors.ts";
import type { Envelope } from "./envelope.ts";
import { withSignatures } from "./patch-envelope.ts";

export interface SignedEnvelope {
  readonly envelopeXdr: string;
  /** False if the same key had already signed, and nothing was added. */
  readonly added: boolean;
}

const HINT_LENGTH = 4;
const MAXIMUM_SIGNATURES = 20;

/**
 * Signs the envelope's hash and adds the signature after the existing ones. A key that has already
 * signed does not sign again, because the network refuses extra signatures. Throws FILE_INVALID if
 * there is no room.
 */
export function addSignature(
  envelope: Envelope,
  signer: { readonly publicKey: Uint8Array; sign(message: Uint8Array): Uint8Array },
): SignedEnvelope {
  const hash = Uint8Array.fromHex(envelope.hash);
  const { signatures } = envelope.terms;
  const hint = hintOf(signer.publicKey);
  const already = signatures.some(
    (each) =>
      compareBytes(each.hint, hint) === 0 && isSignatureOf(signer.publicKey, hash, each.signature),
  );
  if (already) return { envelopeXdr: envelope.xdr, added: false };
  if (signatures.length >= MAXIMUM_SIGNATURES)
    throw new SvcError("FILE_INVALID", {
      message: `The envelope has ${signatures.length} signatures, which is the maximum.`,
      remedy: "Remove signatures that the transaction does not need.",
    });
  const made = { hint, signature: signer.sign(hash) };
  return { envelopeXdr: withSignatures(envelope, [...signatures, made]).xdr, added: true };
}

export function hintOf(publicKey: Uint8Array): Uint8Array {
  return publicKey.subarray(-HINT_LENGTH);
}
