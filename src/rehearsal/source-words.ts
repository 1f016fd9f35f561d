// The words with which `svc debug` finds a call of nodes or of an archive: its network, its nodes and
// its archive, as the user gave them.

import { hidesPart } from "../base/http/node-address.ts";
import { isDefault, isFlagOf, type SettingOrigin } from "../base/settings/origin.ts";
import { shellWord } from "../base/text/sentence.ts";

export interface NetworkChoice {
  readonly origins: Readonly<Record<Named, SettingOrigin>>;
  readonly network: string;
  readonly networkPassphrase: string | null;
  readonly horizonUrl: readonly string[] | null;
  readonly rpcUrl: readonly string[] | null;
  readonly ledgerLakeUrl: readonly string[] | null;
  readonly archive: boolean;
  readonly historyArchive: readonly string[] | null;
}

type Named = "network" | "networkPassphrase" | "horizonUrl" | "rpcUrl" | "ledgerLakeUrl";

export function wordsOfSource(choice: NetworkChoice): string {
  const { archive, historyArchive } = choice;
  const places = ((archive && historyArchive) || []).filter((each) => !hidesPart(each));
  const words = [
    ...passphraseWords(choice),
    ...places.map((each) => `--history-archive ${shellWord(each)}`),
    ...(archive ? [] : nodeWords(choice)),
  ];
  return words.map((word) => ` ${word}`).join("");
}

function passphraseWords({ origins, network, networkPassphrase }: NetworkChoice): string[] {
  if (!isDefault(origins.network)) return [`--network ${network}`];
  if (isDefault(origins.networkPassphrase) || networkPassphrase === null) return [];
  return [`--network-passphrase ${shellWord(networkPassphrase)}`];
}

/** A URL that contains a key is not printed: its environment variable is named instead. */
function nodeWords({ origins, horizonUrl, rpcUrl, ledgerLakeUrl }: NetworkChoice): string[] {
  const flags = [
    ["--horizon-url", origins.horizonUrl, horizonUrl, "SVC_HORIZON_URL"],
    ["--rpc-url", origins.rpcUrl, rpcUrl, "SVC_RPC_URL"],
    ["--ledger-lake-url", origins.ledgerLakeUrl, ledgerLakeUrl, "SVC_LEDGER_LAKE_URL"],
  ] as const;
  return flags.flatMap(([flag, origin, urls, variable]) => {
    if (isDefault(origin) || isOfNetwork(origin) || urls === null) return [];
    if (urls.some(hidesPart)) return [`${flag} "$${variable}"`];
    return [`${flag} ${urls.length === 0 ? "none" : shellWord(urls.join(","))}`];
  });
}

/** The node belongs to the network that the user named. */
function isOfNetwork(origin: SettingOrigin): boolean {
  const { kind } = origin;
  return isFlagOf(origin, "network") || (kind === "variable" && origin.name === "SVC_NETWORK");
}
