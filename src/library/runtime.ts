// Synchronous hashes and signatures, which browsers, Node and Deno lack. Bun has them.

import { getPublicKey, hashes, verify } from "@noble/ed25519";
import { sha512 } from "@noble/hashes/sha2.js";
import { prepareHashes, useSignatures } from "./hashes.ts";

/**
 * Passes the functions to the core. Every function of the library that runs a transaction calls
 * this first.
 */
export function prepareRuntime(): void {
  prepareHashes();
  hashes.sha512 = sha512;
  useSignatures({
    verifyEd25519: (publicKey, message, signature) => verify(signature, message, publicKey),
    ed25519PublicKey: (seed) => getPublicKey(seed),
  });
}
