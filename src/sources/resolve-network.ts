// Completes the settings of the network: the passphrase and the nodes of a network that the user
// only names, the variables of stellar-cli if they belong to the chosen network, and the secrets of
// headers for RPC nodes. Invariant: a header goes only to nodes that came with it or that the user
// has set. It never goes to a network's public node, nor to a node of a settings file that svc
// found by itself.

import { nearestWord } from "../base/errors/did-you-mean.ts";
import { configInvalid, type SvcError, usageError } from "../base/errors/errors.ts";
import { flag, phrase } from "../base/phrase.ts";
import {
  DEFAULT_ORIGIN,
  isDefault,
  originInWords,
  originText,
  rankOf,
  type SettingOrigin,
  SHARED,
} from "../base/settings/origin.ts";
import type { Environment } from "../base/settings/setting.ts";
import {
  type KnownNetworkName,
  LOCAL_NETWORK,
  NETWORK_NAMES,
  NETWORKS,
  OTHER_NETWORK_NAMES,
} from "../model/networks.ts";
import { isPublicNetwork, type NetworkValues, type RpcHeader } from "./network-settings.ts";
import { savedNetwork } from "./stellar-cli.ts";

export interface NetworkSurroundings {
  readonly environment: Environment;
  /** The path of a settings file that svc found by itself. */
  readonly foundFile: string | null;
  /** Reads the secret in a file. */
  readonly readSecret: (path: string) => string;
}

type Name = keyof NetworkValues["origins"];
type NetworkDraft = {
  -readonly [Key in Exclude<keyof NetworkValues, "origins">]: NetworkValues[Key];
} & {
  readonly origins: Record<Name, SettingOrigin>;
};

/** Completes the settings. Throws USAGE, CONFIG_INVALID, and the errors of `readSecret`. */
export function resolveNetwork<Values extends NetworkValues>(
  values: Values,
  surroundings: NetworkSurroundings,
): Values {
  const draft: NetworkDraft = { ...values, origins: { ...values.origins } };
  dropOthers(draft, surroundings.environment);
  if (!isPublicNetwork(draft.network)) complete(draft, surroundings.environment);
  checkHeaders(draft, surroundings);
  return { ...values, ...draft };
}

/**
 * The settings with the network that a URL names, which is as explicit as a flag: nodes and headers
 * from a variable or a file belong to another network. Throws USAGE if a flag contradicts it.
 */
export function onNetwork<Values extends NetworkValues>(
  values: Values,
  network: KnownNetworkName | null,
): Values {
  const { origins, networkPassphrase } = values;
  if (network === null) return values;
  const passphrase = networkPassphrase ?? passphraseOf(values.network);
  if (passphraseOf(network) === passphrase) return values;
  // This machine may also have another network.
  const isChosen = !isDefault(origins.network) || !isDefault(origins.networkPassphrase);
  if (network === "local" && isChosen) return values;
  const isFlag = (name: Name) => rankOf(origins[name]) === 0;
  if (isFlag("network") || isFlag("networkPassphrase"))
    throw usageError(
      `The URL is of ${network}, but the flags choose ` +
        `${isFlag("network") ? values.network : `the network "${passphrase}"`}.`,
      "Remove the flag, or pass the hash without the URL.",
    );
  const draft: NetworkDraft = {
    ...values,
    origins: { ...origins, network: { kind: "word", name: "hash" } },
  };
  if (!isFlag("rpcUrl")) drop(draft, "rpcUrl", "rpcHeader");
  if (!isFlag("horizonUrl")) drop(draft, "horizonUrl");
  if (!isFlag("ledgerLakeUrl")) drop(draft, "ledgerLakeUrl");
  drop(draft, "networkPassphrase");
  draft.network = network;
  if (network === "local") complete(draft, {});
  return { ...values, ...draft };
}

/**
 * The settings for a fork with that passphrase; null means that the node is not a fork, and the
 * settings stay.
 */
export function onForkOf<Values extends object>(values: Values, passphrase: string | null): Values {
  if (passphrase === null) return values;
  const settings = values as unknown as NetworkValues;
  const others = { horizonUrl: [], ledgerLakeUrl: [] };
  const networkPassphrase = { kind: "flag", setting: "rpcUrl" } as const;
  const origins = { ...settings.origins, network: DEFAULT_ORIGIN, networkPassphrase };
  return { ...values, ...others, networkPassphrase: passphrase, origins, isFork: true };
}

/** The settings for another network by its name, without the nodes and headers of this one. */
export function ofNetworkNamed<Values extends NetworkValues>(
  values: Values,
  name: string,
  { environment }: Pick<NetworkSurroundings, "environment">,
): Values {
  const draft: NetworkDraft = { ...values, origins: { ...values.origins } };
  drop(draft, ...(Object.keys(DROPPED) as (keyof typeof DROPPED)[]));
  draft.network = OTHER_NETWORK_NAMES[name.toLowerCase()] ?? name;
  draft.origins.network = { kind: "flag", setting: "network" };
  if (!isPublicNetwork(draft.network)) complete(draft, environment);
  return { ...values, ...draft };
}

const DROPPED = {
  network: "testnet",
  networkPassphrase: null,
  horizonUrl: null,
  rpcUrl: null,
  rpcHeader: [],
  ledgerLakeUrl: null,
} as const;

function drop(draft: NetworkDraft, ...names: readonly (keyof typeof DROPPED)[]): void {
  for (const name of names) Object.assign(draft, { [name]: DROPPED[name] });
  for (const name of names) draft.origins[name] = DEFAULT_ORIGIN;
}

