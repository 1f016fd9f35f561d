// Settings: one schema and one table with each default and its reason. Where a setting comes from,
// highest first: flag, SVC_* environment variable, file, default. Resolved once, frozen, passed
// down.

import * as v from "valibot";
import type { ConfigFile } from "./config-file.ts";
import { SvcError } from "./errors.ts";
import { NETWORK_NAMES, NETWORKS, type NetworkName, networkOfPassphrase } from "./networks.ts";

export interface Config {
  readonly network: NetworkName | "custom";
  readonly networkPassphrase: string;
  /** In the order in which they are asked; empty when none is known. */
  readonly horizonUrls: readonly string[];
  readonly rpcUrls: readonly string[];
  /** Ledger lakes (SEP-54), for ledgers that no RPC node keeps any more. */
  readonly ledgerLakeUrls: readonly string[];
  /** Bounds all that one run waits for: nodes and simulator. */
  readonly timeoutMilliseconds: number;
  /** Null: svc-sim is looked for beside svc and on PATH. */
  readonly simPath: string | null;
  /** Where each value comes from: `--network`, `SVC_NETWORK`, a file, `default`. */
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

const DURATION = /^(\d{1,6}(?:\.\d{1,3})?)(ms|s|m)?$/;
const UNIT_MILLISECONDS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000 };
const MAXIMUM_NODES = 8;
const MAXIMUM_TIMEOUT_MILLISECONDS = 24 * 60 * 60 * 1000;

const urlList = v.pipe(
  v.union([v.array(v.string()), v.string()], "must be a URL, or several separated by commas"),
  // A comma may stand in a path: only one before the next URL separates.
  v.transform((value) => (typeof value === "string" ? value.split(/,(?=\s*\w+:\/\/)/) : value)),
  v.transform((list) => list.map((url) => url.trim()).filter((url) => url !== "")),
  v.minLength(1, "must name at least one URL"),
  v.maxLength(MAXIMUM_NODES, `must name at most ${MAXIMUM_NODES} URLs`),
  v.everyItem(isHttpUrl, "must be http:// or https:// URLs"),
);

const duration = v.pipe(
  v.union([v.number(), v.string()], "must be a time such as 30, 30s, 500ms or 2m"),
  v.transform((value) => durationMilliseconds(String(value))),
  v.number("must be a time such as 30, 30s, 500ms or 2m"),
  v.minValue(1, "must be longer than nothing"),
  v.maxValue(MAXIMUM_TIMEOUT_MILLISECONDS, "must be at most a day"),
);

const nonEmpty = v.pipe(
  v.string("must be text"),
  v.nonEmpty("must not be empty"),
  v.maxLength(4096, "is too long"),
);

const SETTINGS_SCHEMA = {
  network: v.picklist(NETWORK_NAMES, `must be one of ${NETWORK_NAMES.join(", ")}`),
  networkPassphrase: nonEmpty,
  horizonUrl: urlList,
  rpcUrl: urlList,
  ledgerLakeUrl: urlList,
  timeout: duration,
  simPath: nonEmpty,
} as const satisfies Record<SettingName, v.GenericSchema>;

type Settings = { [Name in SettingName]: v.InferOutput<(typeof SETTINGS_SCHEMA)[Name]> };

const SETTING_PLACES: Readonly<Record<SettingName, { flag: string; variable: string }>> = {
  network: { flag: "--network", variable: "SVC_NETWORK" },
  networkPassphrase: { flag: "--network-passphrase", variable: "SVC_NETWORK_PASSPHRASE" },
  horizonUrl: { flag: "--horizon-url", variable: "SVC_HORIZON_URL" },
  rpcUrl: { flag: "--rpc-url", variable: "SVC_RPC_URL" },
  ledgerLakeUrl: { flag: "--ledger-lake-url", variable: "SVC_LEDGER_LAKE_URL" },
  timeout: { flag: "--timeout", variable: "SVC_TIMEOUT" },
  simPath: { flag: "--sim-path", variable: "SVC_SIM_PATH" },
};

const DEFAULTS = {
  // Contracts are developed and fail on testnet first; a hash of another network is not found
  // there, and the message then names the others.
  network: "testnet",
  // A walk makes about a dozen requests of a second or less; past a minute something is broken.
  timeout: 60_000,
} as const satisfies Partial<Settings>;
// No default for the rest: passphrase and nodes follow from the network, simPath from where svc is,
// and a ledger lake is somebody's bill.

