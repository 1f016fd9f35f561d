// The settings of the network and its nodes, which most commands have. They are resolved once,
// frozen, and passed as arguments.

import * as v from "valibot";
import { configInvalid } from "../base/errors/errors.ts";
import { nodeAddress } from "../base/http/node-address.ts";
import { flag, phrase } from "../base/phrase.ts";
import { originInWords, rankOf, type SettingOrigin, SHARED } from "../base/settings/origin.ts";
import {
  duration,
  inGroup,
  type Resolved,
  type Setting,
  text,
  withVariables,
} from "../base/settings/setting.ts";
import { durationInWords } from "../base/text/time.ts";
import {
  NETWORK_NAMES,
  NETWORKS,
  type NetworkName,
  networkOfPassphrase,
  OTHER_NETWORK_NAMES,
  type PublicLake,
} from "../model/networks.ts";

export interface RpcHeader {
  readonly name: string;
  readonly value: string;
}

export interface Config {
  readonly network: NetworkName | "custom";
  /** The name that the user gave the network. */
  readonly networkName: string;
  readonly networkPassphrase: string;
  /** In the order of requests; empty if none is known. */
  readonly horizonUrls: readonly string[];
  readonly rpcUrls: readonly string[];
  /** Secrets that are sent only to those RPC nodes. */
  readonly rpcHeaders: readonly RpcHeader[];
  /** Ledger lakes (SEP-54), for ledgers that no RPC node keeps any longer. */
  readonly ledgerLakeUrls: readonly string[];
  /** Null if the user names lakes or none, or if the network has no public lake. */
  readonly publicLake: PublicLake | null;
  /** The longest time that one run waits for nodes and the simulator. */
  readonly timeoutMilliseconds: number;
  /** Null if svc searches svc-sim next to svc and on PATH. */
  readonly simPath: string | null;
  /** True if the nodes are a fork, which reported the passphrase. */
  readonly isFork: boolean;
  /** The source of each value. */
  readonly origins: Readonly<Record<keyof typeof NETWORK_SETTINGS, SettingOrigin>>;
}

const MAXIMUM_NODES = 8;

