// Following, in this process: the engine with nodes on loopback, and all that it reported.

import { SIMULATOR_BINARY } from "../../scripts/ensure-built.ts";
import { systemClock } from "../../src/base/clock.ts";
import { openHttp } from "../../src/base/http/http.ts";
import {
  type FollowDependencies,
  type FollowOptions,
  type FollowProgress,
  followLedgers,
} from "../../src/follow/follow-ledgers.ts";
import type { FollowStore } from "../../src/follow/follow-store.ts";
import { openWatch, type WatchList } from "../../src/follow/watch-list.ts";
import type { FollowEvent, FollowTotals } from "../../src/model/follow.ts";
import { openLedgerEngine } from "../../src/simulator/open-processes.ts";
import { readLedgerFile } from "../../src/sources/files/ledger-file.ts";
import type { LedgerBytes } from "../../src/sources/files/ledger-stream.ts";
import { openSources } from "../../src/sources/open-source.ts";
import { openReplayEngines, type ReplayEngines } from "../../src/verify/replay-transaction.ts";
import { CORE_TEST_BINARY } from "./core-streams.ts";
import { NEVER_ABORTED } from "./loopback-walk.ts";

export const WATCH_ALL: WatchList = { things: [], functions: [], causes: [], labels: new Map() };

export interface FollowRun {
  readonly networkPassphrase: string;
  readonly rpcUrls: readonly string[];
  readonly ledgerUrls?: readonly string[];
  readonly engines: ReplayEngines;
  readonly options: Partial<FollowOptions>;
  readonly watch?: WatchList;
  readonly store?: FollowStore | null;
  readonly signal?: AbortSignal;
  readonly with?: Partial<FollowDependencies>;
  readonly committed?: (progress: FollowProgress) => void;
}

export interface Followed {
  readonly totals: FollowTotals;
  readonly events: readonly FollowEvent[];
  /** In the order in which they were committed. */
  readonly ledgers: readonly number[];
  readonly log: readonly string[];
}

export function testEngines(): ReplayEngines {
  return openReplayEngines({ path: SIMULATOR_BINARY }, 2);
}

/** For streams that a test build of stellar-core wrote. */
export function coreTestEngines(): ReplayEngines {
  return openReplayEngines({ path: CORE_TEST_BINARY }, 2);
}

export async function follow(run: FollowRun): Promise<Followed> {
  const { networkPassphrase, rpcUrls, ledgerUrls = [] } = run;
  const clock = systemClock;
  const http = openHttp({ clock, timeoutMilliseconds: 5000, userAgent: "svc/test" });
  const flag = (setting: string) => ({ kind: "flag", setting }) as const;
  const { sources } = openSources(
    { http, clock },
    {
      network: "custom",
      networkPassphrase,
      horizonUrls: [],
      rpcUrls,
      ledgerUrls,
      origins: {
        network: { kind: "default" },
        networkPassphrase: flag("networkPassphrase"),
        horizonUrl: flag("horizonUrl"),
        rpcUrl: flag("rpcUrl"),
      } as never,
    },
  );
  const events: FollowEvent[] = [];
  const ledgers: number[] = [];
  const log: string[] = [];
  const dependencies: FollowDependencies = {
    engines: run.engines,
    sources,
    networkPassphrase,
    watch: openWatch(run.watch ?? WATCH_ALL),
    fix: false,
    rehearseProtocol: null,
    successes: false,
    maximumBytes: 2 ** 26,
    startEngine: () => openLedgerEngine({ path: SIMULATOR_BINARY }, 1),
    clock,
    log: (_level, message) => log.push(message),
    store: run.store ?? null,
    report: async (some) => {
      events.push(...some);
    },
    committed: (progress) => {
      if (progress.outcome !== null) ledgers.push(progress.ledger);
      run.committed?.(progress);
    },
    pollMilliseconds: 5,
    ...run.with,
  };
  const options: FollowOptions = {
    network: "test",
    fromLedger: null,
    untilLedger: null,
    behindLedgers: 0,
    windowSeconds: 600,
    backlog: { limit: null, policy: "catch-up" },
    ...run.options,
  };
  const totals = await followLedgers(dependencies, options, {
    signal: run.signal ?? NEVER_ABORTED,
  });
  return { totals, events, ledgers, log };
}

export async function ledgersOfFile(path: string): Promise<LedgerBytes[]> {
  const ledgers: LedgerBytes[] = [];
  for await (const ledger of readLedgerFile(path, { signal: NEVER_ABORTED })) ledgers.push(ledger);
  return ledgers;
}
