// Synchronous hashes, which browsers, Node and Deno lack. Bun has them. runtime.ts adds signatures,
// because few inputs of `explain` need them.

import { sha256 } from "@noble/hashes/sha2.js";
import { type Crypto, useCrypto } from "../base/crypto.ts";

export type Signatures = Pick<Crypto, "verifyEd25519" | "ed25519PublicKey">;

let isPrepared = false;
let signatures: Signatures | null = null;

/** Passes the hashes to the core. */
export function prepareHashes(): void {
  if (isPrepared) return;
  isPrepared = true;
  if ("Bun" in globalThis) return;
  useCrypto({
    sha256: (bytes) => new Uint8Array(sha256(bytes)),
    openSha256() {
      const hasher = sha256.create();
      return { update: (bytes) => void hasher.update(bytes), soFar: () => hasher.clone().digest() };
    },
    verifyEd25519: (publicKey, message, signature) =>
      prepared().verifyEd25519(publicKey, message, signature),
    ed25519PublicKey: (seed) => prepared().ed25519PublicKey(seed),
    signEd25519: null,
  });
}

/** Passes the signatures to the core. */
export function useSignatures(ed25519: Signatures): void {
  signatures = ed25519;
}

function prepared(): Signatures {
  if (signatures === null) throw new Error("no signatures: call prepareRuntime first");
  return signatures;
}
