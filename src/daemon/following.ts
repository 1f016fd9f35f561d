// svc daemon --follow: the engine that follows the network, and the sinks that its events go to.

import { availableParallelism } from "node:os";
import { openDeadLetters } from "../alerts/dead-letters.ts";
import { type DeliverDependencies, deliverTo } from "../alerts/deliver.ts";
import { openSink } from "../alerts/open-sinks.ts";
import { systemClock } from "../base/clock.ts";
import { SvcError } from "../base/errors/errors.ts";
import type { HttpAttempt } from "../base/http/http.ts";
import type { Config } from "../base/settings/config.ts";
import type { FollowConfig } from "../base/settings/follow-config.ts";
import { type FollowProgress, followLedgers } from "../debugger/follow/follow-ledgers.ts";
import { type FollowStore, openFollowStore } from "../debugger/follow/follow-store.ts";
import { openFollow } from "../debugger/follow/open-follow.ts";
import type { SimulatorSurroundings } from "../debugger/setup/find-simulator.ts";
import type { FollowEvent } from "../model/follow.ts";
import type { Standings } from "../sources/standing.ts";
import { openFollowMetrics } from "./follow-metrics.ts";
import type { Metrics } from "./metrics.ts";
import type { EventLog } from "./request-log.ts";

/** What the operator has chosen. */
export interface FollowChoice {
  readonly follow: FollowConfig;
  /** To stdout. */
  readonly write: (text: string) => Promise<void>;
  /** Give what is in the dead letters to their sinks again. */
  readonly resend: boolean;
}

export interface FollowingOptions extends FollowChoice {
  readonly config: Config;
  readonly surroundings: SimulatorSurroundings;
  readonly log: EventLog;
  readonly metrics: Metrics;
  readonly observe: (attempt: HttpAttempt) => void;
  readonly standings: Standings;
  readonly stop: AbortSignal;
}

export interface Following {
  /** Null: it keeps up. */
  readonly whyNotReady: () => SvcError | null;
  /** Resolves after the stop. Throws what ends the following before. */
  readonly ended: Promise<void>;
}

/** Throws FOLLOW_STATE_INVALID, SIMULATOR_*, CONFIG_INVALID. */
export async function openFollowing(options: FollowingOptions): Promise<Following> {
  const { config, follow, surroundings, log, metrics, observe, standings } = options;
  const ending = new AbortController();
  const stop = AbortSignal.any([options.stop, ending.signal]);
  const clock = systemClock;
  const names = follow.sinks.map(({ name }) => name);
  const opened = await openFollow(config, {
    surroundings,
    watch: watchOf(follow),
    fix: follow.fix,
    rehearseProtocol: follow.rehearseProtocol,
    successes: false,
    memoryBytes: follow.memoryMebibytes * 2 ** 20,
    jobs: follow.jobs ?? availableParallelism(),
    observe,
    standings,
    signal: stop,
  });
  const store = openFollowStore(follow.state, config.networkPassphrase, names);
  const followMetrics = openFollowMetrics(metrics.registry, {
    clock,
    sinks: names,
    rehearseProtocol: follow.rehearseProtocol,
    waiting: store.countWaiting,
  });
  const changes = openChanges();
  let progress: FollowProgress | null = null;
  const following = followLedgers(
    {
      ...opened,
      store,
      log: (level, message, fields) => log.write(level, message, fields),
      report: async (events) => logAlarms(log, events),
      committed: (latest) => {
        progress = latest;
        followMetrics.committed(latest);
        changes.note();
      },
    },
    {
      network: config.network === "custom" ? config.networkPassphrase : config.network,
      fromLedger: null,
      untilLedger: null,
      behindLedgers: follow.behindLedgers,
      windowSeconds: Math.ceil(follow.window / 1000),
      backlog: { limit: follow.backlog.limit ?? null, policy: follow.backlog.policy ?? "catch-up" },
    },
    { signal: stop },
  );
  const delivering = deliverAll({ ...options, stop }, store, {
    clock,
    changed: changes.next,
    attempted: followMetrics.attempted,
  });
  const ended = closeAfter(endOf([following, ...delivering], ending, options.stop), store, opened);
  // Whoever waits for it handles its failure.
  ended.catch(() => {});
  return { ended, whyNotReady: () => behind(progress, follow.notReadyBehindLedgers) };
}

