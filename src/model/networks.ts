// The public Stellar networks: their passphrases and default nodes. A passphrase identifies the
// network, because every transaction hash depends on its SHA-256.

import type { ChainRecord } from "./chain-record.ts";

export const NETWORK_NAMES = ["testnet", "mainnet", "futurenet"] as const;
export type NetworkName = (typeof NETWORK_NAMES)[number];

/** A public ledger lake (SEP-54). */
export interface PublicLake {
  readonly url: string;
  /** True if its ledgers are in a folder for each reset of the network, named by date. */
  readonly folders: boolean;
}

export interface Network {
  readonly passphrase: string;
  readonly horizonUrl: string;
  readonly rpcUrl: string;
  /** Null if there is no public lake with its ledgers. */
  readonly ledgerLake: PublicLake | null;
  /** The addresses of the history archives that its validators publish. */
  readonly historyArchives: readonly string[];
  /** The G… addresses of the validators that most nodes listen to, by organisation. */
  readonly validators: readonly (readonly string[])[];
}

/**
 * The same on all public networks. Stellar RPC hard-codes this reserve for its hosts
 * (preflight.go).
 */
export const BASE_FEE_STROOPS = 100;
export const BASE_RESERVE_STROOPS = 5_000_000;

/** The lakes are AWS open data. */
const LAKES = "https://aws-public-blockchain.s3.us-east-2.amazonaws.com/v1.1/stellar/ledgers";

/** The archives of the Stellar Development Foundation. */
const ARCHIVES = "https://history.stellar.org/prd";
const TESTNET_VALIDATORS = [
  [
    "GDKXE2OZMJIPOSLNA6N6F2BVCI3O777I2OOC4BV7VOYUEHYX7RTRYA7Y",
    "GCUCJTIYXSOXKBSNFGNFWW5MUQ54HKRPGJUTQFJ5RQXZXNOLNXYDHRAP",
    "GC2V2EFSXN6SQTWVYA5EPJPBWWIMSD2XQNKUOHGEKB535AQE2I6IXV2Z",
  ],
];
/** SDF, SatoshiPay, Franklin Templeton, Whalestack, Blockdaemon, LOBSTR and Public Node. */
const MAINNET_VALIDATORS = [
  [
    "GCGB2S2KGYARPVIA37HYZXVRM2YZUEXA6S33ZU5BUDC6THSB62LZSTYH",
    "GCM6QMP3DLRPTAZW2UZPCPX2LF3SXWXKPMP3GKFZBDSF3QZGV2G5QSTK",
    "GABMKJM6I25XI4K7U6XWMULOUQIQ27BCTMLS6BYYSOWKTBUXVRJSXHYQ",
  ],
  [
    "GC5SXLNAM3C4NMGK2PXK4R34B5GNZ47FYQ24ZIBFDFOCU6D4KBN4POAE",
    "GBJQUIXUO4XSNPAUT6ODLZUJRV2NPXYASKUBY4G5MYP3M47PCVI55MNT",
    "GAK6Z5UVGUVSEK6PEOCAYJISTT5EJBB34PN3NOLEQG2SUKXRVV2F6HZY",
  ],
  [
    "GARYGQ5F2IJEBCZJCBNPWNWVDOFK7IBOHLJKKSG2TMHDQKEEC6P4PE4V",
    "GCMSM2VFZGRPTZKPH5OABHGH4F3AVS6XTNJXDGCZ3MKCOSUBH3FL6DOB",
    "GA7DV63PBUUWNUFAF4GAZVXU2OZMYRATDLKTC7VTCG7AU4XUPN5VRX4A",
  ],
  [
    "GD6SZQV3WEJUH352NTVLKEV2JM2RH266VPEM7EH5QLLI7ZZAALMLNUVN",
    "GADLA6BJK6VK33EM2IDQM37L5KGVCY5MSHSHVJA4SCNGNUIEOTCR6J5T",
    "GAZ437J46SCFPZEDLVGDMKZPLFO77XJ4QVAURSJVRZK2T5S7XUFHXI2Z",
  ],
  [
    "GAAV2GCVFLNN522ORUYFV33E76VPC22E72S75AQ6MBR5V45Z5DWVPWEU",
    "GAVXB7SBJRYHSG6KSQHY74N7JAFRL4PFVZCNWW2ARI6ZEKNBJSMSKW7C",
    "GAYXZ4PZ7P6QOX7EBHPIZXNWY4KCOBYWJCA4WKWRKC7XIUS3UJPT6EZ4",
  ],
  [
    "GCFONE23AB7Y6C5YZOMKUKGETPIAJA4QOYLS5VNS4JHBGKRZCPYHDLW7",
    "GCB2VSADESRV2DDTIVTFLBDI562K6KE3KMKILBHUHUWFXCUBHGQDI7VL",
    "GD5QWEVV4GZZTQP46BRXV5CUMMMLP4JTGFD7FWYJJWRL54CELY6JGQ63",
    "GA7TEPCBDQKI7JQLQ34ZURRMK44DVYCIGVXQQWNSWAEQR6KB4FMCBT7J",
    "GA5STBMV6QDXFDGD62MEHLLHZTPDI77U3PFOD2SELU5RJDHQWBR5NNK7",
  ],
  [
    "GBLJNN3AVZZPG2FYAYTYQKECNWTQYYUUY2KVFN2OUKZKBULXIXBZ4FCT",
    "GCVJ4Z6TI6Z2SOGENSPXDQ2U4RKH3CNQKYUHNSSPYFPNWTLGS6EBH7I2",
    "GCIXVKNFPKWVMKJKVK2V4NK7D4TC6W3BUMXSIJ365QUAXWBRPPJXIR2Z",
  ],
];

