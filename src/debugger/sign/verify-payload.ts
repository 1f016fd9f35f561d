// Does a signature of bytes hold? Every field of it has to agree with the others.

import { isSignatureOf } from "../../base/ed25519.ts";
import type { PayloadSignature } from "../../model/payload-signature.ts";
import { sha256 } from "../../xdr/reader/hash.ts";
import { decodeAccountKey } from "../../xdr/reader/strkey.ts";

export function verifyPayload(made: PayloadSignature, payload: Uint8Array): boolean {
  const key = decodeAccountKey(made.signer);
  return (
    key !== null &&
    Buffer.from(key).toString("hex") === made.publicKey &&
    made.payloadBytes === payload.length &&
    Buffer.from(sha256(payload)).toString("hex") === made.payloadSha256 &&
    isSignatureOf(key, payload, Buffer.from(made.signature, "base64"))
  );
}