async function closeAfter(
  ended: Promise<void>,
  store: Disposable,
  opened: AsyncDisposable,
): Promise<void> {
  try {
    await ended;
  } finally {
    store[Symbol.dispose]();
    await opened[Symbol.asyncDispose]();
  }
}

/** What is wrong with the chain, or with what svc could verify. Failures are for the sinks. */
function logAlarms(log: EventLog, events: readonly FollowEvent[]): void {
  for (const event of events) {
    if (event.kind === "state-mismatch") {
      const { key, folded, onChain } = event.mismatch;
      log.write("error", "state mismatch", { ledger: event.ledger, key, folded, onChain });
    } else if (event.kind === "diverged" || event.kind === "inconclusive") {
      const level = event.kind === "diverged" ? "error" : "warn";
      const { ledger, hash, cause, detail } = event;
      log.write(level, event.kind, { ledger, hash, cause, detail });
    } else if (event.kind === "ledgers-skipped") {
      const { firstSkipped, lastSkipped } = event;
      log.write("error", "ledgers were not verified", { firstSkipped, lastSkipped });
    }
  }
}

function watchOf({ watch, functions, causes }: FollowConfig) {
  const things = watch.map(({ address, label }) => ({ address, label: label ?? null }));
  const labels = new Map(
    watch.flatMap(({ address, label }) => (label === undefined ? [] : [[address, label]])),
  );
  return { things, functions, causes, labels };
}

function deliverAll(
  { follow, log, write, resend, stop }: FollowingOptions,
  store: FollowStore,
  delivering: Pick<DeliverDependencies, "clock" | "changed" | "attempted">,
): Promise<never>[] {
  const { clock } = delivering;
  const deadLetters = openDeadLetters(follow.state, clock);
  const dependencies: DeliverDependencies = {
    ...delivering,
    queue: store,
    deadLetters,
    random: Math.random,
    log: (level, message, fields) => log.write(level, message, fields),
  };
  const limits = { giveUpMilliseconds: follow.giveUpAfter, mostWaiting: follow.mostWaiting };
  return follow.sinks.map((config) => {
    const { name } = config;
    if (resend) {
      const count = deadLetters.sendAgain(name, (events) => store.queueAgain(name, events));
      log.write("info", "dead letters are sent again", { sink: name, events: count });
    }
    return deliverTo(openSink(config, clock, write), dependencies, limits, stop);
  });
}

/** Resolves when all have ended. The first failure ends the others, and is thrown. */
async function endOf(
  runs: readonly Promise<unknown>[],
  ending: AbortController,
  stop: AbortSignal,
): Promise<void> {
  let failure: { readonly error: unknown } | null = null;
  const guarded = runs.map((run) =>
    run.catch((error: unknown) => {
      if (!stop.aborted) failure ??= { error };
      ending.abort(error);
    }),
  );
  await Promise.all(guarded);
  if (failure !== null) throw (failure as { readonly error: unknown }).error;
}

/** Wakes those that wait for new events. */
function openChanges() {
  let { promise, resolve } = Promise.withResolvers<void>();
  return {
    note: () => {
      resolve();
      ({ promise, resolve } = Promise.withResolvers<void>());
    },
    next: async (signal: AbortSignal) => {
      const { promise: aborted, reject } = Promise.withResolvers<never>();
      const onAbort = () => reject(signal.reason);
      if (signal.aborted) onAbort();
      signal.addEventListener("abort", onAbort, { once: true });
      try {
        await Promise.race([promise, aborted]);
      } finally {
        signal.removeEventListener("abort", onAbort);
      }
    },
  };
}

function behind(progress: FollowProgress | null, limit: number): SvcError | null {
  const waiting = progress === null ? null : progress.latest - progress.ledger;
  if (waiting !== null && waiting <= limit) return null;
  return new SvcError("FOLLOW_BEHIND", {
    message:
      waiting === null
        ? "No ledger is verified yet."
        : `svc is ${waiting} ledgers behind the network; up to ${limit} are normal.`,
    remedy: "Wait until it has caught up; release/RUNBOOK.md says what to do if it does not.",
  });
}
