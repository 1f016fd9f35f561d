// Settings: one schema, and one table with each default and its reason. The sources of a setting,
// highest first, are flag, SVC_* environment variable, file and default. Settings are resolved
// once, frozen, and passed as arguments.

import * as v from "valibot";
import { SvcError } from "../errors/errors.ts";
import type { ConfigFile } from "./config-file.ts";
import {
  NETWORK_NAMES,
  NETWORKS,
  type NetworkName,
  networkOfPassphrase,
  type PublicLake,
} from "./networks.ts";
import {
  configInvalid,
  duration,
  nonEmpty,
  place,
  readSettings,
  type SettingDefinition,
} from "./setting-layers.ts";

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
  readonly origins: Readonly<Record<SettingName, string>>;
}

export type SettingName =
  | "network"
  | "networkPassphrase"
  | "horizonUrl"
  | "rpcUrl"
  | "ledgerLakeUrl"
  | "timeout"
  | "simPath";

export interface ConfigInputs {
  /** By setting name; undefined when the flag was not given. */
  readonly flags: Readonly<Partial<Record<SettingName, string | undefined>>>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly file: ConfigFile | null;
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

const SETTINGS = {
  network: {
    ...place("--network", "SVC_NETWORK"),
    schema: v.picklist(NETWORK_NAMES, `must be one of ${NETWORK_NAMES.join(", ")}`),
    shown: true,
  },
  networkPassphrase: {
    ...place("--network-passphrase", "SVC_NETWORK_PASSPHRASE"),
    schema: nonEmpty,
  },
  horizonUrl: { ...place("--horizon-url", "SVC_HORIZON_URL"), schema: urlList },
  rpcUrl: { ...place("--rpc-url", "SVC_RPC_URL"), schema: urlList },
  ledgerLakeUrl: {
    ...place("--ledger-lake-url", "SVC_LEDGER_LAKE_URL"),
    schema: v.lazy((value) => (value === "none" ? noUrls : urlList)),
  },
  timeout: { ...place("--timeout", "SVC_TIMEOUT"), schema: duration },
  simPath: { ...place("--sim-path", "SVC_SIM_PATH"), schema: nonEmpty },
} as const satisfies Record<SettingName, SettingDefinition>;

type Settings = { [Name in SettingName]: v.InferOutput<(typeof SETTINGS)[Name]["schema"]> };

const DEFAULTS = {
  // Contracts are developed on testnet and fail there first. For a hash of another network the
  // error message names that network.
  network: "testnet",
  // A walk makes about a dozen requests of a second or less; after a minute something is broken.
  timeout: 60_000,
} as const satisfies Partial<Settings>;
// The other settings have no default: passphrase and nodes follow from the network, simPath from
// the directory of svc, and the owner of a ledger lake pays for requests to it.

export const SETTING_NAMES = Object.keys(SETTINGS) as readonly SettingName[];

/** Throws USAGE for a bad flag, CONFIG_INVALID for a bad variable, file or combination. */
export function resolveConfig(inputs: ConfigInputs): Config {
  const { values, origins, ranks } = readSettings(SETTINGS, inputs);
  const settings = values as Partial<Settings>;
  const network = chooseNetwork(settings, ranks, origins);
  const known = network === "custom" ? null : NETWORKS[network];
  return Object.freeze({
    network,
    networkPassphrase: known?.passphrase ?? settings.networkPassphrase ?? "",
    horizonUrls: Object.freeze(settings.horizonUrl ?? (known === null ? [] : [known.horizonUrl])),
    rpcUrls: Object.freeze(settings.rpcUrl ?? (known === null ? [] : [known.rpcUrl])),
    ledgerLakeUrls: Object.freeze(settings.ledgerLakeUrl ?? []),
    publicLake: settings.ledgerLakeUrl === undefined ? (known?.ledgerLake ?? null) : null,
    timeoutMilliseconds: settings.timeout ?? DEFAULTS.timeout,
    simPath: settings.simPath ?? null,
    origins: Object.freeze(origins),
  });
}

/** Throws CONFIG_INVALID when no node is known, as for a custom network without URLs. */
export function requireNodes(config: Config): void {
  if (config.horizonUrls.length + config.rpcUrls.length > 0) return;
  throw new SvcError("CONFIG_INVALID", {
    message: `No node is known for the network "${config.networkPassphrase}".`,
    remedy: "Set `--horizon-url` and `--rpc-url` (or SVC_HORIZON_URL and SVC_RPC_URL).",
  });
}

/**
 * A passphrase identifies the network. If the network's name contradicts it, the higher source
 * wins.
 */
function chooseNetwork(
  settings: Partial<Settings>,
  ranks: Readonly<Record<SettingName, number>>,
  origins: Readonly<Record<SettingName, string>>,
): NetworkName | "custom" {
  const { network, networkPassphrase } = settings;
  if (networkPassphrase === undefined) return network ?? DEFAULTS.network;
  const named = networkOfPassphrase(networkPassphrase) ?? "custom";
  if (network === undefined || network === named) return named;
  const difference = ranks.network - ranks.networkPassphrase;
  if (difference === 0)
    throw configInvalid(
      `${origins.network} (network ${network}) and ${origins.networkPassphrase} ` +
        `("${networkPassphrase}") contradict each other.`,
      "Set only one of the network's name and its passphrase.",
    );
  return difference < 0 ? network : named;
}

function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && ["http:", "https:"].includes(new URL(text).protocol);
}
