// Ed25519 (RFC 8032) signatures, verified in software: what a token returns is never taken on
// trust.

import { createPublicKey, verify } from "node:crypto";

/** `publicKey`: 32 bytes. False too when it is no point of the curve. */
export function isSignatureOf(
  publicKey: Uint8Array,
  message: Uint8Array,
  signature: Uint8Array,
): boolean {
  if (publicKey.length !== 32 || signature.length !== 64) return false;
  const x = Buffer.from(publicKey).toString("base64url");
  try {
    const key = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" });
    return verify(null, message, key, signature);
  } catch {
    return false;
  }
}
