// The settings of the network and its nodes, which most commands have. They are resolved once,
// frozen, and passed as arguments.

import * as v from "valibot";
import { configInvalid } from "../base/errors/errors.ts";
import { nodeAddress } from "../base/http/node-address.ts";
import {
  duration,
  type Resolved,
  type Setting,
  text,
  withVariables,
} from "../base/settings/setting.ts";
import {
  NETWORK_NAMES,
  NETWORKS,
  type NetworkName,
  networkOfPassphrase,
  type PublicLake,
} from "../model/networks.ts";

export interface Config {
  readonly network: NetworkName | "custom";
  readonly networkPassphrase: string;
  /** In the order of requests; empty when none is known. */
  readonly horizonUrls: readonly string[];
  readonly rpcUrls: readonly string[];
  /** Ledger lakes (SEP-54), for ledgers that no RPC node has any more. */
  readonly ledgerLakeUrls: readonly string[];
  /** Null where the user names lakes or none, and where the network has no public one. */
  readonly publicLake: PublicLake | null;
  /** The maximum wait of one run for nodes and simulator. */
  readonly timeoutMilliseconds: number;
  /** Null: svc searches svc-sim next to svc and on PATH. */
  readonly simPath: string | null;
  /** The source of each value: `--network`, `SVC_NETWORK`, a file, `default`. */
  readonly origins: Readonly<Record<keyof typeof NETWORK_SETTINGS, string>>;
}

const MAXIMUM_NODES = 8;

const urlList = v.pipe(
  v.union([v.array(v.string()), v.string()], "must be a URL, or several separated by commas"),
  // A path may contain a comma: only a comma before the next URL separates.
  v.transform((value) => (typeof value === "string" ? value.split(/,(?=\s*\w+:\/\/)/) : value)),
  v.transform((list) => list.map((url) => url.trim()).filter((url) => url !== "")),
  v.minLength(1, "must name at least one URL"),
  v.maxLength(MAXIMUM_NODES, `must name at most ${MAXIMUM_NODES} URLs`),
  v.everyItem(isHttpUrl, "must be http:// or https:// URLs"),
);

const noUrls = v.pipe(
  v.unknown(),
  v.transform((): string[] => []),
);

interface NetworkSetting extends Setting {
  /** The value that a run uses, for `svc doctor`. URLs are shown without secrets. */
  readonly used: (config: Config) => string;
}

const ROWS = {
  network: {
    hint: "NAME",
    schema: v.picklist(NETWORK_NAMES),
    // Contracts are developed on testnet and fail there first. For a hash of another network the
    // error message names that network.
    default: "testnet",
    help: "Network to use.",
    used: ({ network }) => network,
  },
  networkPassphrase: {
    hint: "TEXT",
    schema: text,
    otherwise: "the network's",
    help: "Passphrase of a custom network; set its nodes too.",
    used: ({ networkPassphrase }) => networkPassphrase,
  },
  horizonUrl: {
    hint: "URL,…",
    schema: urlList,
    otherwise: "the network's",
    help: "Horizon nodes, in the order of requests.",
    used: ({ horizonUrls }) => shownUrls(horizonUrls),
  },
  rpcUrl: {
    hint: "URL,…",
    schema: urlList,
    otherwise: "the network's",
    help: "Stellar RPC nodes, in the order of requests.",
    used: ({ rpcUrls }) => shownUrls(rpcUrls),
  },
  ledgerLakeUrl: {
    hint: "URL,…",
    schema: v.lazy((value) => (value === "none" ? noUrls : urlList)),
    // The owner of a private lake pays for requests to it; the public ones are open data.
    otherwise: "the network's public lake; none turns it off",
    help: "Ledger lakes (SEP-54), for ledgers that no RPC node has.",
    used: ({ ledgerLakeUrls, publicLake }) =>
      shownUrls(publicLake === null ? ledgerLakeUrls : [publicLake.url]),
  },
  timeout: {
    hint: "TIME",
    schema: duration,
    // A walk makes about a dozen requests of a second or less; after a minute something is broken.
    default: "60s",
    help: "Maximum wait for nodes and the simulator: 30, 30s, 500ms or 2m.",
    used: ({ timeoutMilliseconds }) => `${timeoutMilliseconds} ms`,
  },
  simPath: {
    hint: "FILE",
    schema: text,
    refusal: ["sets a program to run (simPath)", "use `--sim-path`"],
    otherwise: "next to svc, then on PATH",
    help: "Path of svc-sim.",
    used: ({ simPath }) => simPath ?? "automatic",
  },
} as const satisfies Record<string, NetworkSetting>;

export const NETWORK_SETTINGS = withVariables("SVC_", ROWS, "");

type NetworkValues = Resolved<typeof NETWORK_SETTINGS>;

/** Throws CONFIG_INVALID for a combination that cannot be meant. */
export function configOf(settings: NetworkValues): Config {
  const network = chooseNetwork(settings);
  const known = network === "custom" ? null : NETWORKS[network];
  const { horizonUrl, rpcUrl, ledgerLakeUrl } = settings;
  return Object.freeze({
    network,
    networkPassphrase: known?.passphrase ?? settings.networkPassphrase ?? "",
    horizonUrls: Object.freeze(horizonUrl ?? (known === null ? [] : [known.horizonUrl])),
    rpcUrls: Object.freeze(rpcUrl ?? (known === null ? [] : [known.rpcUrl])),
    ledgerLakeUrls: Object.freeze(ledgerLakeUrl ?? []),
    publicLake: ledgerLakeUrl === null ? (known?.ledgerLake ?? null) : null,
    timeoutMilliseconds: settings.timeout,
    simPath: settings.simPath,
    origins: settings.origins,
  });
}

/** Throws CONFIG_INVALID when no node is known, as for a custom network without URLs. */
export function requireNodes(config: Config): void {
  if (config.horizonUrls.length + config.rpcUrls.length > 0) return;
  throw configInvalid(
    `No node is known for the network "${config.networkPassphrase}".`,
    "Set `--horizon-url` and `--rpc-url` (or SVC_HORIZON_URL and SVC_RPC_URL).",
  );
}

/**
 * A passphrase identifies the network. If the network's name contradicts it, the higher source
 * wins.
 */
function chooseNetwork({ network, networkPassphrase, origins }: NetworkValues): Config["network"] {
  if (networkPassphrase === null) return network;
  const named = networkOfPassphrase(networkPassphrase) ?? "custom";
  if (network === named) return named;
  const difference = rankOf(origins.network) - rankOf(origins.networkPassphrase);
  if (difference === 0)
    throw configInvalid(
      `${origins.network} (network ${network}) and ${origins.networkPassphrase} ` +
        `("${networkPassphrase}") contradict each other.`,
      "Set only one of the network's name and its passphrase.",
    );
  return difference < 0 ? network : named;
}

/** 0 is the highest source. */
function rankOf(origin: string): number {
  if (origin === "default") return 3;
  return origin.startsWith("--") ? 0 : origin.startsWith("SVC_") ? 1 : 2;
}

function shownUrls(urls: readonly string[]): string {
  return urls.map(nodeAddress).join(", ") || "none";
}

function isHttpUrl(url: string): boolean {
  return URL.canParse(url) && ["http:", "https:"].includes(new URL(url).protocol);
}
