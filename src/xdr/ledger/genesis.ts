// The only entry of a Stellar network's genesis ledger: one account with all lumens, whose ed25519
// seed is the network id (stellar-core, LedgerManagerImpl.cpp, genesisLedger).

import { crypto } from "../../base/crypto.ts";
import { ofTexts } from "../../base/recently-used.ts";
import { networkId } from "../reader/hash.ts";
import { setUint32, setUint64 } from "../reader/words.ts";

export const GENESIS_LEDGER = 1;
export const TOTAL_STROOPS = 1_000_000_000_000_000_000n;
const ENTRY_SIZE = 92;
const MASTER_WEIGHT_ONLY = 0x01000000;

/**
 * Most processes use one network. The size is limited because a passphrase may come from a file.
 */
const made = ofTexts<Uint8Array>(2 ** 10);

/** Returns the LedgerEntry of the account. */
export function genesisAccount(networkPassphrase: string): Uint8Array {
  return made.of(networkPassphrase, makeAccount);
}

function makeAccount(networkPassphrase: string): Uint8Array {
  const seed = networkId(networkPassphrase);
  const entry = new Uint8Array(ENTRY_SIZE);
  setUint32(entry, 0, GENESIS_LEDGER);
  // The type of the entry is account, which is 0. The PublicKey follows: its type, then the key.
  entry.set(crypto().ed25519PublicKey(seed), 12);
  setUint64(entry, 44, TOTAL_STROOPS);
  // The sequence (8 bytes), sub-entries, inflation destination, flags and home domain are zero.
  setUint32(entry, 76, MASTER_WEIGHT_ONLY);
  // There are no signers, and both extensions are zero.
  return entry;
}
