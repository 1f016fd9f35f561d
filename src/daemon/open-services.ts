// The services of one daemon, created from its settings: simulators, nodes and metrics.

import { systemClock } from "../base/clock.ts";
import { SvcError } from "../base/errors/errors.ts";
import { type AnswerRoom, openAnswerRoom } from "../base/http/answer-room.ts";
import type { HttpAttempt } from "../base/http/http.ts";
import {
  findSimulator,
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
import type { Tracing } from "../report/otlp/open-tracing.ts";
import type { Config } from "../sources/network-settings.ts";
import { PASSED_ON, type PassOnDependencies, passOn } from "../sources/nodes/pass-on.ts";
import { sendTransaction } from "../sources/nodes/send-transaction.ts";
import { openStandings, type Standings } from "../sources/standing.ts";
import { openBodyRoom } from "./admission.ts";
import { Coalescer } from "./coalesce.ts";
import type { DaemonConfig } from "./daemon-settings.ts";
import { openInstruments } from "./instruments.ts";
import type { EventLog } from "./request-log.ts";
import { shuttingDown } from "./routes/error-response.ts";
import { parseDebugRequest } from "./routes/route-debug.ts";
import { simulateMethod } from "./routes/simulate-method.ts";
import type { RpcMethod, Services } from "./services.ts";
import { openWalkedServices } from "./walked-services.ts";

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
  /** Of nodes, to all that asks them. */
  readonly answers: AnswerRoom;
  /** Of the nodes, which all that asks them shares. */
  readonly standings: Standings;
}

/** Of one run. A large one takes half a second, or a few seconds with functions of wasm. */
const USUAL_DEADLINE_MILLISECONDS = 20_000;

function warnOfMissing(log: ServiceOptions["log"], { code, message }: SvcError): void {
  log.write("warn", "svc-sim-recording is missing", { code, error: message });
}

/** Throws SIMULATOR_* when svc-sim does not work, CONFIG_INVALID without nodes. */
export async function openServices(options: ServiceOptions): Promise<OpenServices> {
  const { config, daemon, surroundings, log, tracing, timeoutMilliseconds, stop } = options;
  const clock = systemClock;
  const bodies = openBodyRoom(daemon.bodyBytes);
  const { version, hosts } = await inspectFoundSimulator(config, surroundings, { signal: stop });
  const choice: PoolChoice = {
    ...daemon,
    deadlineMilliseconds: deadlineOf(daemon, timeoutMilliseconds),
    simulated: (status) => metrics.simulated(status),
  };
  const pool = openSimulatorPool(config, surroundings, choice);
  const protocols = hosts.map(({ protocol }) => protocol);
  const { metrics, health, attempted, rested } = openInstruments({
    ...options,
    clock,
    stopping: stop,
    simulator: () => ({ version, protocols, ...status() }),
    gauges: {
      requestsInFlight: options.requestsInFlight,
      workerMemoryBytes: () => pool.residentBytes() + (simulation.simulators?.residentBytes() ?? 0),
      bodyBytes: bodies.bytes,
      resting: () => standings.resting(),
    },
  });
  const standings = openStandings({ clock, timeoutMilliseconds, observe: rested });
  const traced = tracing === null ? {} : { step: tracing.step, headers: tracing.headers };
  const shared = { observe: attempted, answers: openAnswerRoom() };
  const nodes = { ledgerFiles: [], progress: () => {}, standings, ...shared, ...traced };
  const capture = { ...openCapture(config, nodes), ...traced };
  const replayed = { ...capture, clock, replayer: pool };
  const simulation = openSimulationPool(replayed, config, surroundings, choice);
  const { simulators: recorder, missing } = simulation;
  if (missing !== null) warnOfMissing(log, missing);
  const status = () => bothStatuses(pool.status(), simulation.simulators?.status() ?? null);
  const dependencies = { ...capture, simulator: pool, recorder };
  const simulatorPath = findSimulator(config, surroundings);
  const walked = openWalkedServices({ ...options, dependencies, simulation, simulatorPath });
  const limits = daemon.simulationLimits;
  const defaults = { ...config, mostMilliseconds: timeoutMilliseconds, limits };
  const simulations = new Coalescer<string>();
  const services: Services = {
    network: config.network,
    metrics,
    log,
    clock,
    bodies,
    ...walked,
    simulate: (key, waiter, request) =>
      simulations.run(key, waiter, async ({ signal, client }) => {
        const complete = completeRequest(request(), defaults, simulation.state, { signal });
        const { request: ready, id } = await complete;
        return withId(await pool.respond(ready, { signal, client }), id);
      }),
    rpcMethods: {
      debugTransaction: (parameters, waiter) =>
        walked.debug(parseDebugRequest(parameters).hash, waiter),
      ...passedOn({ ...config, standings, http: openConfiguredHttp(config, shared) }),
      // Without its simulator, the nodes answer it.
      ...(simulation.simulators && { simulateTransaction: simulateMethod(simulation) }),
    },
    missing: missing === null ? [] : ["svc-sim-recording"],
    health: health.read,
    whyNotReady: async () => {
      if (stop.aborted) return shuttingDown();
      const problem = await pool.whyNotReady();
      return problem && notReady(problem);
    },
  };
  return {
    services,
    ...shared,
    standings,
    async [Symbol.asyncDispose]() {
      await Promise.all([pool[Symbol.asyncDispose](), simulation[Symbol.asyncDispose]()]);
    },
  };
}

/** svc-sim's response begins with its own id, which the pool has taken off. */
function withId(response: string, id: unknown): string {
  return id === undefined ? response : `{"id":${JSON.stringify(id)},${response.slice(1)}`;
}

/** A worker that hangs must not look like a node that does: it is stopped in half the time. */
function deadlineOf({ simulationMilliseconds }: DaemonConfig, timeoutMilliseconds: number): number {
  const usual = Math.max(USUAL_DEADLINE_MILLISECONDS, 2 * simulationMilliseconds);
  return Math.min(usual, Math.ceil(timeoutMilliseconds / 3));
}

/** The reason has a status of its own, which a load balancer may read as a broken gateway. */
function notReady(reason: SvcError): SvcError {
  return new SvcError("NOT_READY", {
    message: `The daemon cannot simulate (${reason.code}): ${reason.message}`,
    remedy: "Read the daemon's log; `svc doctor` checks svc-sim.",
    cause: reason,
  });
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
function passedOn(dependencies: PassOnDependencies): Record<string, RpcMethod> {
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
