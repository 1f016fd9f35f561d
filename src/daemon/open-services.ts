// The services of one daemon, created from its settings: simulators, nodes and metrics.

import { systemClock } from "../base/clock.ts";
import type { HttpAttempt } from "../base/http/http.ts";
import type { Config } from "../base/settings/config.ts";
import type { DaemonConfig } from "../base/settings/daemon-config.ts";
import {
  inspectFoundSimulator,
  type SimulatorSurroundings,
} from "../debugger/setup/find-simulator.ts";
import { openCapture, openConfiguredHttp } from "../debugger/setup/open-dependencies.ts";
import { openSimulationPool } from "../debugger/setup/open-simulation-pool.ts";
import {
  openSimulatorPool,
  type PoolChoice,
  type PoolStatus,
} from "../debugger/setup/open-simulator-pool.ts";
import { completeRequest } from "../debugger/simulate/complete-request.ts";
import { debugTransaction } from "../debugger/walk/debug-transaction.ts";
import { renderJson } from "../report/json.ts";
import type { Tracing } from "../report/otlp/open-tracing.ts";
import { PASSED_ON, passOn } from "../sources/nodes/pass-on.ts";
import { sendTransaction } from "../sources/nodes/send-transaction.ts";
import { Coalescer } from "./coalesce.ts";
import { openDebugService } from "./debug-service.ts";
import { openHealth } from "./health.ts";
import { openMetrics } from "./metrics.ts";
import type { EventLog } from "./request-log.ts";
import { shuttingDown } from "./routes/error-response.ts";
import { parseDebugRequest } from "./routes/route-debug.ts";
import { simulateMethod } from "./routes/simulate-method.ts";
import type { RpcMethod, Services } from "./services.ts";

export interface ServiceOptions {
  readonly config: Config;
  readonly daemon: DaemonConfig;
  readonly surroundings: SimulatorSurroundings;
  readonly log: EventLog;
  /** Null: no traces. */
  readonly tracing: Tracing | null;
  /** The time limit of one request. */
  readonly timeoutMilliseconds: number;
  /** Aborted: the daemon shuts down. */
  readonly stop: AbortSignal;
  readonly requestsInFlight: () => number;
}

export interface OpenServices extends AsyncDisposable {
  readonly services: Services;
  /** Told of each attempt at a remote call. */
  readonly observe: (attempt: HttpAttempt) => void;
}

/** Each walk makes about a dozen requests to nodes. */
const MOST_WALKS = 32;

/** Throws SIMULATOR_* when svc-sim does not work, CONFIG_INVALID without nodes. */
export async function openServices(options: ServiceOptions): Promise<OpenServices> {
  const { config, daemon, surroundings, log, tracing, timeoutMilliseconds, stop } = options;
  const clock = systemClock;
  const { version, hosts } = await inspectFoundSimulator(config, surroundings, { signal: stop });
  const choice: PoolChoice = { ...daemon, simulated: (status) => metrics.simulated(status) };
  const pool = openSimulatorPool(config, surroundings, choice);
  const protocols = hosts.map(({ protocol }) => protocol);
  const health = openHealth({
    ...config,
    clock,
    stopping: stop,
    simulator: () => ({ version, protocols, ...status() }),
  });
  const metrics = openMetrics({
    network: config.network,
    clock,
    gauges: {
      queueDepth: () => status().queued,
      simulationsInFlight: () => status().inFlight,
      requestsInFlight: options.requestsInFlight,
      workers: () => status().workers,
      workersLost: () => status().lost,
      workerMemoryBytes: () => pool.residentBytes() + (simulation.simulators?.residentBytes() ?? 0),
    },
  });
  const observe = (attempt: HttpAttempt) => {
    metrics.attempted(attempt);
    health.attempted(attempt);
    tracing?.observe(attempt);
  };
  const traced = tracing === null ? {} : { step: tracing.step, headers: tracing.headers };
  const capture = {
    ...openCapture(config, { ledgerFiles: [], progress: () => {}, observe, ...traced }),
    ...traced,
    simulator: pool,
  };
  const simulation = openSimulationPool({ ...capture, clock }, config, surroundings, choice);
  const { simulators: recorder } = simulation;
  const status = () => bothStatuses(pool.status(), simulation.simulators?.status() ?? null);
  const { debug } = openDebugService({
    mostWalks: MOST_WALKS,
    walk:
      (hash) =>
      async ({ signal, progress, traceparent }) => {
        const options = { signal, locate: { wasm: null } };
        const walk = () => debugTransaction({ ...capture, recorder, progress }, hash, options);
        return renderJson(
          await (tracing === null ? walk() : tracing.transaction(hash, walk, traceparent)),
        );
      },
  });
  const defaults = { ...config, mostMilliseconds: timeoutMilliseconds };
  const simulations = new Coalescer<string>();
  const services: Services = {
    network: config.network,
    metrics,
    log,
    clock,
    debug,
    simulate: (key, waiter, request) =>
      simulations.run(key, waiter, async ({ signal }) => {
        const complete = completeRequest(request(), defaults, simulation.state, { signal });
        return pool.respond(await complete, { signal });
      }),
    rpcMethods: {
      debugTransaction: (parameters, waiter) => debug(parseDebugRequest(parameters).hash, waiter),
      // The method does not exist without its simulator.
      ...(simulation.simulators && { simulateTransaction: simulateMethod(simulation) }),
      ...passedOn(config, observe),
    },
    health: health.read,
    whyNotReady: async (signal) => (stop.aborted ? shuttingDown() : pool.whyNotReady(signal)),
  };
  return {
    services,
    observe,
    async [Symbol.asyncDispose]() {
      await Promise.all([pool[Symbol.asyncDispose](), simulation[Symbol.asyncDispose]()]);
    },
  };
}

function bothStatuses(one: PoolStatus, other: PoolStatus | null): PoolStatus {
  if (other === null) return one;
  return {
    workers: one.workers + other.workers,
    queued: one.queued + other.queued,
    inFlight: one.inFlight + other.inFlight,
    lost: one.lost + other.lost,
  };
}

/** Methods of Stellar RPC that the nodes answer. */
function passedOn(
  config: Config,
  observe: (attempt: HttpAttempt) => void,
): Record<string, RpcMethod> {
  const dependencies = { ...config, http: openConfiguredHttp(config, observe) };
  const reads = PASSED_ON.map((method): [string, RpcMethod] => [
    method,
    async (parameters, waiter) =>
      JSON.stringify(await passOn(dependencies, { method, parameters }, waiter)),
  ]);
  return {
    ...Object.fromEntries(reads),
    sendTransaction: async (parameters, waiter) =>
      JSON.stringify(await sendTransaction(dependencies, parameters, waiter)),
  };
}
