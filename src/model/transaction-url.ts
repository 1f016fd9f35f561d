// Reads the transaction that a pasted address names, from an explorer, Stellar Lab or a Horizon,
// without a request. The hash follows the word for a transaction. The network is named in the host,
// the path or the parameters.

import type { KnownNetworkName, NetworkName } from "./networks.ts";

export interface TransactionOfUrl {
  readonly hash: string;
  /** Null if the address does not name a network. */
  readonly network: KnownNetworkName | null;
}

/** Matches `tx/…`, `txns/…`, `transactions/…`, and Lab's `txDashboard$transactionHash=…`. */
const HASH =
  /(?:\btx(?:ns?|s)?|\btransactions?|transactionHash|\bhash)[/=]([0-9a-f]{64})(?![0-9a-z])/i;

/** The words for a network that explorers use. */
const NETWORK_WORDS: Readonly<Record<string, NetworkName>> = {
  testnet: "testnet",
  futurenet: "futurenet",
  mainnet: "mainnet",
  pubnet: "mainnet",
  public: "mainnet",
};

/** Sites whose addresses mean mainnet if they name no network. */
const MAINNET_HOSTS = hosts(
  "stellarchain.io",
  "steexp.com",
  "horizon.stellar.org",
  "lumenscan.io",
  "blockchair.com",
);
/** Matches URLs of this machine. */
export const LOCAL_HOSTS = hosts("localhost", "127.0.0.1", "[::1]");

/** A transaction by its place, as some explorers number them (SEP-35). */
export interface NumberedTransaction {
  readonly id: string;
  readonly ledger: number;
  /** From 1. */
  readonly order: number;
  readonly network: TransactionOfUrl["network"];
}

const NUMBER = /(?:\btx(?:ns?|s)?|\btransactions?|\bops?|\boperations?)\/(\d{12,19})(?![0-9a-z])/i;

/** Returns null if the address has no such number. */
export function numberedTransaction(url: string): NumberedTransaction | null {
  const id = NUMBER.exec(url)?.[1];
  if (id === undefined) return null;
  const number = BigInt(id);
  const [network = null, ...others] = networksNamed(url);
  return {
    id,
    ledger: Number(number >> 32n),
    order: Number((number >> 12n) & 0xfffffn),
    network: others.length > 0 ? null : network,
  };
}

/** Returns null if the address does not name a transaction. */
export function transactionOfUrl(url: string): TransactionOfUrl | null {
  const hash = HASH.exec(url)?.[1]?.toLowerCase();
  if (hash === undefined) return null;
  const [network = null, ...others] = networksNamed(url);
  // An address that names several networks names none.
  if (others.length > 0) return { hash, network: null };
  if (network !== null) return { hash, network };
  if (LOCAL_HOSTS.test(url)) return { hash, network: "local" };
  return { hash, network: MAINNET_HOSTS.test(url) ? "mainnet" : null };
}

/** The networks that words of an address name, each once. */
function networksNamed(url: string): NetworkName[] {
  const words = url.toLowerCase().split(/[^a-z]+/);
  return [...new Set(words.flatMap((word) => NETWORK_WORDS[word] ?? []))];
}

function hosts(...names: readonly string[]): RegExp {
  return new RegExp(
    `^(?:\\w+://)?(?:www\\.)?(?:${names.map(RegExp.escape).join("|")})(?![\\w.-])`,
    "i",
  );
}
