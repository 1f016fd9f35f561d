// Who signs, without how: all that the rest of svc knows of a token.

export interface Signer {
  /** 32 bytes, ed25519. */
  readonly publicKey: Uint8Array;
  /** Strkey, G…. */
  readonly address: string;
  /** 64 bytes. Never before the caller has shown what is signed. */
  sign(message: Uint8Array): Uint8Array;
}
