// The public Stellar networks: their passphrases and default nodes. A passphrase identifies the
// network: every transaction hash depends on its SHA-256.

export const NETWORK_NAMES = ["testnet", "mainnet", "futurenet"] as const;
export type NetworkName = (typeof NETWORK_NAMES)[number];

/** A public ledger lake (SEP-54). */
export interface PublicLake {
  readonly url: string;
  /** Its ledgers lie in a folder for each reset of the network, named by date. */
  readonly folders: boolean;
}

export interface Network {
  readonly passphrase: string;
  readonly horizonUrl: string;
  readonly rpcUrl: string;
  /** Null: nobody publishes its ledgers. */
  readonly ledgerLake: PublicLake | null;
}

/** AWS open data. */
const LAKES = "https://aws-public-blockchain.s3.us-east-2.amazonaws.com/v1.1/stellar/ledgers";

export const NETWORKS: Readonly<Record<NetworkName, Network>> = {
  testnet: {
    passphrase: "Test SDF Network ; September 2015",
    horizonUrl: "https://horizon-testnet.stellar.org",
    rpcUrl: "https://soroban-testnet.stellar.org",
    ledgerLake: { url: `${LAKES}/testnet`, folders: true },
  },
  mainnet: {
    passphrase: "Public Global Stellar Network ; September 2015",
    horizonUrl: "https://horizon.stellar.org",
    rpcUrl: "https://mainnet.sorobanrpc.com",
    ledgerLake: { url: `${LAKES}/pubnet`, folders: false },
  },
  futurenet: {
    passphrase: "Test SDF Future Network ; October 2022",
    horizonUrl: "https://horizon-futurenet.stellar.org",
    rpcUrl: "https://rpc-futurenet.stellar.org",
    ledgerLake: null,
  },
};

/** The container image stellar/quickstart with --local; it publishes no ledgers by default. */
export const LOCAL_NETWORK: Network = {
  passphrase: "Standalone Network ; February 2017",
  horizonUrl: "http://localhost:8000",
  rpcUrl: "http://localhost:8000/rpc",
  ledgerLake: null,
};

/** Other names that explorers and stellar-cli have for a network. */
export const OTHER_NETWORK_NAMES: Readonly<Record<string, NetworkName | "local">> = {
  pubnet: "mainnet",
  public: "mainnet",
  standalone: "local",
};

/** What people call the network with this passphrase. */
export function networkInWords(passphrase: string): string {
  if (passphrase === LOCAL_NETWORK.passphrase) return "local";
  return networkOfPassphrase(passphrase) ?? passphrase;
}

/** The public network with this passphrase, or null. */
export function networkOfPassphrase(passphrase: string): NetworkName | null {
  return NETWORK_NAMES.find((name) => NETWORKS[name].passphrase === passphrase) ?? null;
}
