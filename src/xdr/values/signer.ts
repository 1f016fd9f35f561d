// A key that can sign for an account, or that a transaction's preconditions name, from its
// SignerKey.

import type { Value } from "../reader/value.ts";

export interface AccountSigner {
  /**
   * With `hash`, a preimage of the key signs. With `transaction`, the key is the hash of one
   * transaction, which needs no signature.
   */
  readonly kind: "ed25519" | "hash" | "transaction";
  /** 32 bytes. */
  readonly key: Uint8Array;
  /**
   * The payload that the key signs instead of the transaction's hash (CAP-40); null for any other
   * signer.
   */
  readonly signs: Uint8Array | null;
  /** The hint (hex) of the key's signatures; null if it makes none. */
  readonly hint: string | null;
  readonly weight: number;
}

const HINT_BYTES = 4;

export function signerWith(
  kind: AccountSigner["kind"],
  key: Uint8Array,
  weight: number,
): AccountSigner {
  return { kind, key, signs: null, hint: key.subarray(-HINT_BYTES).toHex(), weight };
}

/** The cases are those of SignerKeyType. */
export function readSigner(signer: Value<"SignerKey">, weight: number): AccountSigner {
  switch (signer.type) {
    case 0:
      return signerWith("ed25519", signer.ed25519, weight);
    case 2:
      return signerWith("hash", signer.hashX, weight);
    case 1:
      return { ...signerWith("transaction", signer.preAuthTx, weight), hint: null };
    case 3: {
      const { ed25519, payload } = signer.ed25519SignedPayload;
      const hint = payloadHint(ed25519, payload).toHex();
      return { ...signerWith("ed25519", ed25519, weight), hint, signs: payload };
    }
  }
}

/** The last bytes of the key, each combined with one of the payload by exclusive or (CAP-40). */
function payloadHint(key: Uint8Array, payload: Uint8Array): Uint8Array {
  const last = payload.subarray(-HINT_BYTES);
  return key.subarray(-HINT_BYTES).map((byte, i) => byte ^ (last[i] ?? 0));
}
