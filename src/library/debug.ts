// Finds a transaction with the nodes of its network, and replays it.

import "./standard.ts";

import { systemClock } from "../base/clock.ts";
import { type HttpAttempt, openHttp } from "../base/http/http.ts";
import type { SettingOrigin } from "../base/settings/origin.ts";
import { debugTransaction } from "../debugger/walk/debug-transaction.ts";
import { LedgerReader } from "../ledgers/ledger-reader.ts";
import type { Investigation } from "../model/investigation.ts";
import { NETWORKS, type NetworkName, networkOfPassphrase } from "../model/networks.ts";
import { openConnected } from "../simulator/connected.ts";
import { LedgerEngine } from "../simulator/ledger-engine.ts";
import type { Config } from "../sources/network-settings.ts";
import { openSources } from "../sources/open-source.ts";
import { debugOptions, type ModuleOptions, programOf } from "./run.ts";
import { prepareRuntime } from "./runtime.ts";
import { prepareZstd } from "./zstd.ts";

/** The nodes of a network. A public network has them already. */
export interface WrittenNodes {
  readonly networkPassphrase: string;
  readonly horizonUrls: readonly string[];
  readonly rpcUrls: readonly string[];
}

export interface NetworkOptions extends ModuleOptions {
  readonly network: NetworkName | WrittenNodes;
  /** Called after each request to a node. */
  readonly asked?: (attempt: HttpAttempt) => void;
}

const TIMEOUT_MILLISECONDS = 60_000;

export { debugHash as debug };

/** Finds a transaction with the nodes of its network, and replays it. */
async function debugHash(hash: string, options: NetworkOptions): Promise<Investigation> {
  prepareRuntime();
  prepareZstd();
  const { network, asked, progress = () => {} } = options;
  const nodes = nodesOf(network);
  const { networkPassphrase } = nodes;
  const http = openHttp({
    clock: systemClock,
    timeoutMilliseconds: TIMEOUT_MILLISECONDS,
    userAgent: null,
    observe: asked,
  });
  const { sources, elsewhere } = openSources(
    { http, clock: systemClock, progress },
    {
      ...nodes,
      network: networkOfPassphrase(networkPassphrase) ?? "custom",
      origins: originsOf(network),
    },
  );
  const program = programOf(options);
  return debugTransaction(
    {
      sources,
      elsewhere,
      networkPassphrase,
      ledgers: new LedgerReader({ sources, networkPassphrase }),
      startEngine: (signal, choice) => new LedgerEngine({ ...program, ...choice }, 1, [], signal),
      simulator: openConnected(program),
      recorder: null,
      progress,
    },
    hash,
    debugOptions(options),
  );
}

function nodesOf(network: NetworkOptions["network"]): WrittenNodes {
  if (typeof network !== "string") return network;
  const { passphrase, horizonUrl, rpcUrl } = NETWORKS[network];
  return { networkPassphrase: passphrase, horizonUrls: [horizonUrl], rpcUrls: [rpcUrl] };
}

const DEFAULT: SettingOrigin = { kind: "default" };
const CHOSEN: SettingOrigin = { kind: "word", name: "network" };

/** Only nodes that nobody chose send a person to other networks. */
function originsOf(network: NetworkOptions["network"]): Config["origins"] {
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
