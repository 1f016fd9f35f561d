// The following of `svc daemon --follow`: the engine that follows the network, and the sinks that
// receive its events.

import { availableParallelism } from "node:os";
import type { Registry } from "prom-client";
import { systemClock } from "../base/clock.ts";
import type { SvcError } from "../base/errors/errors.ts";
import { unlessAborted } from "../base/join-signals.ts";
import type { SimulatorSurroundings } from "../debugger/setup/find-simulator.ts";
import type { SharedHttp } from "../debugger/setup/open-nodes.ts";
import type { FollowLog } from "../ledgers/feed/feed-node.ts";
import type { FollowEvent, Following } from "../model/follow.ts";
import { ownLabels } from "../model/labels.ts";
import type { SimulatorProgram } from "../simulator/simulator-program.ts";
import type { Config } from "../sources/network-settings.ts";
import { openProtocolNotes } from "../sources/protocol-notes.ts";
import type { Standings } from "../sources/standing.ts";
import { followLedgers } from "./follow-ledgers.ts";
import { openFollowMetrics } from "./follow-metrics.ts";
import { openPosition } from "./follow-position.ts";
import type { FollowConfig } from "./follow-settings.ts";
import { type FollowStore, openFollowStore } from "./follow-store.ts";
import { openFollow } from "./open-follow.ts";
import { type DeliverDependencies, deliverTo, logDropped } from "./sinks/deliver.ts";
import { openSink } from "./sinks/open-sinks.ts";

/** The settings that the operator chose. */
export interface FollowChoice {
  readonly follow: FollowConfig;
  /** Writes to stdout. */
  readonly write: (text: string) => Promise<void>;
}

export interface FollowingOptions
  extends FollowChoice,
    Required<Pick<SharedHttp, "observe" | "answers">> {
  readonly config: Config;
  readonly surroundings: SimulatorSurroundings;
  readonly log: FollowLog;
  readonly registry: Registry;
  readonly standings: Standings;
  /** Called once for each run of svc-sim. */
  readonly simulated: SimulatorProgram["simulated"];
  /** Called for each engine that was lost. */
  readonly lost: SimulatorProgram["lost"];
  readonly stop: AbortSignal;
}

