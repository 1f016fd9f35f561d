// What a browser, Node or Deno has not of its own: synchronous hashes and signatures, and zstd. Bun
// has all of it.

import { getPublicKey, hashes, verify } from "@noble/ed25519";
import { sha256, sha512 } from "@noble/hashes/sha2.js";
import { Decompress, decompress } from "fzstd";
import { useCrypto } from "../base/crypto.ts";
import { useZstd } from "../base/decompress.ts";

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
  useZstd(decompressZstd);
}

/** Errors if the bytes are no zstd frames. */
function decompressZstd(
  compressed: ReadableStream<Uint8Array<ArrayBuffer>>,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  let decoder: Decompress;
  return compressed.pipeThrough(
    new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      start(output) {
        decoder = new Decompress((part) => output.enqueue(new Uint8Array(part)));
      },
      transform: (chunk) => decoder.push(chunk),
      flush: () => decoder.push(new Uint8Array(), true),
    }),
  );
}

/** Decompresses a zstd frame at once. Throws an Error if the bytes are none. */
export function unpackZstd(packed: Uint8Array): Uint8Array<ArrayBuffer> {
  return new Uint8Array(decompress(packed));
}
