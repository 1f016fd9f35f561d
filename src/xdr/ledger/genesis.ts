// The only entry of a Stellar network's genesis ledger: one account with all lumens, whose ed25519
// seed is the network id. stellar-core, LedgerManagerImpl.cpp, genesisLedger.

import { crypto } from "../../base/crypto.ts";
import { networkId } from "../reader/hash.ts";
import { setUint32, setUint64 } from "../reader/words.ts";

export const GENESIS_LEDGER = 1;
export const TOTAL_STROOPS = 1_000_000_000_000_000_000n;
const ENTRY_SIZE = 92;
const MASTER_WEIGHT_ONLY = 0x01000000;

const made = new Map<string, Uint8Array>();

/** LedgerEntry of the account. */
export function genesisAccount(networkPassphrase: string): Uint8Array {
  const known = made.get(networkPassphrase);
  if (known !== undefined) return known;
  const account = makeAccount(networkPassphrase);
  made.set(networkPassphrase, account);
  return account;
}

function makeAccount(networkPassphrase: string): Uint8Array {
  const seed = networkId(networkPassphrase);
  const entry = new Uint8Array(ENTRY_SIZE);
  setUint32(entry, 0, GENESIS_LEDGER);
  // Type account, then PublicKey: type, key.
  entry.set(crypto().ed25519PublicKey(seed), 12);
  setUint64(entry, 44, TOTAL_STROOPS);
  // Sequence (8), sub-entries, inflation destination, flags, home domain: all zero.
  setUint32(entry, 76, MASTER_WEIGHT_ONLY);
  // No signers, both extensions zero.
  return entry;
}
