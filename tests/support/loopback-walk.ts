// Sources of a walk that use a loopback server, each node with its own switches.

import { openHttp } from "../../src/base/http/http.ts";
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
  const networkPassphrase = loopback.network.passphrase;
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
  return { sources, elsewhere, networkPassphrase };
}

const ORIGINS = {
  network: "default",
  networkPassphrase: "--network-passphrase",
  horizonUrl: "--horizon-url",
  rpcUrl: "--rpc-url",
} as SourceSettings["origins"];