const urlList = v.pipe(
  v.union([v.array(v.string()), v.string()], "must be a URL, or several separated by commas"),
  // A path may contain a comma, so only a comma before the next URL separates two URLs.
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

/** `Name: value`. No message repeats the value. */
const rpcHeader = v.pipe(
  v.string("must be text"),
  v.transform((written): RpcHeader => {
    const colon = written.indexOf(":");
    return { name: written.slice(0, Math.max(0, colon)), value: written.slice(colon + 1).trim() };
  }),
  v.check(
    ({ name, value }) => /^[\w!#$%&'*+.^`|~-]+$/.test(name) && /^[\t\x20-\x7e]+$/.test(value),
    "must be a header such as `Authorization: Bearer @FILE`",
  ),
);

interface NetworkSetting extends Setting {
  /** The value that a run uses, for `svc doctor`. URLs are shown without secrets. */
  readonly used: (config: Config) => string;
}

const ROWS = {
  network: {
    alias: "n",
    hint: "NAME",
    schema: v.pipe(
      text,
      v.transform((name) => OTHER_NETWORK_NAMES[name.toLowerCase()] ?? name),
    ),
    suggestions: [...NETWORK_NAMES, "local"],
    sharedVariable: "STELLAR_NETWORK",
    // Contracts are developed on testnet and fail there first. If a hash belongs to another
    // network, the error message names that network.
    default: "testnet",
    help: "Network: testnet, mainnet, futurenet, local, or the name of one in stellar-cli.",
    used: ({ networkName }) => networkName,
  },
  networkPassphrase: {
    hint: "TEXT",
    schema: text,
    sharedVariable: "STELLAR_NETWORK_PASSPHRASE",
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
    sharedVariable: "STELLAR_RPC_URL",
    help: "Stellar RPC nodes, in the order of requests.",
    used: ({ rpcUrls }) => shownUrls(rpcUrls),
  },
  rpcHeader: {
    hint: "NAME:TEXT",
    schema: rpcHeader,
    repeats: true,
    // svc sends a header only to nodes that the user sets.
    onlyWith: ["rpcUrl"],
    sharedVariable: "STELLAR_RPC_HEADERS",
    refusal: ["sets headers for RPC nodes (rpcHeader)", "use SVC_RPC_HEADER"],
    help:
      "Header for the RPC nodes that you set, such as `Authorization: Bearer @FILE`, which reads " +
      "the secret from FILE.",
    used: ({ rpcHeaders }) =>
      rpcHeaders.map(({ name }) => `${name}: (not shown)`).join(", ") || "none",
  },
  ledgerLakeUrl: {
    hint: "URL,…",
    schema: v.lazy((value) => (value === "none" ? noUrls : urlList)),
    // The owner of a private lake pays for requests to it. The public lakes are open data.
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
    used: ({ timeoutMilliseconds }) => durationInWords(timeoutMilliseconds),
  },
  simPath: {
    hint: "FILE",
    schema: text,
    refusal: ["sets a program to run (simPath)", "use `--sim-path`"],
    otherwise: "next to svc, then on PATH",
    group: "General",
    help: "Path of svc-sim.",
    used: ({ simPath }) => simPath ?? "automatic",
  },
} as const satisfies Record<string, NetworkSetting>;

export const NETWORK_SETTINGS = inGroup("Network", withVariables("SVC_", ROWS, ""));

export type NetworkValues = Resolved<typeof NETWORK_SETTINGS>;

/** What a node has reported of itself before it is asked for anything else. */
interface ReportedByNode {
  readonly isFork?: true;
}

/** Reads the settings. Throws CONFIG_INVALID for a combination that has no meaning. */
export function configOf(settings: NetworkValues & ReportedByNode): Config {
  const network = chooseNetwork(settings);
  const known = network === "custom" ? null : NETWORKS[network];
  const { horizonUrl, rpcUrl, ledgerLakeUrl } = settings;
  const { origins } = settings;
  const isPublic = isPublicNetwork(settings.network);
  // The report of a setting names what decided it.
  const decided = isPublic && network !== settings.network ? "networkPassphrase" : "network";
  return Object.freeze({
    network,
    networkName: isPublic ? network : settings.network,
    networkPassphrase: known?.passphrase ?? settings.networkPassphrase ?? "",
    horizonUrls: Object.freeze(horizonUrl ?? (known === null ? [] : [known.horizonUrl])),
    rpcUrls: Object.freeze(rpcUrl ?? (known === null ? [] : [known.rpcUrl])),
    rpcHeaders: Object.freeze(settings.rpcHeader),
    ledgerLakeUrls: Object.freeze(ledgerLakeUrl ?? []),
    publicLake: ledgerLakeUrl === null ? (known?.ledgerLake ?? null) : null,
    timeoutMilliseconds: settings.timeout,
    simPath: settings.simPath,
    isFork: settings.isFork === true,
    origins: Object.freeze({ ...origins, network: origins[decided] }),
  });
}

/** Throws CONFIG_INVALID if no node is known, as for a custom network without URLs. */
export function requireNodes(config: Config): void {
  if (config.horizonUrls.length + config.rpcUrls.length > 0) return;
  throw configInvalid(
    `No node is known for the network "${config.networkPassphrase}".`,
    phrase`Set ${flag("horizonUrl")} and ${flag("rpcUrl")} (or SVC_HORIZON_URL and SVC_RPC_URL).`,
  );
}

/**
 * Chooses the network. A passphrase identifies it. If the network's name contradicts it, the higher
 * source wins.
 */
function chooseNetwork({ network, networkPassphrase, origins }: NetworkValues): Config["network"] {
  const named = networkPassphrase === null ? null : networkOfPassphrase(networkPassphrase);
  // The passphrase of any other name was found together with the name.
  if (!isPublicNetwork(network)) return named ?? "custom";
  if (networkPassphrase === null || network === named) return network;
  const difference = rankOf(origins.network) - rankOf(origins.networkPassphrase);
  // These are variables of stellar-cli, which uses the passphrase.
  if (difference === 0 && rankOf(origins.network) !== SHARED)
    throw configInvalid(
      phrase`${originInWords(origins.network)} (network ${network}) and ${originInWords(origins.networkPassphrase)} ("${networkPassphrase}") contradict each other.`,
      "Set only one of the network's name and its passphrase.",
    );
  return difference < 0 ? network : (named ?? "custom");
}

export function isPublicNetwork(name: string): name is NetworkName {
  return NETWORK_NAMES.some((each) => each === name);
}

function shownUrls(urls: readonly string[]): string {
  return urls.map(nodeAddress).join(", ") || "none";
}

function isHttpUrl(url: string): boolean {
  return URL.canParse(url) && ["http:", "https:"].includes(new URL(url).protocol);
}
