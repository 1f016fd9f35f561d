// Runs the server: it opens the services, binds the socket, and answers requests until it has to
// stop. Then load balancers get time to notice that it is no longer ready, while it still answers.
// After that it finishes the open requests within a time limit.

import { type Clock, systemClock } from "../base/clock.ts";
import { SvcError } from "../base/errors/errors.ts";
import type { Following } from "../model/follow.ts";
import { type App, createApp } from "./app.ts";
import { openConnectionGuard } from "./limits/connection-guard.ts";
import { type Listener, listen } from "./listen.ts";
import type { ServiceOptions } from "./open-services.ts";
import { type OpenServices, openServices } from "./open-services.ts";
import { openProcessMetrics } from "./process-metrics.ts";
import type { EventLog } from "./request-log.ts";
import type { ServedNetwork } from "./route-table.ts";
import { asAnswer, shuttingDown } from "./routes/json-answer.ts";
import { readTokenFile, type ServerConfig } from "./server-settings.ts";
import { openServiceManager } from "./service-manager.ts";
import type { Services } from "./services.ts";
import type { StartFollowing } from "./start-following.ts";

export interface HttpServerOptions extends Omit<ServiceOptions, "timeoutMilliseconds"> {
  /** SIGHUP reads the certificate and the token again; SIGUSR1 does nothing. */
  readonly signals: ServerSignals;
  /** Null if it follows no network. */
  readonly following: StartFollowing | null;
  /** The environment, in which a service manager names its socket. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Measures the delay of the stop (default: the system's). */
  readonly clock?: Clock;
}

export interface ServerSignals {
  readonly on: (name: "SIGHUP" | "SIGUSR1", listener: () => void) => unknown;
}

/** Bun closes a connection that is silent for longer than WORK_SECONDS in reply.ts. */
const LONGEST_REQUEST_MILLISECONDS = 240_000;
/** The time after the drain, in which the last answers with that reason can leave. */
const LAST_ANSWERS_MILLISECONDS = 1000;
const NEVER = new AbortController().signal;

/**
 * Resolves when the server has ended normally. Throws the reason why it cannot start or continue.
 */
export async function runServer(options: HttpServerOptions): Promise<void> {
  try {
    await serveUntilStop(options);
  } finally {
    options.log.flush();
  }
}

async function serveUntilStop(options: HttpServerOptions): Promise<void> {
  const { config, server, log, signals, stop, served, clock = systemClock } = options;
  const refusing = new AbortController();
  // Without a listener, each of these signals would end the process.
  let reloadNow = async () => {};
  let reloaded = Promise.resolve();
  signals.on("SIGHUP", () => {
    reloaded = reloaded.then(() => (stop.aborted ? undefined : reloadNow()));
  });
  signals.on("SIGUSR1", () => log.write("info", "signal ignored", { signal: "SIGUSR1" }));
  const timeoutMilliseconds = Math.min(config.timeoutMilliseconds, LONGEST_REQUEST_MILLISECONDS);
  await using opened = await openServices({ ...options, timeoutMilliseconds });
  await using following = await startFollowing(options, opened);
  const ending = new AbortController();
  const services = withReadiness(opened.services, following, served);
  const app = createApp(services, {
    server,
    timeoutMilliseconds,
    stopping: refusing.signal,
    ending: ending.signal,
    ...(served && { more: served.routes(opened.services) }),
  });
  const { whyNotSaved } = served ?? {};
  opened.services.metrics.watch({
    ...opened.gauges,
    requestsInFlight: app.inFlight,
    whyNotReady: services.whyNotReady,
    ...(whyNotSaved && { isSaved: () => whyNotSaved() === null }),
  });
  using manager = openServiceManager({ ...options, processId: process.pid });
  const listener = await listen(server, app.fetch, served ? "fork" : "daemon");
  using guard = openConnectionGuard({ ...server.connectionLimits, ...listener, log });
  using _ = openProcessMetrics({ ...opened.services.metrics, connections: guard.count });
  log.write("info", "listening", { address: listener.address, network: config.network });
  try {
    await served?.listening(listener.address);
  } catch (error) {
    // An open listener would keep the process alive.
    await listener.close();
    throw error;
  }
  manager.ready(listener.address);
  reloadNow = () => reload(server, listener, app, log);
  const failure = await untilStop(stop, following);
  const delayMilliseconds =
    failure !== null || isInterrupt(stop.reason) ? 0 : server.shutdownDelayMilliseconds;
  log.write("info", "stopping", { requestsInFlight: app.inFlight(), delayMilliseconds });
  manager.stopping();
  listener.leave();
  if (delayMilliseconds > 0) await clock.sleep(delayMilliseconds, ending.signal);
  refusing.abort();
  const late = setTimeout(() => ending.abort(shuttingDown()), server.drainMilliseconds);
  // A client that keeps its connection, and neither sends on nor reads, does not keep the server.
  const overdue = aborted(ending.signal).then(() => clock.sleep(LAST_ANSWERS_MILLISECONDS, NEVER));
  await Promise.race([listener.drain(), overdue]);
  clearTimeout(late);
  await listener.close();
  if (failure === null) await following?.ended;
  log.write("info", "stopped");
  if (failure !== null) throw failure.error;
}

async function startFollowing(
  options: HttpServerOptions,
  { services: { metrics }, observe, answers, standings, lost }: OpenServices,
): Promise<Following | null> {
  const { following, log } = options;
  if (following === null) return null;
  const { registry, simulated } = metrics;
  const shared = { observe, answers, standings, registry, simulated, lost };
  return following({ ...options, ...shared, log: log.write });
}

function withReadiness(
  services: Services,
  following: Following | null,
  served: ServedNetwork | undefined,
): Services {
  const { whyNotReady } = services;
  return {
    ...services,
    whyNotReady: async () =>
      (await whyNotReady()) ?? following?.whyNotReady() ?? served?.whyNotSaved?.() ?? null,
  };
}

/** The error that ended the following before the stop; null at the stop. */
async function untilStop(
  stop: AbortSignal,
  following: Following | null,
): Promise<{ readonly error: unknown } | null> {
  const stopped = aborted(stop).then(() => null);
  if (following === null) return stopped;
  const failed = following.ended.then(
    () => stopped,
    (error: unknown) => ({ error }),
  );
  return Promise.race([stopped, failed]);
}

async function reload(
  { tokenFile, tls }: ServerConfig,
  listener: Listener,
  app: App,
  log: EventLog,
): Promise<void> {
  try {
    const token = tokenFile === null ? null : readTokenFile(tokenFile);
    const certificate = await listener.reload();
    if (token !== null) app.replaceToken(token);
    log.write("info", "reloaded", { token: token !== null, certificate });
    if (tls !== null && !certificate)
      log.write("warn", "the certificate of a Unix socket is read only at the start");
  } catch (thrown) {
    const { code, message } = asAnswer(thrown);
    log.write("error", "not reloaded", { code, error: message });
  }
}

/** Says whether a person at a terminal interrupts. Then there is no load balancer to wait for. */
function isInterrupt(reason: unknown): boolean {
  return reason instanceof SvcError && reason.details.signal === "SIGINT";
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
