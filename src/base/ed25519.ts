// Verifies Ed25519 (RFC 8032) signatures in software: svc does not trust the signature that a token
// returns.

/** `publicKey`: 32 bytes. Also false when it is not a point on the curve. */
export function isSignatureOf(
  publicKey: Uint8Array,
  message: Uint8Array,
  signature: Uint8Array,
): boolean {
  if (publicKey.length !== 32 || signature.length !== 64) return false;
  // Loaded with the first signature, because most runs check none.
  const { createPublicKey, verify } = process.getBuiltinModule("node:crypto");
  const x = Buffer.from(publicKey).toString("base64url");
  try {
    const key = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" });
    return verify(null, message, key, signature);
  } catch {
    return false;
  }
}
