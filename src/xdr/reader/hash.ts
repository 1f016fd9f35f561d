// SHA-256 is the only hash that identifies XDR of the ledger.

import { concatBytes, utf8Bytes } from "../../base/bytes.ts";
import { crypto } from "../../base/crypto.ts";

export const HASH_SIZE = 32;

/** Returns the hash of all parts, one after another. */
export function sha256(...parts: readonly Uint8Array[]): Uint8Array {
  const only = parts[0];
  const input = parts.length === 1 && only !== undefined ? only : concatBytes(parts);
  return crypto().sha256(input);
}

let latestNetwork: { readonly passphrase: string; readonly id: Uint8Array } | null = null;

/** Returns the network id, which is a part of signatures and transaction hashes. */
export function networkId(passphrase: string): Uint8Array {
  if (latestNetwork?.passphrase === passphrase) return latestNetwork.id;
  const id = sha256(utf8Bytes(passphrase));
  latestNetwork = { passphrase, id };
  return id;
}