export const NETWORKS: Readonly<Record<NetworkName, Network>> = {
  testnet: {
    passphrase: "Test SDF Network ; September 2015",
    horizonUrl: "https://horizon-testnet.stellar.org",
    rpcUrl: "https://soroban-testnet.stellar.org",
    ledgerLake: { url: `${LAKES}/testnet`, folders: true },
    historyArchives: [1, 2, 3].map((each) => `${ARCHIVES}/core-testnet/core_testnet_00${each}`),
    validators: TESTNET_VALIDATORS,
  },
  mainnet: {
    passphrase: "Public Global Stellar Network ; September 2015",
    horizonUrl: "https://horizon.stellar.org",
    rpcUrl: "https://mainnet.sorobanrpc.com",
    ledgerLake: { url: `${LAKES}/pubnet`, folders: false },
    historyArchives: [1, 2, 3].map((each) => `${ARCHIVES}/core-live/core_live_00${each}`),
    validators: MAINNET_VALIDATORS,
  },
  futurenet: {
    passphrase: "Test SDF Future Network ; October 2022",
    horizonUrl: "https://horizon-futurenet.stellar.org",
    rpcUrl: "https://rpc-futurenet.stellar.org",
    ledgerLake: null,
    historyArchives: [],
    validators: [],
  },
};

/** The container image stellar/quickstart with `--local`, which publishes no ledgers by default. */
export const LOCAL_NETWORK: Network = {
  passphrase: "Standalone Network ; February 2017",
  horizonUrl: "http://localhost:8000",
  rpcUrl: "http://localhost:8000/rpc",
  ledgerLake: null,
  historyArchives: [],
  validators: [],
};

/** The networks that have a name. */
export const KNOWN_NETWORKS: readonly Network[] = [...Object.values(NETWORKS), LOCAL_NETWORK];
export const KNOWN_PASSPHRASES = KNOWN_NETWORKS.map(({ passphrase }) => passphrase);

export type KnownNetworkName = NetworkName | "local";

/** Other names of the networks in explorers and stellar-cli. */
export const OTHER_NETWORK_NAMES: Readonly<Record<string, KnownNetworkName>> = {
  pubnet: "mainnet",
  public: "mainnet",
  standalone: "local",
};

/** Returns the name that people use for the network with this passphrase. */
export function networkInWords(passphrase: string): string {
  return knownNetworkName(passphrase) ?? passphrase;
}

/** Returns the name of the network with this passphrase, or null if it has none. */
export function knownNetworkName(passphrase: string): KnownNetworkName | null {
  return passphrase === LOCAL_NETWORK.passphrase ? "local" : networkOfPassphrase(passphrase);
}

/** Returns the network of a transaction in words. It is a fork of one if its ledger says so. */
export function networkOfRecord({
  networkPassphrase,
  ledger,
}: Pick<ChainRecord, "networkPassphrase" | "ledger">): string {
  return `${ledger.isFork === true ? "fork of " : ""}${networkInWords(networkPassphrase)}`;
}

/** Returns the public network with this passphrase, or null. */
export function networkOfPassphrase(passphrase: string): NetworkName | null {
  return NETWORK_NAMES.find((name) => NETWORKS[name].passphrase === passphrase) ?? null;
}
