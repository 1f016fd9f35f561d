// The services of one server, created from its settings: simulators, nodes and metrics.

import { systemClock } from "../base/clock.ts";
import { SvcError } from "../base/errors/errors.ts";
import { type AnswerRoom, openAnswerRoom } from "../base/http/answer-room.ts";
import type { HttpAttempt } from "../base/http/http.ts";
import { phrase, svc } from "../base/phrase.ts";
import { findPage } from "../debugger/setup/find-page.ts";
import {
  findSimulator,
  inspectFoundSimulator,
  type SimulatorProgram,
  type SimulatorSurroundings,
  type SimulatorVersion,
} from "../debugger/setup/find-simulator.ts";
import { openConfiguredHttp } from "../debugger/setup/open-nodes.ts";
import { capacityOf, type PooledEngines } from "../debugger/setup/open-pools.ts";
import type { ProofOptions } from "../debugger/setup/open-proofs.ts";
import { completeRequest } from "../debugger/simulate/complete-request.ts";
import { httpMessageOf } from "../error-catalogue.ts";
import { networkInWords } from "../model/networks.ts";
import type { Tracing } from "../report/otlp/open-tracing.ts";
import type { Config } from "../sources/network-settings.ts";
import { PASSED_ON, type PassOnDependencies, passOn } from "../sources/nodes/pass-on.ts";
import { sendTransaction } from "../sources/nodes/send-transaction.ts";
import { openProtocolNotes } from "../sources/protocol-notes.ts";
import { type NodeEvent, openStandings, type Standings } from "../sources/standing.ts";
import { openPooledWork, type PooledWork } from "../tools/open-pooled-work.ts";
import type { Tools } from "../tools/tools.ts";
import type { OpenAgents } from "./agents.ts";
import { openHealth } from "./health.ts";
import { type Admission, admitted, openWorkRooms } from "./limits/admission.ts";
import { openAnswerMemory } from "./limits/answer-memory.ts";
import { Coalescer } from "./limits/coalesce.ts";
import { limitTools } from "./limits/limit-tools.ts";
import { type Gauges, type Metrics, openMetrics } from "./metrics.ts";
import { openRecentPages } from "./page/recent-pages.ts";
import type { EventLog } from "./request-log.ts";
import type { ServedNetwork } from "./route-table.ts";
import { shuttingDown } from "./routes/json-answer.ts";
import { parseDebugRequest, reportOf } from "./routes/route-debug.ts";
import { simulateMethod } from "./routes/simulate-method.ts";
import type { ServerConfig } from "./server-settings.ts";
import type { RpcMethod, Services } from "./services.ts";

export interface ServiceOptions {
  readonly config: Config;
  readonly server: ServerConfig;
  readonly surroundings: SimulatorSurroundings;
  readonly log: EventLog;
  /** Null if there are no traces. */
  readonly tracing: Tracing | null;
  /** The time limit of one request. */
  readonly timeoutMilliseconds: number;
  /** Aborted when the server shuts down. */
  readonly stop: AbortSignal;
  /** Opens calls of contracts by name; absent if the server makes none. */
  readonly calls?: OpenCalls;
  /** Null if there is no route for agents. */
  readonly agents: OpenAgents | null;
  /** The network that this process serves; absent if it uses the nodes of the settings. */
  readonly served?: ServedNetwork;
  /** Absent if the network is a fork, whose transactions no archive has. */
  readonly proof?: ProofOptions;
}

/** The name of the network for people. Labels of metrics have the one of the settings. */
function shownNetwork({ networkPassphrase, isFork }: Config, served?: ServedNetwork): string {
  return `${isFork || served !== undefined ? "fork of " : ""}${networkInWords(networkPassphrase)}`;
}

/** Empty if this svc has no forks. */
export type OpenCalls = (
  work: Pick<PooledWork, "program" | "nodes" | "proofs" | "tools">,
) => Pick<Tools, "call" | "describe">;

export interface OpenServices extends AsyncDisposable {
  readonly services: Services;
  /** All gauges except those of the requests and of readiness. */
  readonly gauges: Omit<Gauges, "requestsInFlight" | "whyNotReady">;
  /** Called after each attempt of a remote call. */
  readonly observe: (attempt: HttpAttempt) => void;
  /** The memory budget for answers of nodes, which all callers share. */
  readonly answers: AnswerRoom;
  /** The standings of the nodes, which all callers share. */
  readonly standings: Standings;
  /** Called for each lost process of svc-sim outside a pool. */
  readonly lost: SimulatorProgram["lost"];
}