/**
 * As in stellar-cli, a passphrase overrides a name. A node in stellar-cli's variables is not asked
 * for a transaction of another network, if a flag, a variable of svc or a file chooses that
 * network.
 */
function dropOthers(draft: NetworkDraft, { STELLAR_NETWORK_PASSPHRASE }: Environment): void {
  const { origins } = draft;
  const isShared = (name: Name) => rankOf(origins[name]) === SHARED;
  if (isShared("network") && rankOf(origins.networkPassphrase) <= SHARED) drop(draft, "network");
  const isNamed = rankOf(origins.network) < SHARED;
  const isDescribed = rankOf(origins.networkPassphrase) < SHARED;
  if (isNamed && isShared("networkPassphrase")) drop(draft, "networkPassphrase");
  if (isShared("rpcUrl") && (isNamed || isDescribed)) {
    const chosen = isDescribed ? draft.networkPassphrase : passphraseOf(draft.network);
    // Only a network without nodes of its own takes one whose network is unknown.
    if (chosen !== (STELLAR_NETWORK_PASSPHRASE || (isNamed ? "" : chosen))) drop(draft, "rpcUrl");
  }
  if (isShared("rpcHeader") && !isShared("rpcUrl")) drop(draft, "rpcHeader");
}

/** Null if it is unknown before the network is looked up. */
function passphraseOf(name: string): string | null {
  if (isPublicNetwork(name)) return NETWORKS[name].passphrase;
  return name === "local" ? LOCAL_NETWORK.passphrase : null;
}

/** The origin of headers that stellar-cli has saved with a node. */
const SAVED: SettingOrigin = { kind: "saved" };

/** Nodes whose source ranks at least as high as that of the network's name stay. */
function complete(draft: NetworkDraft, environment: Environment): void {
  const { network, origins } = draft;
  const from = origins.network;
  const where = originInWords(from);
  const rank = rankOf(from);
  if (rankOf(origins.networkPassphrase) < rank) {
    drop(draft, "network");
    return;
  }
  const saved = network === "local" ? LOCAL_NETWORK : savedNetwork(network, environment);
  if (saved === null) throw unknownNetwork(network, from);
  if ("invalid" in saved)
    throw configInvalid(
      phrase`${where} is "${network}", and ${saved.invalid} has no network that can be read.`,
      phrase`Show it with \`stellar network ls --long\`, or set ${flag("rpcUrl")} and ${flag("networkPassphrase")}.`,
    );
  const place: SettingOrigin = "path" in saved ? { kind: "file", path: saved.path } : from;
  if (rankOf(origins.networkPassphrase) === rank && draft.networkPassphrase !== saved.passphrase)
    throw configInvalid(
      phrase`${where} (network ${network}) and ${originInWords(origins.networkPassphrase)} contradict each other.`,
      "Set only one of the network's name and its passphrase.",
    );
  draft.networkPassphrase = saved.passphrase;
  origins.networkPassphrase = place;
  if (rankOf(origins.rpcUrl) > rank) {
    draft.rpcUrl = [saved.rpcUrl];
    origins.rpcUrl = place;
    // A header of a lower source is for the node of that source.
    if (rankOf(origins.rpcHeader) > rank) {
      draft.rpcHeader = "rpcHeaders" in saved ? saved.rpcHeaders : [];
      origins.rpcHeader = SAVED;
    }
  }
  if (rankOf(origins.horizonUrl) > rank) {
    draft.horizonUrl = "horizonUrl" in saved ? [saved.horizonUrl] : null;
    origins.horizonUrl = "horizonUrl" in saved ? place : DEFAULT_ORIGIN;
  }
}

function unknownNetwork(name: string, from: SettingOrigin): SvcError {
  const names = [...NETWORK_NAMES, "local"];
  const near = nearestWord(name, names);
  const where = originInWords(from);
  const error = from.kind === "flag" ? usageError : configInvalid;
  // The URL may contain a key.
  if (name.includes("://"))
    return error(
      phrase`${where} is the name of a network, and cannot be a URL.`,
      phrase`Pass the URL of a node with ${flag("rpcUrl")} or ${flag("horizonUrl")}.`,
    );
  return error(
    phrase`${where} cannot be "${name}".`,
    near === null
      ? `Use one of ${names.join(", ")}, or a network of \`stellar network ls\`.`
      : `Did you mean "${near}"?`,
  );
}

function checkHeaders(draft: NetworkDraft, { foundFile, readSecret }: NetworkSurroundings): void {
  const { origins } = draft;
  if (draft.rpcHeader.length === 0) return;
  if (isDefault(origins.rpcUrl)) {
    // A variable may be meant for other runs, but the rule of the row refuses the flag.
    if (rankOf(origins.rpcHeader) > 0) drop(draft, "rpcHeader");
    return;
  }
  if (origins.rpcUrl.kind === "file" && origins.rpcUrl.path === foundFile)
    throw configInvalid(
      `${foundFile} was found in the working directory and sets the RPC nodes; ` +
        `${originText(origins.rpcHeader)} is not sent to them.`,
      phrase`If you trust the file, pass it with ${flag("config")}. Otherwise use ${flag("rpcUrl")}.`,
    );
  if (rankOf(origins.rpcHeader) === SHARED || origins.rpcHeader.kind === "saved") return;
  draft.rpcHeader = draft.rpcHeader.map(({ name, value }): RpcHeader => {
    const [, scheme = "", file] = /^(.*?)@([^@]+)$/.exec(value) ?? [];
    const isFile = file !== undefined && (scheme === "" || scheme.endsWith(" "));
    return { name, value: isFile ? `${scheme}${readSecret(file)}` : value };
  });
}