/** Opens the following. Throws FOLLOW_STATE_*, SIMULATOR_*, CONFIG_INVALID. */
export async function openFollowing(options: FollowingOptions): Promise<Following> {
  const { config, follow, surroundings, log, registry, observe, answers, standings } = options;
  const ending = new AbortController();
  const stop = AbortSignal.any([options.stop, ending.signal]);
  const sinks = follow.sinks.map((sink) => openSink(sink, systemClock, options.write));
  const opened = await openFollow(config, {
    surroundings,
    watch: watchOf(follow),
    fix: follow.fix,
    rehearseProtocol: follow.rehearseProtocol,
    successes: false,
    memoryBytes: follow.memoryMebibytes * 2 ** 20,
    jobs: follow.jobs ?? availableParallelism(),
    observe,
    answers,
    standings,
    noteProtocols: openProtocolNotes(log),
    simulated: options.simulated,
    lost: options.lost,
    signal: stop,
  });
  const store = openFollowStore(follow.state, config.networkPassphrase, sinks);
  for (const name of store.unknownSinks) removeSink(name, store, log);
  if (sinks.length === 0) log("warn", "no sink is set: events are only counted");
  const position = openPosition(systemClock, store.cursor, follow.notReadyBehindLedgers);
  const followMetrics = openFollowMetrics(registry, {
    clock: systemClock,
    sinks: sinks.map(({ name }) => name),
    rehearseProtocol: follow.rehearseProtocol,
    waiting: store.countWaiting,
    position,
  });
  const changes = openChanges();
  const following = followLedgers(
    {
      ...opened,
      store,
      log,
      report: async (events) => logAlarms(log, events),
      started: (ledger) => log("info", "following", { ledger, ...summaryOf(follow) }),
      shown: position.noteLatest,
      refused: followMetrics.refused,
      standsStill: position.noteStandstill,
      protocolUnknown: (error) => {
        if (position.unknownProtocol() === null) logUnknown(log, error);
        position.noteUnknownProtocol(error);
      },
      committed: (progress) => {
        if (progress.outcome !== null) position.noteVerified(progress);
        followMetrics.committed(progress);
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
  const delivery: DeliverDependencies = {
    queue: store,
    clock: systemClock,
    random: Math.random,
    changed: changes.next,
    attempted: followMetrics.attempted,
    log,
  };
  const limits = { giveUpMilliseconds: follow.giveUpAfter, mostWaiting: follow.mostWaiting };
  const delivering = sinks.map((sink) => deliverTo(sink, delivery, limits, stop));
  const ended = closeAfter(endOf([following, ...delivering], ending, options.stop), store, opened);
  // The code that awaits `ended` handles its failure.
  ended.catch(() => {});
  return {
    ended,
    whyNotReady: position.whyNotReady,
    async [Symbol.asyncDispose]() {
      ending.abort();
      await ended.catch(() => {});
    },
  };
}

function logUnknown(log: FollowLog, { code, message, remedy, details }: SvcError): void {
  const { ledger, protocolVersion } = details;
  log("error", "svc cannot follow further", {
    code,
    error: message,
    remedy,
    ledger: Number(ledger),
    protocol: Number(protocolVersion),
  });
}

function summaryOf({ state, sinks, watch }: FollowConfig) {
  return { state, sinks: sinks.map(({ name }) => name).join(","), watched: watch.length };
}

const READ_AT_ONCE = 500;

/** Drops the waiting events of a sink that the settings no longer have. */
function removeSink(sink: string, store: FollowStore, log: FollowLog): void {
  const events = store.countWaiting(sink);
  const reason = "the settings no longer have this sink";
  for (;;) {
    const waiting = store.waiting(sink, READ_AT_ONCE);
    const last = waiting.at(-1);
    if (last === undefined) break;
    logDropped(
      log,
      sink,
      reason,
      waiting.map(({ event }) => event),
    );
    store.delivered(sink, last.sequence);
  }
  store.removeSink(sink);
  log("warn", "sink removed", { sink, events });
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

/**
 * Logs problems of the chain, and of what svc could verify. Failures of transactions go only to the
 * sinks.
 */
function logAlarms(log: FollowLog, events: readonly FollowEvent[]): void {
  for (const event of events) {
    if (event.kind === "state-mismatch") {
      const { key, folded, onChain } = event.mismatch;
      log("error", "state mismatch", { ledger: event.ledger, key, folded, onChain });
    } else if (event.kind === "diverged" || event.kind === "inconclusive") {
      const level = event.kind === "diverged" ? "error" : "warn";
      const { ledger, hash, cause, detail } = event;
      log(level, event.kind, { ledger, hash, cause, detail });
    } else if (event.kind === "ledgers-skipped") {
      const { firstSkipped, lastSkipped } = event;
      log("error", "ledgers were not verified", { firstSkipped, lastSkipped });
    }
  }
}

function watchOf({ watch, functions, causes }: FollowConfig) {
  const things = watch.map(({ address, label }) => ({ address, label: label ?? null }));
  const labels = ownLabels(
    watch.flatMap(({ address, label }) => (label === undefined ? [] : [[address, label] as const])),
  );
  return { things, functions, causes, labels };
}

/** Resolves after all have ended. The first failure ends the others, and is thrown. */
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

/** Wakes the deliveries that wait for new events. */
function openChanges() {
  let { promise, resolve } = Promise.withResolvers<void>();
  return {
    note: () => {
      resolve();
      ({ promise, resolve } = Promise.withResolvers<void>());
    },
    next: (signal: AbortSignal) => unlessAborted(promise, signal),
  };
}
