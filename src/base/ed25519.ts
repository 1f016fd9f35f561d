// Verifies Ed25519 (RFC 8032) signatures in software: svc does not trust the signature that a token
// returns.

import { crypto } from "./crypto.ts";

/**
 * Returns false for every invalid signature and for a `publicKey` (32 bytes) that is not a point on
 * the curve.
 */
export function isSignatureOf(
  publicKey: Uint8Array,
  message: Uint8Array,
  signature: Uint8Array,
): boolean {
  if (publicKey.length !== 32 || signature.length !== 64) return false;
  try {
    return crypto().verifyEd25519(publicKey, message, signature);
  } catch {
    return false;
  }
}
