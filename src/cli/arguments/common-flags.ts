// The flags that several commands share, and their Config.

import type { ArgsDef } from "citty";
import { type Config, resolveConfig, SETTING_NAMES } from "../../base/settings/config.ts";
import { type ConfigFile, readConfigFile } from "../../base/settings/config-file.ts";
import { NETWORK_NAMES } from "../../base/settings/networks.ts";
import type { Shell } from "../shell.ts";

/** Every command has these flags; run.ts reads them. */
export const COMMON_FLAGS = {
  json: { type: "boolean", description: "Print one JSON document on stdout, also for errors." },
  debug: { type: "boolean", description: "Show the causes of an error." },
  verbose: {
    type: "boolean",
    alias: "v",
    description:
      "Show progress and every comparison. -vv also shows host calls; -vvv also shows storage keys " +
      "and values in full.",
  },
  quiet: { type: "boolean", description: "Print only errors on stderr." },
  help: { type: "boolean", alias: "h", description: "Print this help." },
} as const satisfies ArgsDef;

export const CONFIG_FLAGS = {
  network: {
    type: "enum",
    options: [...NETWORK_NAMES],
    valueHint: "NAME",
    description: "Network to use (default: testnet).",
  },
  "network-passphrase": {
    type: "string",
    valueHint: "TEXT",
    description:
      "Passphrase of a custom network. Also set its nodes with --horizon-url or --rpc-url.",
  },
  "horizon-url": {
    type: "string",
    valueHint: "URL,…",
    description: "Horizon nodes, in the order of requests.",
  },
  "rpc-url": {
    type: "string",
    valueHint: "URL,…",
    description: "Stellar RPC nodes, in the order of requests.",
  },
  "ledger-lake-url": {
    type: "string",
    valueHint: "URL,…",
    description:
      "Ledger lakes (SEP-54), for ledgers that no RPC node has (default: the public one), or none.",
  },
  timeout: {
    type: "string",
    valueHint: "TIME",
    description: "Maximum wait for nodes and the simulator: 30, 30s, 500ms or 2m (default: 60s).",
  },
  "sim-path": {
    type: "string",
    valueHint: "FILE",
    description: "Path of svc-sim (default: next to svc, then on PATH).",
  },
  config: { type: "string", valueHint: "FILE", description: "JSON file with settings." },
} as const satisfies ArgsDef;

export const LEDGER_FILE_FLAG = {
  "ledger-file": {
    type: "string",
    valueHint: "FILE,…",
    description: "Ledger files to search, in addition to the nodes.",
  },
} as const satisfies ArgsDef;

/** Arguments as citty parsed them, after the strict check; absent flags are undefined. */
export type ParsedFlags = Readonly<Record<string, unknown>>;

export function loadConfig(shell: Shell, args: ParsedFlags): Config {
  const { environment } = shell.facts;
  const file = loadConfigFile(shell, args);
  const flags = {
    network: textFlag(args, "network"),
    networkPassphrase: textFlag(args, "network-passphrase"),
    horizonUrl: textFlag(args, "horizon-url"),
    rpcUrl: textFlag(args, "rpc-url"),
    ledgerLakeUrl: textFlag(args, "ledger-lake-url"),
    timeout: textFlag(args, "timeout"),
    simPath: textFlag(args, "sim-path"),
  };
  return resolveConfig({ flags, environment, file });
}

/** Null when no file was given and the working directory has none. */
export function loadConfigFile({ facts }: Shell, args: ParsedFlags): ConfigFile | null {
  const { environment, workingDirectory } = facts;
  return readConfigFile({
    named: textFlag(args, "config") ?? (environment.SVC_CONFIG || undefined),
    workingDirectory,
    settingNames: [...SETTING_NAMES, "daemon", "follow", "labels"],
  });
}

export function ledgerFiles(args: ParsedFlags): string[] {
  return (textFlag(args, "ledger-file") ?? "").split(",").filter((path) => path !== "");
}

export function textFlag(args: ParsedFlags, name: string): string | undefined {
  const value = args[name];
  return typeof value === "string" ? value : undefined;
}