/**
 * The deadline of one run. A large one takes half a second, or a few seconds with functions of
 * wasm.
 */
const USUAL_DEADLINE_MILLISECONDS = 20_000;
/**
 * The number of requests that may wait for nodes, for their turn, or for the run of another client.
 */
const LEAST_REQUESTS = 512;

/**
 * Opens the services. Throws SIMULATOR_* if svc-sim does not work, and CONFIG_INVALID without
 * nodes.
 */
export async function openServices(options: ServiceOptions): Promise<OpenServices> {
  const { config, server, surroundings, log, tracing, timeoutMilliseconds, stop, served } = options;
  const simulatorVersion = await inspectFoundSimulator(config, surroundings, { signal: stop });
  const clock = systemClock;
  const metrics = openMetrics({ network: config.network, clock });
  const health = openHealth({ ...config, clock, stopping: stop });
  const observe = (attempt: HttpAttempt) => {
    metrics.attempted(attempt);
    health.attempted(attempt);
    tracing?.observe(attempt);
  };
  const rested = (event: NodeEvent) => {
    metrics.rested(event);
    logRest(log, event);
  };
  const standings = openStandings({ clock, timeoutMilliseconds, observe: rested });
  const answers = openAnswerRoom();
  const traced = tracing === null ? {} : { step: tracing.step, headers: tracing.headers };
  const { program, lost } = programOf(options, metrics);
  const noteProtocols = openProtocolNotes(log.write);
  const deadlineMilliseconds = deadlineOf(server, timeoutMilliseconds);
  const own = { inspected: simulatorVersion, lost, mayChange: served !== undefined };
  const work = openPooledWork(config, {
    program,
    pool: { ...server, deadlineMilliseconds, ...own },
    capture: { standings, observe, answers, ...traced, noteProtocols },
    ownNodes: served?.nodes(program),
    proof: options.proof,
    proved: metrics.proved,
  });
  const shared = { observe, answers, standings, lost: program.lost };
  const { engines } = work;
  const { recorderMissing } = engines;
  if (recorderMissing !== null) logMissing(log, recorderMissing);
  const rooms = roomsOf(server);
  const answerMemory = openAnswerMemory(server.answerBytes);
  const tools = limitTools(toolsOf(work, options), { tracing, runs: rooms.runs });
  const { allowDirectory } = server;
  const beside = { tools, hasArchive: work.proofs.hasArchive, allowDirectory, timeoutMilliseconds };
  const passing = { ...config, standings, http: openConfiguredHttp(config, { observe, answers }) };
  const services: Services = {
    network: shownNetwork(config, options.served),
    metrics,
    log,
    clock,
    rooms,
    answerMemory,
    tools,
    answerAgents: options.agents?.(beside) ?? null,
    recent: openRecentPages(),
    ownPage: () => findPage(surroundings),
    simulate: openRawSimulation(engines, options),
    whyRefused: served?.whyRefused ?? (() => null),
    rpcMethods: withRoom(rooms.runs, {
      debugTransaction: async (parameters, run) =>
        reportOf(tools, parseDebugRequest(parameters), run),
      ...(served === undefined && passedOn(passing)),
      // Without the recording simulator, the nodes answer this method.
      ...(recorderMissing === null && { simulateTransaction: simulateMethod(engines) }),
      ...served?.rpcMethods(engines),
    }),
    missing: recorderMissing === null ? [] : ["svc-sim-recording"],
    health: () => health.read({ ...factsOf(simulatorVersion), ...engines.status() }),
    whyNotReady: async () => {
      if (stop.aborted) return shuttingDown();
      const problem = await engines.whyNotReady();
      return problem && notReady(problem);
    },
  };
  const gauges = {
    workers: engines.status,
    workerMemoryBytes: engines.residentBytes,
    bodyBytes: rooms.bodyBytes,
    answerBytes: answerMemory.bytes,
    resting: standings.resting,
    others: standings.others,
  };
  const close = () => engines[Symbol.asyncDispose]();
  return { services, gauges, ...shared, [Symbol.asyncDispose]: close };
}

function toolsOf(work: PooledWork, { calls }: ServiceOptions): Tools {
  return { ...work.tools, ...calls?.(work) };
}

