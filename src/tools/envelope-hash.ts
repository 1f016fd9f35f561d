// An envelope in the place of a hash: the hash follows from the network that its signatures prove.

import { KNOWN_NETWORKS, networkInWords } from "../model/networks.ts";
import type { TransactionOfUrl } from "../model/transaction-url.ts";
import { readOfflineFacts } from "../xdr/envelope/offline-facts.ts";

const PASSPHRASES = KNOWN_NETWORKS.map(({ passphrase }) => passphrase);
const MOST_CHARACTERS = 1024 * 1024;

export interface HashedEnvelope {
  /** Null if no signature in it is for a network with a name, or its signatures are for several. */
  readonly transaction: TransactionOfUrl | null;
  /** The hash that it has on each network, by the network's name. */
  readonly hashes: readonly (readonly [network: string, hash: string])[];
}

/** Returns null if the text is no envelope in base64. */
export function hashedEnvelope(text: string): HashedEnvelope | null {
  if (text.length > MOST_CHARACTERS || !/^[A-Za-z0-9+/]{100,}={0,2}$/.test(text)) return null;
  try {
    const { hashes, signedFor } = readOfflineFacts(text, PASSPHRASES);
    const [passphrase, ...others] = signedFor;
    const found = hashes.find(({ networkPassphrase }) => networkPassphrase === passphrase);
    const network = KNOWN_NAMES[networkInWords(passphrase ?? "")] ?? null;
    return {
      transaction: found === undefined || others.length > 0 ? null : { hash: found.hash, network },
      hashes: hashes.map(({ networkPassphrase, hash }) => [
        networkInWords(networkPassphrase),
        hash,
      ]),
    };
  } catch {
    return null;
  }
}

const KNOWN_NAMES: Readonly<Record<string, NonNullable<TransactionOfUrl["network"]>>> = {
  testnet: "testnet",
  mainnet: "mainnet",
  futurenet: "futurenet",
  local: "local",
};
