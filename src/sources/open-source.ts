// Opens the sources of a walk from settings, in the order of requests: Horizon nodes, Stellar RPC
// nodes, ledger lakes, local sources, the public lake. ask-in-turn.ts does the failover.

import type { Clock } from "../base/clock.ts";
import type { Http } from "../base/http/http.ts";
import { isDefault } from "../base/settings/origin.ts";
import { NETWORK_NAMES, NETWORKS, type PublicLake } from "../model/networks.ts";
import type { Config } from "../sources/network-settings.ts";
import { around } from "./around.ts";
import { fetchHorizonNetwork as networkOfHorizon, openHorizon } from "./nodes/horizon.ts";
import { openLedgerLake } from "./nodes/ledger-lake.ts";
import { ofNetwork } from "./nodes/of-network.ts";
import { openPublicLake } from "./nodes/public-lake.ts";
import { openRpc } from "./nodes/rpc.ts";
import { fetchNetwork as networkOfRpc } from "./nodes/rpc-tip.ts";
import type { NoteProtocols } from "./protocol-notes.ts";
import type { FetchContext, Source } from "./source.ts";
import { type NodeKind, openStandings, type Standings } from "./standing.ts";

export interface SourceSettings
  extends Pick<Config, "network" | "networkPassphrase" | "horizonUrls" | "rpcUrls" | "origins"> {
  /** True if the RPC nodes are a fork. */
  readonly isFork?: boolean;
  /** SEP-54 ledger lakes over HTTP. */
  readonly ledgerUrls?: readonly string[];
  /** The public lake, which is asked after all others. */
  readonly publicLake?: PublicLake | null;
  /** Sources without a network, such as ledger files, which the caller opens. */
  readonly local?: readonly Source[];
}

/** Another network, and one of its nodes. */
export interface Elsewhere {
  readonly network: string;
  readonly source: Source;
}

export interface OpenSources {
  readonly sources: readonly Source[];
  /** The other public networks; empty if the user sets nodes. */
  readonly elsewhere: readonly Elsewhere[];
}

export interface OpenSourceDependencies {
  readonly http: Http;
  readonly clock: Clock;
  /** The standings of the nodes (default: those of these sources alone). */
  readonly standings?: Standings | undefined;
  readonly progress?: ((text: string) => void) | undefined;
  readonly noteProtocols?: NoteProtocols | undefined;
}

export function openSources(
  {
    http,
    clock,
    standings = openStandings({ clock }),
    progress = () => {},
    noteProtocols,
  }: OpenSourceDependencies,
  settings: SourceSettings,
): OpenSources {
  const { networkPassphrase, ledgerUrls = [], local = [], publicLake } = settings;
  const steady = (kind: NodeKind, url: string, source: Source): Source => {
    const standing = standings(kind, url);
    return { ...around(source, () => (ask) => standing.run(ask)), standing };
  };
  const remote = [
    ...settings.horizonUrls.map((url) => {
      const ask = (context: FetchContext) => networkOfHorizon({ http, url }, context);
      return steady(
        "horizon",
        url,
        ofNetwork(openHorizon({ http, url }), networkPassphrase, ask, noteProtocols),
      );
    }),
    ...settings.rpcUrls.map((url) => {
      const ask = (context: FetchContext) => networkOfRpc({ http, url }, context);
      const node = openRpc({ http, url }, settings.isFork);
      return steady("rpc", url, ofNetwork(node, networkPassphrase, ask, noteProtocols));
    }),
    ...ledgerUrls.map((url) =>
      steady("ledgers", url, openLedgerLake({ http, url, networkPassphrase })),
    ),
  ];
  const last = publicLake
    ? [
        steady(
          "ledgers",
          publicLake.url,
          openPublicLake(publicLake, { http, networkPassphrase, progress }),
        ),
      ]
    : [];
  return {
    sources: namedApart([...remote, ...local, ...last]),
    elsewhere: openElsewhere(http, settings),
  };
}

/**
 * The part of a URL that distinguishes two nodes of one host may be a secret, so the nodes are
 * numbered.
 */
function namedApart(sources: readonly Source[]): Source[] {
  const seen = new Map<string, number>();
  return sources.map((source) => {
    const { name } = source;
    const number = (seen.get(name) ?? 0) + 1;
    seen.set(name, number);
    return number === 1 ? source : { ...source, name: `${name} (${number})` };
  });
}

function openElsewhere(http: Http, { network, origins }: SourceSettings): Elsewhere[] {
  if (network === "custom" || !isDefault(origins.horizonUrl)) return [];
  return NETWORK_NAMES.filter((name) => name !== network).map((name) => ({
    network: name,
    source: openHorizon({ http, url: NETWORKS[name].horizonUrl }),
  }));
}
