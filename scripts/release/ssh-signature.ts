// Signatures in the format of OpenSSH (PROTOCOL.sshsig), which ssh-keygen makes and checks. svc
// signs the same bytes with a key on a token, and `openssl` checks them.

import { createHash } from "node:crypto";

/** The purpose of the signature. A signature for another purpose is not valid. */
export const NAMESPACE = "svc-release";
const MAGIC = Buffer.from("SSHSIG");
const VERSION = 1;
const KEY_TYPE = "ssh-ed25519";
const HASH = "sha512";
const LINE = 70;

/** Returns the bytes that are signed. */
export function signedBytes(message: Uint8Array): Buffer {
  const digest = createHash(HASH).update(message).digest();
  return Buffer.concat([MAGIC, text(NAMESPACE), text(""), text(HASH), block(digest)]);
}

/** Returns the file with the signature. The key has 32 bytes, the signature has 64. */
export function armored(publicKey: Uint8Array, signature: Uint8Array): string {
  const version = Buffer.alloc(4);
  version.writeUInt32BE(VERSION);
  const key = Buffer.concat([text(KEY_TYPE), block(publicKey)]);
  const made = Buffer.concat([text(KEY_TYPE), block(signature)]);
  const blob = Buffer.concat([
    ...[MAGIC, version, block(key)],
    ...[text(NAMESPACE), text(""), text(HASH), block(made)],
  ]);
  const lines = blob.toString("base64").match(new RegExp(`.{1,${LINE}}`, "g")) ?? [];
  return ["-----BEGIN SSH SIGNATURE-----", ...lines, "-----END SSH SIGNATURE-----", ""].join("\n");
}

/** Returns the key as the second column of a file with public keys has it. */
export function keyText(publicKey: Uint8Array): string {
  return Buffer.concat([text(KEY_TYPE), block(publicKey)]).toString("base64");
}

function text(value: string): Buffer {
  return block(Buffer.from(value));
}

function block(bytes: Uint8Array): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}
