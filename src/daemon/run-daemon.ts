// The life of the daemon: it opens the services, binds the socket, and answers requests until it
// has to stop; then it finishes the requests in flight, within a time limit.

import type { Config } from "../base/settings/config.ts";
import type { DaemonConfig } from "../base/settings/daemon-config.ts";
import type { SimulatorSurroundings } from "../debugger/setup/find-simulator.ts";
import { capacityOf } from "../debugger/setup/open-simulator-pool.ts";
import type { Tracing } from "../report/otlp/open-tracing.ts";
import { createApp } from "./app.ts";
import { listen } from "./listen.ts";
import { openServices } from "./open-services.ts";
import type { EventLog } from "./request-log.ts";
import { shuttingDown } from "./routes/error-response.ts";
import { BODY_RULES } from "./routes/read-body.ts";

export interface DaemonOptions {
  readonly config: Config;
  readonly daemon: DaemonConfig;
  readonly surroundings: SimulatorSurroundings;
  readonly log: EventLog;
  /** Null: no traces. */
  readonly tracing: Tracing | null;
  /** Aborted: stop. */
  readonly stop: AbortSignal;
}

/** Bun closes a connection that is silent for longer than IDLE_SECONDS in listen.ts. */
const LONGEST_REQUEST_MILLISECONDS = 240_000;

/** Resolves when the daemon has ended normally. Throws when it cannot start. */
export async function runDaemon(options: DaemonOptions): Promise<void> {
  const { config, daemon, log, stop } = options;
  const timeoutMilliseconds = Math.min(config.timeoutMilliseconds, LONGEST_REQUEST_MILLISECONDS);
  const requestsInFlight = () => app.inFlight();
  await using opened = await openServices({ ...options, timeoutMilliseconds, requestsInFlight });
  const ending = new AbortController();
  const app = createApp(opened.services, {
    daemon,
    capacity: capacityOf(daemon),
    timeoutMilliseconds,
    bodyRules: BODY_RULES,
    stopping: stop,
    ending: ending.signal,
  });
  const listener = await listen(daemon, app.fetch);
  log.write("info", "listening", { address: listener.address, network: config.network });
  await aborted(stop);
  log.write("info", "stopping", { requestsInFlight: app.inFlight() });
  const late = setTimeout(() => ending.abort(shuttingDown()), daemon.drainMilliseconds);
  await listener.drain();
  clearTimeout(late);
  await listener.close();
  log.write("info", "stopped");
  log.flush();
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