export const SETTING_NAMES = Object.keys(SETTINGS_SCHEMA) as readonly SettingName[];

/** Throws USAGE for a bad flag, CONFIG_INVALID for a bad variable, file or combination. */
export function resolveConfig(inputs: ConfigInputs): Config {
  const origins: Partial<Record<SettingName, string>> = {};
  const settings: Partial<Settings> = {};
  const ranks: Partial<Record<SettingName, number>> = {};
  for (const name of SETTING_NAMES) {
    const { flag, variable } = SETTING_PLACES[name];
    const layers: [string, unknown][] = [
      [flag, inputs.flags[name]],
      // An empty variable is how shells and container files say "not set".
      [variable, inputs.environment[variable] || undefined],
      [inputs.file?.path ?? "", inputs.file?.settings[name]],
    ];
    const rank = layers.findIndex(([, value]) => value !== undefined);
    const layer = layers[rank];
    ranks[name] = rank === -1 ? layers.length : rank;
    origins[name] = layer?.[0] ?? "default";
    if (layer !== undefined) Object.assign(settings, { [name]: parse(name, layer[0], layer[1]) });
  }
  const network = chooseNetwork(settings, ranks, origins);
  const known = network === "custom" ? null : NETWORKS[network];
  return Object.freeze({
    network,
    networkPassphrase: known?.passphrase ?? settings.networkPassphrase ?? "",
    horizonUrls: Object.freeze(settings.horizonUrl ?? (known === null ? [] : [known.horizonUrl])),
    rpcUrls: Object.freeze(settings.rpcUrl ?? (known === null ? [] : [known.rpcUrl])),
    ledgerLakeUrls: Object.freeze(settings.ledgerLakeUrl ?? []),
    timeoutMilliseconds: settings.timeout ?? DEFAULTS.timeout,
    simPath: settings.simPath ?? null,
    origins: Object.freeze(origins as Record<SettingName, string>),
  });
}

/** Throws CONFIG_INVALID when no node is known, as for a custom network without URLs. */
export function requireNodes(config: Config): void {
  if (config.horizonUrls.length + config.rpcUrls.length > 0) return;
  throw new SvcError("CONFIG_INVALID", {
    message: `No node is known for the network "${config.networkPassphrase}".`,
    remedy: "Give --horizon-url and --rpc-url (or SVC_HORIZON_URL and SVC_RPC_URL).",
  });
}

/** A passphrase names the network; where a network's name contradicts it, the higher place wins. */
function chooseNetwork(
  settings: Partial<Settings>,
  ranks: Partial<Record<SettingName, number>>,
  origins: Partial<Record<SettingName, string>>,
): NetworkName | "custom" {
  const { network, networkPassphrase } = settings;
  if (networkPassphrase === undefined) return network ?? DEFAULTS.network;
  const named = networkOfPassphrase(networkPassphrase) ?? "custom";
  if (network === undefined || network === named) return named;
  const difference = (ranks.network ?? 0) - (ranks.networkPassphrase ?? 0);
  if (difference === 0)
    throw invalid(
      `${origins.network} (network ${network}) and ${origins.networkPassphrase} ` +
        `("${networkPassphrase}") contradict each other.`,
      "Give only one of the network's name and its passphrase.",
    );
  return difference < 0 ? network : named;
}

function parse(name: SettingName, origin: string, value: unknown): unknown {
  const parsed = v.safeParse(SETTINGS_SCHEMA[name], value);
  if (parsed.success) return parsed.output;
  // URLs may carry secrets: of all values only a network's name is repeated.
  const shown = name === "network" ? ` "${String(value)}"` : "";
  const problem = parsed.issues[0].message;
  if (origin.startsWith("--"))
    throw new SvcError("USAGE", {
      message: `${origin}${shown} ${problem}.`,
      remedy: "Run the command with --help to see what it takes.",
    });
  const place = origin.startsWith("SVC_") ? origin : `${name} in ${origin}`;
  throw invalid(`${place}${shown} ${problem}.`, `Correct ${place}, or give the flag instead.`);
}

function invalid(message: string, remedy: string): SvcError {
  return new SvcError("CONFIG_INVALID", { message, remedy });
}

function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && ["http:", "https:"].includes(new URL(text).protocol);
}

function durationMilliseconds(text: string): number {
  const match = DURATION.exec(text.trim());
  if (match === null) return Number.NaN;
  return Math.round(Number(match[1]) * (UNIT_MILLISECONDS[match[2] ?? "s"] ?? Number.NaN));
}
