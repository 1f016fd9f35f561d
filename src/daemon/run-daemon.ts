// The daemon's life: simulator checked, workers and nodes opened, socket bound, requests answered
// until it is told to stop; then what is in flight is finished, within a limit.

import { systemClock } from "../base/clock.ts";
import type { Config } from "../base/config.ts";
import type { DaemonConfig } from "../base/daemon-config.ts";
import type { HttpAttempt } from "../base/http.ts";
import { debugTransaction } from "../debugger/debug-transaction.ts";
import { inspectFoundSimulator, type SimulatorSurroundings } from "../debugger/find-simulator.ts";
import { openSimulatorPool } from "../debugger/open-simulator-pool.ts";
import { openCapture } from "../debugger/open-walk.ts";
import { renderJson } from "../report/json.ts";
import { createApp } from "./app.ts";
import { openDebugService } from "./debug-service.ts";
import { shuttingDown } from "./error-response.ts";
import { openHealth } from "./health.ts";
import { listen } from "./listen.ts";
import { openMetrics } from "./metrics.ts";
import { BODY_RULES } from "./read-body.ts";
import type { EventLog } from "./request-log.ts";

export interface DaemonOptions {
  readonly config: Config;
  readonly daemon: DaemonConfig;
  readonly surroundings: SimulatorSurroundings;
  readonly log: EventLog;
  /** Aborted: stop. */
  readonly stop: AbortSignal;
}

/** Each walk asks nodes some dozen times. */
const MOST_WALKS = 32;
/** No answer may take longer than a connection may be silent. */
const LONGEST_REQUEST_MILLISECONDS = 240_000;

/** Resolves when the daemon has ended as it should. Throws when it cannot begin. */
export async function runDaemon(options: DaemonOptions): Promise<void> {
  const { config, daemon, surroundings, log, stop } = options;
  const clock = systemClock;
  const { version, hosts } = await inspectFoundSimulator(config, surroundings, { signal: stop });
  await using pool = openSimulatorPool(config, surroundings, {
    ...daemon,
    simulated: (status) => metrics.simulated(status),
  });
  const protocols = hosts.map(({ protocol }) => protocol);
  const health = openHealth({
    ...config,
    clock,
    stopping: stop,
    simulator: () => ({ version, protocols, ...pool.status() }),
  });
  const metrics = openMetrics({
    network: config.network,
    clock,
    gauges: {
      queueDepth: () => pool.status().queued,
      simulationsInFlight: () => pool.status().inFlight,
      requestsInFlight: () => app.inFlight(),
      workers: () => pool.status().workers,
      workersLost: () => pool.status().lost,
      workerMemoryBytes: () => pool.residentBytes(),
    },
  });
  const observe = (attempt: HttpAttempt) => {
    metrics.attempted(attempt);
    health.attempted(attempt);
  };
  const capture = openCapture(config, { ledgerFiles: [], progress: () => {}, observe });
  const { debug } = openDebugService({
    mostWalks: MOST_WALKS,
    walk:
      (hash) =>
      async ({ signal, progress }) =>
        renderJson(
          await debugTransaction({ ...capture, simulator: pool, progress }, hash, { signal }),
        ),
  });
  const ending = new AbortController();
  const timeoutMilliseconds = Math.min(config.timeoutMilliseconds, LONGEST_REQUEST_MILLISECONDS);
  const app = createApp(
    {
      network: config.network,
      metrics,
      log,
      clock,
      debug,
      health: health.read,
      whyNotReady: async (signal) => (stop.aborted ? shuttingDown() : pool.whyNotReady(signal)),
    },
    {
      token: daemon.token,
      timeoutMilliseconds,
      bodyRules: BODY_RULES,
      stopping: stop,
      ending: ending.signal,
    },
  );
  const listener = await listen(daemon, app.fetch);
  log.write("info", "listening", { address: listener.address, network: config.network });
  await aborted(stop);
  log.write("info", "stopping", { requestsInFlight: app.inFlight() });
  const late = setTimeout(() => ending.abort(shuttingDown()), daemon.drainMilliseconds);
  await listener.drain();
  clearTimeout(late);
  await listener.close();
  log.write("info", "stopped");
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
