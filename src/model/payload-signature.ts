// The signature of arbitrary bytes. `svc sign --payload` prints it, `svc sign verify` reads it.

import * as v from "valibot";
import { SvcError } from "../base/errors/errors.ts";
import { phrase, svc } from "../base/phrase.ts";
import { isAccountAddress } from "../base/text/strkey.ts";

export const PAYLOAD_SIGNATURE_KIND = "svc-payload-signature";

const schema = v.strictObject({
  kind: v.literal(PAYLOAD_SIGNATURE_KIND),
  format: v.literal(1),
  payloadBytes: v.pipe(v.number(), v.integer(), v.minValue(0)),
  /**
   * The SHA-256 (hex) that identifies the payload. The signature is over the payload's bytes
   * themselves.
   */
  payloadSha256: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/)),
  /** 32 bytes, hex. */
  publicKey: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/)),
  /** The public key as a strkey. */
  signer: v.pipe(v.string(), v.check(isAccountAddress)),
  /** An Ed25519 signature, base64. */
  signature: v.pipe(v.string(), v.base64(), v.length(88)),
});

export type PayloadSignature = v.InferOutput<typeof schema>;

/** `name` is the name of the file, for errors. Throws FILE_INVALID. */
export function readPayloadSignature(document: unknown, name: string): PayloadSignature {
  const parsed = v.safeParse(schema, document);
  if (parsed.success) return parsed.output;
  const [issue] = parsed.issues;
  throw new SvcError("FILE_INVALID", {
    message: `${name} is not a signature from svc: ${v.getDotPath(issue) ?? ""} ${issue.message}.`,
    remedy: phrase`Pass the complete output of ${svc("sign --payload")}.`,
  });
}
