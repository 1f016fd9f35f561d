// The signature of arbitrary bytes, as `svc sign --payload` prints it and `svc sign verify` reads it.

import * as v from "valibot";

export const payloadSignatureSchema = v.strictObject({
  kind: v.literal("svc-payload-signature"),
  format: v.literal(1),
  payloadBytes: v.pipe(v.number(), v.integer(), v.minValue(0)),
  /** Hex. It names the payload; what is signed are the payload's bytes themselves. */
  payloadSha256: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/)),
  /** Hex, 32 bytes. */
  publicKey: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/)),
  /** The same as a strkey. */
  signer: v.pipe(v.string(), v.regex(/^G[A-Z2-7]{55}$/)),
  /** Ed25519, base64. */
  signature: v.pipe(v.string(), v.base64(), v.length(88)),
});

export type PayloadSignature = v.InferOutput<typeof payloadSignatureSchema>;
