// SHA-256 and Ed25519 of the runtime: from Bun and from node:crypto. A program for another runtime,
// such as a browser, passes its own with `useCrypto` before it calls anything else.

export interface Crypto {
  readonly sha256: (bytes: Uint8Array) => Uint8Array<ArrayBuffer>;
  /** Opens a SHA-256 of bytes that arrive in pieces. */
  readonly openSha256: () => Sha256;
  /**
   * Verifies a signature (RFC 8032). `publicKey` has 32 bytes and `signature` 64; with other bytes
   * it throws or returns false.
   */
  readonly verifyEd25519: (
    publicKey: Uint8Array,
    message: Uint8Array,
    signature: Uint8Array,
  ) => boolean;
  /** Returns the public key (32 bytes) of a seed (32 bytes). */
  readonly ed25519PublicKey: (seed: Uint8Array) => Uint8Array;
  /** Returns the signature (64 bytes) with a seed (32 bytes). Null: the runtime signs nothing. */
  readonly signEd25519: ((seed: Uint8Array, message: Uint8Array) => Uint8Array) | null;
}

export interface Sha256 {
  update(bytes: Uint8Array): void;
  /** Returns the hash of all bytes so far. More bytes can follow. */
  soFar(): Uint8Array;
}

let chosen: Crypto | null = null;

export function useCrypto(crypto: Crypto): void {
  chosen = crypto;
}

/** Throws an Error if the runtime has no cryptography and none was passed. */
export function crypto(): Crypto {
  chosen ??= nativeCrypto();
  return chosen;
}

/** The functions of Bun and Node that this file calls. Other runtimes have no types for them. */
interface HashRuntime {
  readonly Bun?: {
    readonly SHA256: { hash(bytes: Uint8Array, into: Uint8Array): void };
    readonly CryptoHasher: new (algorithm: "sha256") => NativeHasher;
  };
  readonly process?: { getBuiltinModule(name: "node:crypto"): NodeCrypto };
}

interface NativeHasher {
  update(bytes: Uint8Array): void;
  copy(): NativeHasher;
  digest(): Uint8Array;
}

interface KeyOptions {
  readonly key: object | Uint8Array;
  readonly format: "jwk" | "der";
  readonly type?: "pkcs8";
}

interface NodeCrypto {
  createPublicKey(key: KeyOptions | object): {
    export(options: { readonly format: "der"; readonly type: "spki" }): Uint8Array;
  };
  createPrivateKey(key: KeyOptions): object;
  sign(algorithm: null, message: Uint8Array, key: object): Uint8Array;
  verify(algorithm: null, message: Uint8Array, key: object, signature: Uint8Array): boolean;
}

const SHA256_SIZE = 32;
const KEY_SIZE = 32;
/** PKCS#8 wrapping of a bare ed25519 seed (RFC 8410). */
const PKCS8_PREFIX = Uint8Array.fromHex("302e020100300506032b657004220420");

function nativeCrypto(): Crypto {
  const { Bun, process } = globalThis as HashRuntime;
  if (Bun === undefined || process === undefined)
    throw new Error("this runtime has no SHA-256 for svc: call useCrypto first");
  // The module is loaded at the first signature, because most runs check none.
  const node = () => process.getBuiltinModule("node:crypto");
  return {
    sha256(bytes) {
      const digest = new Uint8Array(SHA256_SIZE);
      Bun.SHA256.hash(bytes, digest);
      return digest;
    },
    openSha256() {
      const hasher = new Bun.CryptoHasher("sha256");
      return { update: (bytes) => hasher.update(bytes), soFar: () => hasher.copy().digest() };
    },
    verifyEd25519(publicKey, message, signature) {
      const x = publicKey.toBase64({ alphabet: "base64url", omitPadding: true });
      const { createPublicKey, verify } = node();
      const key = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" });
      return verify(null, message, key, signature);
    },
    ed25519PublicKey(seed) {
      const key = keyOfSeed(node(), seed);
      const { createPublicKey } = node();
      return createPublicKey(key).export({ format: "der", type: "spki" }).subarray(-KEY_SIZE);
    },
    signEd25519(seed, message) {
      return new Uint8Array(node().sign(null, message, keyOfSeed(node(), seed)));
    },
  };
}

function keyOfSeed({ createPrivateKey }: NodeCrypto, seed: Uint8Array): object {
  const der = new Uint8Array(PKCS8_PREFIX.length + seed.length);
  der.set(PKCS8_PREFIX);
  der.set(seed, PKCS8_PREFIX.length);
  return createPrivateKey({ key: der, format: "der", type: "pkcs8" });
}
