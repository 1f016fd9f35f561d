// Settings → the sources of a walk, in the order of requests: Horizon nodes, Stellar RPC nodes,
// ledger lakes, ledger files. ask-in-turn.ts does the failover.

import type { Clock } from "../base/clock.ts";
import type { Http } from "../base/http/http.ts";
import type { Config } from "../base/settings/config.ts";
import { NETWORK_NAMES, NETWORKS } from "../base/settings/networks.ts";
import { openLedgerFiles } from "./files/ledger-file.ts";
import { openHorizon } from "./nodes/horizon.ts";
import { openLedgerLake } from "./nodes/ledger-lake.ts";
import { openRpc } from "./nodes/rpc.ts";
import { steadySource } from "./nodes/steady-source.ts";
import type { Elsewhere } from "./record/transaction-not-found.ts";
import type { Source } from "./source.ts";
import { openStandings, type Standings } from "./standing.ts";

export interface SourceSettings
  extends Pick<Config, "network" | "networkPassphrase" | "horizonUrls" | "rpcUrls" | "origins"> {
  /** SEP-54 ledger lakes over HTTP. */
  readonly ledgerUrls?: readonly string[];
  readonly ledgerFiles?: readonly string[];
}

export interface OpenSources {
  readonly sources: readonly Source[];
  /** The other public networks; empty when the user sets nodes. */
  readonly elsewhere: readonly Elsewhere[];
}

export interface OpenSourceDependencies {
  readonly http: Http;
  readonly clock: Clock;
  /** Of the nodes; of these sources alone when not given. */
  readonly standings?: Standings | undefined;
}

export function openSources(
  { http, clock, standings = openStandings({ clock }) }: OpenSourceDependencies,
  settings: SourceSettings,
): OpenSources {
  const { networkPassphrase, ledgerUrls = [], ledgerFiles = [] } = settings;
  const steady = (url: string, source: Source) => steadySource(source, standings(url));
  const remote = [
    ...settings.horizonUrls.map((url) => steady(url, openHorizon({ http, url }))),
    ...settings.rpcUrls.map((url) => steady(url, openRpc({ http, url }))),
    ...ledgerUrls.map((url) => steady(url, openLedgerLake({ http, url, networkPassphrase }))),
  ];
  const local = ledgerFiles.length === 0 ? [] : [openLedgerFiles(ledgerFiles, networkPassphrase)];
  return {
    sources: [...remote, ...local],
    elsewhere: openElsewhere(http, settings),
  };
}

function openElsewhere(http: Http, { network, origins }: SourceSettings): Elsewhere[] {
  if (origins.horizonUrl !== "default" || network === "custom") return [];
  return NETWORK_NAMES.filter((name) => name !== network).map((name) => ({
    network: name,
    source: openHorizon({ http, url: NETWORKS[name].horizonUrl }),
  }));
}
