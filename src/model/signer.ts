// A signer without its implementation. The rest of svc knows nothing else about a token.

export interface Signer {
  /** 32 bytes, ed25519. */
  readonly publicKey: Uint8Array;
  /** Strkey, G…. */
  readonly address: string;
  /** Returns 64 bytes. The caller must show what is signed before it calls this. */
  sign(message: Uint8Array): Uint8Array;
}
