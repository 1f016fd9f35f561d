// A key in memory instead of a token, for code that does not depend on the place of a key.

import { createHash, createPrivateKey, createPublicKey, sign } from "node:crypto";
import { encodeStrkey } from "../../src/base/text/strkey.ts";
import type { Signer } from "../../src/model/signing-view.ts";

/** PKCS#8 of an Ed25519 key, up to its seed (RFC 8410). */
const PREFIX = Buffer.from("302e020100300506032b657004220420", "hex");

export function softwareSigner(name: string): Signer {
  const seed = createHash("sha256").update(`a key for tests: ${name}`).digest();
  const key = createPrivateKey({
    key: Buffer.concat([PREFIX, seed]),
    format: "der",
    type: "pkcs8",
  });
  const { x = "" } = createPublicKey(key).export({ format: "jwk" });
  const publicKey = new Uint8Array(Buffer.from(x, "base64url"));
  return {
    publicKey,
    address: encodeStrkey("account", publicKey),
    sign: (message) => new Uint8Array(sign(null, message, key)),
  };
}
