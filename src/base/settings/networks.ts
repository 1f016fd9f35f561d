// The public Stellar networks: their passphrases and default nodes. A passphrase identifies the
// network: every transaction hash depends on its SHA-256.

export const NETWORK_NAMES = ["testnet", "mainnet", "futurenet"] as const;
export type NetworkName = (typeof NETWORK_NAMES)[number];

export interface Network {
  readonly passphrase: string;
  readonly horizonUrl: string;
  readonly rpcUrl: string;
}

export const NETWORKS: Readonly<Record<NetworkName, Network>> = {
  testnet: {
    passphrase: "Test SDF Network ; September 2015",
    horizonUrl: "https://horizon-testnet.stellar.org",
    rpcUrl: "https://soroban-testnet.stellar.org",
  },
  mainnet: {
    passphrase: "Public Global Stellar Network ; September 2015",
    horizonUrl: "https://horizon.stellar.org",
    rpcUrl: "https://mainnet.sorobanrpc.com",
  },
  futurenet: {
    passphrase: "Test SDF Future Network ; October 2022",
    horizonUrl: "https://horizon-futurenet.stellar.org",
    rpcUrl: "https://rpc-futurenet.stellar.org",
  },
};

/** The public network with this passphrase, or null. */
export function networkOfPassphrase(passphrase: string): NetworkName | null {
  return NETWORK_NAMES.find((name) => NETWORKS[name].passphrase === passphrase) ?? null;
}
