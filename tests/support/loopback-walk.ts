// Sources of a walk that use a loopback server, each node with its own switches.

import { SIMULATOR_BINARY } from "../../scripts/ensure-built.ts";
import { openHttp } from "../../src/base/http/http.ts";
import {
  type ChainRecordDependencies,
  fetchChainRecord,
  findTransaction,
} from "../../src/ledgers/fetch-chain-record.ts";
import { LedgerReader } from "../../src/ledgers/ledger-reader.ts";
import { openLedgerEngine } from "../../src/simulator/open-processes.ts";
import { openSources, type SourceSettings } from "../../src/sources/open-source.ts";
import type { Loopback } from "./loopback-server.ts";
import { TestClock } from "./test-clock.ts";

export interface WalkNodes {
  /** Switches of the Horizon nodes, in order. */
  readonly horizon?: readonly string[];
  readonly rpc?: readonly string[];
  readonly more?: Partial<SourceSettings>;
  readonly clock?: TestClock;
}

export const NEVER_ABORTED = new AbortController().signal;

/** Waits between attempts end immediately; the time limit of an attempt never ends by itself. */
export function openWalk(loopback: Loopback, nodes: WalkNodes = {}) {
  const clock = nodes.clock ?? new TestClock({ grantedUpTo: 2000 });
  const http = openHttp({ clock, timeoutMilliseconds: 60_000, userAgent: "svc/test" });
  const { horizon = ["plain"], rpc = ["plain"] } = nodes;
  const { networkPassphrase = loopback.network.passphrase } = nodes.more ?? {};
  const { sources, elsewhere } = openSources(
    { http, clock },
    {
      network: "custom",
      networkPassphrase,
      horizonUrls: horizon.map((switches) => loopback.url("horizon", switches)),
      rpcUrls: rpc.map((switches) => loopback.url("rpc", switches)),
      origins: ORIGINS,
      ...nodes.more,
    },
  );
  const ledgers = new LedgerReader({ sources, networkPassphrase });
  const startEngine = () => openLedgerEngine({ path: SIMULATOR_BINARY }, 1);
  return { sources, ledgers, startEngine, elsewhere, networkPassphrase };
}

const ORIGINS = {
  network: { kind: "default" },
  networkPassphrase: { kind: "flag", setting: "networkPassphrase" },
  horizonUrl: { kind: "flag", setting: "horizonUrl" },
  rpcUrl: { kind: "flag", setting: "rpcUrl" },
} as SourceSettings["origins"];

/** The chain record of a transaction, as the walk fetches it. */
export async function recordOf(walk: ChainRecordDependencies, hash: string) {
  const context = { signal: NEVER_ABORTED };
  return fetchChainRecord(walk, await findTransaction(walk, hash, context), context);
}
