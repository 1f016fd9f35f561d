// The nodes of a network, as a program names them.

import { systemClock } from "../base/clock.ts";
import { openHttp } from "../base/http/http.ts";
import type { SettingOrigin } from "../base/settings/origin.ts";
import { NETWORKS, networkOfPassphrase } from "../model/networks.ts";
import type { Config } from "../sources/network-settings.ts";
import { openSources } from "../sources/open-source.ts";
import { givenNetwork } from "./given.ts";
import type { NetworkNodes, NodeOptions } from "./options.ts";
import { prepareZstd } from "./zstd.ts";

const TIMEOUT_MILLISECONDS = 60_000;

export function openNodes(
  { network, onRequest }: NodeOptions,
  progress: (text: string) => void,
): ReturnType<typeof openSources> & { readonly networkPassphrase: string } {
  prepareZstd();
  const nodes = nodesOf(network);
  const { networkPassphrase } = nodes;
  const http = openHttp({
    clock: systemClock,
    timeoutMilliseconds: TIMEOUT_MILLISECONDS,
    userAgent: null,
    observe: onRequest,
  });
  const name = networkOfPassphrase(networkPassphrase) ?? "custom";
  const opened = openSources(
    { http, clock: systemClock, progress },
    { ...nodes, network: name, origins: originsOf(network) },
  );
  return { ...opened, networkPassphrase };
}

function nodesOf(network: NodeOptions["network"]): NetworkNodes {
  if (typeof network === "object" && network !== null) return network;
  const { passphrase, horizonUrl, rpcUrl } = NETWORKS[givenNetwork(network)];
  return { networkPassphrase: passphrase, horizonUrls: [horizonUrl], rpcUrls: [rpcUrl] };
}

const DEFAULT: SettingOrigin = { kind: "default" };
const CHOSEN: SettingOrigin = { kind: "word", name: "network" };

/** An error suggests other networks only if the nodes are those of a public network. */
function originsOf(network: NodeOptions["network"]): Config["origins"] {
  const origin = typeof network === "string" ? DEFAULT : CHOSEN;
  return {
    network: origin,
    networkPassphrase: origin,
    horizonUrl: origin,
    rpcUrl: origin,
    rpcHeader: DEFAULT,
    ledgerLakeUrl: DEFAULT,
    simPath: DEFAULT,
    timeout: DEFAULT,
  };
}
