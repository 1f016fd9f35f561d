// The nodes of a network, as a program names them.

import { systemClock } from "../base/clock.ts";
import { type HttpAttempt, openHttp } from "../base/http/http.ts";
import type { SettingOrigin } from "../base/settings/origin.ts";
import { NETWORKS, type NetworkName, networkOfPassphrase } from "../model/networks.ts";
import type { Config } from "../sources/network-settings.ts";
import { openSources } from "../sources/open-source.ts";
import { prepareZstd } from "./zstd.ts";

/** The nodes of a network. A public network has them already. */
export interface WrittenNodes {
  readonly networkPassphrase: string;
  readonly horizonUrls: readonly string[];
  readonly rpcUrls: readonly string[];
}

export interface NodeOptions {
  readonly network: NetworkName | WrittenNodes;
  /** Called after each request to a node. */
  readonly asked?: (attempt: HttpAttempt) => void;
}

const TIMEOUT_MILLISECONDS = 60_000;

export function openNodes(
  { network, asked }: NodeOptions,
  progress: (text: string) => void,
): ReturnType<typeof openSources> & { readonly networkPassphrase: string } {
  prepareZstd();
  const nodes = nodesOf(network);
  const { networkPassphrase } = nodes;
  const http = openHttp({
    clock: systemClock,
    timeoutMilliseconds: TIMEOUT_MILLISECONDS,
    userAgent: null,
    observe: asked,
  });
  const name = networkOfPassphrase(networkPassphrase) ?? "custom";
  const opened = openSources(
    { http, clock: systemClock, progress },
    { ...nodes, network: name, origins: originsOf(network) },
  );
  return { ...opened, networkPassphrase };
}

function nodesOf(network: NodeOptions["network"]): WrittenNodes {
  if (typeof network !== "string") return network;
  const { passphrase, horizonUrl, rpcUrl } = NETWORKS[network];
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
