// What a browser, Node or Deno has not of its own: synchronous hashes and signatures. Bun has them.

import { getPublicKey, hashes, verify } from "@noble/ed25519";
import { sha256, sha512 } from "@noble/hashes/sha2.js";
import { useCrypto } from "../base/crypto.ts";

let isPrepared = false;

/** Passes the functions to the core. Everything of the library calls this first. */
export function prepareRuntime(): void {
  if (isPrepared) return;
  isPrepared = true;
  if ("Bun" in globalThis) return;
  hashes.sha512 = sha512;
  useCrypto({
    sha256: (bytes) => new Uint8Array(sha256(bytes)),
    openSha256() {
      const hasher = sha256.create();
      return { update: (bytes) => void hasher.update(bytes), soFar: () => hasher.clone().digest() };
    },
    verifyEd25519: (publicKey, message, signature) => verify(signature, message, publicKey),
    ed25519PublicKey: (seed) => getPublicKey(seed),
  });
}
