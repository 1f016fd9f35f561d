// Flags that several commands share, and how they become a Config.

import type { ArgsDef } from "citty";
import { type Config, resolveConfig, SETTING_NAMES } from "../../base/settings/config.ts";
import { type ConfigFile, readConfigFile } from "../../base/settings/config-file.ts";
import { NETWORK_NAMES } from "../../base/settings/networks.ts";
import type { Shell } from "../shell.ts";

/** Every command has these; the runner reads them. */
export const MANNER_FLAGS = {
  json: { type: "boolean", description: "Print one JSON document on stdout, errors included." },
  debug: { type: "boolean", description: "Show the causes behind an error." },
  verbose: {
    type: "boolean",
    alias: "v",
    description:
      "Say what is being done; show every comparison. -vv: calls to the host too; -vvv: storage in " +
      "full.",
  },
  quiet: { type: "boolean", description: "Print nothing but errors on stderr." },
  help: { type: "boolean", alias: "h", description: "Print this help." },
} as const satisfies ArgsDef;

export const CONFIG_FLAGS = {
  network: {
    type: "enum",
    options: [...NETWORK_NAMES],
    valueHint: "NAME",
    description: "The network to ask; testnet when not given.",
  },
  "network-passphrase": {
    type: "string",
    valueHint: "TEXT",
    description: "Passphrase of a network of your own; its nodes must be named too.",
  },
  "horizon-url": {
    type: "string",
    valueHint: "URL,…",
    description: "Horizon nodes, asked in this order.",
  },
  "rpc-url": {
    type: "string",
    valueHint: "URL,…",
    description: "Stellar RPC nodes, asked in this order.",
  },
  "ledger-lake-url": {
    type: "string",
    valueHint: "URL,…",
    description: "Ledger lakes (SEP-54) for ledgers that no RPC node keeps.",
  },
  timeout: {
    type: "string",
    valueHint: "TIME",
    description: "Longest wait for nodes and simulator: 30, 30s, 500ms or 2m; 60s when not given.",
  },
  "sim-path": {
    type: "string",
    valueHint: "FILE",
    description: "The svc-sim to run; otherwise beside svc, then on PATH.",
  },
  config: { type: "string", valueHint: "FILE", description: "JSON file of settings." },
} as const satisfies ArgsDef;

export const LEDGER_FILE_FLAG = {
  "ledger-file": {
    type: "string",
    valueHint: "FILE,…",
    description: "Ledger files to look in, beside the nodes.",
  },
} as const satisfies ArgsDef;

/** Arguments as citty parsed them, after the strict check: flags that are absent are undefined. */
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

/** Null when none was named and none is there. */
export function loadConfigFile({ facts }: Shell, args: ParsedFlags): ConfigFile | null {
  const { environment, workingDirectory } = facts;
  return readConfigFile({
    named: textFlag(args, "config") ?? (environment.SVC_CONFIG || undefined),
    workingDirectory,
    settingNames: [...SETTING_NAMES, "daemon", "labels"],
  });
}

export function ledgerFiles(args: ParsedFlags): string[] {
  return (textFlag(args, "ledger-file") ?? "").split(",").filter((path) => path !== "");
}

export function textFlag(args: ParsedFlags, name: string): string | undefined {
  const value = args[name];
  return typeof value === "string" ? value : undefined;
}