function factsOf({ version, hosts }: SimulatorVersion) {
  return { version, protocols: hosts.map(({ protocol }) => protocol) };
}

/** The program svc-sim, and the number of its lost processes outside a pool. */
function programOf(
  { config, surroundings, server, timeoutMilliseconds }: ServiceOptions,
  { simulated }: Metrics,
) {
  let losses = 0;
  const program: SimulatorProgram = {
    path: findSimulator(config, surroundings),
    patienceMilliseconds: deadlineOf(server, timeoutMilliseconds),
    simulated,
    lost() {
      losses += 1;
    },
  };
  return { program, lost: () => losses };
}

/** Runs requests to svc-sim as clients write them. Requests with the same bytes share one run. */
function openRawSimulation(
  { simulator, state }: PooledEngines,
  { config, server, timeoutMilliseconds }: ServiceOptions,
): Services["simulate"] {
  const limits = server.simulationLimits;
  const defaults = {
    networkPassphrase: config.networkPassphrase,
    mostMilliseconds: timeoutMilliseconds,
    ownMilliseconds: Math.min(
      server.simulationMilliseconds,
      deadlineOf(server, timeoutMilliseconds),
    ),
    limits,
  };
  const runs = new Coalescer<string>();
  return (key, run, readParameters) =>
    runs.run(key, run, async ({ signal, client }) => {
      const { request, id, written } = await completeRequest(readParameters(), defaults, state, {
        signal,
      });
      return withId(await simulator.respond(request, { signal, client, written }), id);
    });
}

function logMissing(log: EventLog, { code, message }: SvcError): void {
  log.write("warn", "svc-sim-recording is missing", { code, error: message });
}

function logRest(log: EventLog, { node, failure, restMilliseconds }: NodeEvent): void {
  if (failure === null) {
    log.write("info", "node answers again", { node });
    return;
  }
  const { code, message } = failure;
  const duration = restMilliseconds === null ? {} : { restMilliseconds };
  const event = restMilliseconds === null ? "node fails" : "node rests";
  log.write("warn", event, { node, ...duration, code, error: message });
}

/** Adds the client's id to the response. The pool has removed svc-sim's own. */
function withId(response: string, id: unknown): string {
  return id === undefined ? response : `{"id":${JSON.stringify(id)},${response.slice(1)}`;
}

/**
 * The deadline is half of the time limit, so that a worker that hangs does not look like a failing
 * node.
 */
function deadlineOf({ simulationMilliseconds }: ServerConfig, timeoutMilliseconds: number): number {
  const usual = Math.max(USUAL_DEADLINE_MILLISECONDS, 2 * simulationMilliseconds);
  return Math.min(usual, Math.ceil(timeoutMilliseconds / 3));
}

/**
 * The error of /ready. The reason has a status of its own, which a load balancer may read as a
 * broken gateway.
 */
function notReady(reason: SvcError): SvcError {
  return new SvcError("NOT_READY", {
    message: `This server cannot simulate (${reason.code}): ${reason.message}`,
    httpMessage: `This server cannot simulate (${reason.code}): ${httpMessageOf(reason)}`,
    remedy: phrase`Read the log of this server; ${svc("doctor")} checks svc-sim.`,
    cause: reason,
  });
}

function roomsOf(server: ServerConfig) {
  const runs = capacityOf(server);
  const requests = Math.max(runs, LEAST_REQUESTS);
  return openWorkRooms({ runs, requests, bodyBytes: server.bodyBytes });
}

/** Lets simulateTransaction use the room of all runs, whether svc or a node answers it. */
function withRoom(runs: Admission, methods: Services["rpcMethods"]): Services["rpcMethods"] {
  const { simulateTransaction } = methods;
  if (simulateTransaction === undefined) return methods;
  return {
    ...methods,
    simulateTransaction: (parameters, run) =>
      admitted(runs, run, (inside) => simulateTransaction(parameters, { ...run, ...inside })),
  };
}

/** The methods of Stellar RPC that the nodes answer. */
function passedOn(dependencies: PassOnDependencies): Record<string, RpcMethod> {
  const reads = PASSED_ON.map((method): [string, RpcMethod] => [
    method,
    (parameters, waiter) => passOn(dependencies, { method, parameters }, waiter),
  ]);
  return {
    ...Object.fromEntries(reads),
    sendTransaction: async (parameters, waiter) =>
      JSON.stringify(await sendTransaction(dependencies, parameters, waiter)),
  };
}
