// The engines that a long-lived svc keeps for many users: pools of simulators, whose runs are
// reported, and the state of the latest ledger, which all simulations share while it is the latest.

import { systemClock } from "../../base/clock.ts";
import { SvcError } from "../../base/errors/errors.ts";
import type { SimulatorVersion } from "../../simulator/inspect-simulator.ts";
import {
  openPool,
  openRecordingPool,
  type PoolHealth,
  type PoolStatus,
  type SimulatorPool,
} from "../../simulator/pool.ts";
import type { SimulatorProgram } from "../../simulator/simulator-program.ts";
import { DEFAULT_WINDOW, type WorkerPoolOptions } from "../../simulator/worker-pool.ts";
import type { Config } from "../../sources/network-settings.ts";
import { type CurrentState, openCurrentState } from "../simulate/current-state.ts";
import { findRecorder } from "./find-simulator.ts";
import type { Nodes, OpenEngines } from "./open-engines.ts";
import type { Proofs } from "./open-proofs.ts";
import { openReadiness } from "./readiness.ts";

export type { PoolStatus };

export interface PoolChoice {
  readonly workers: number;
  /** The number of simulations that may wait. */
  readonly queue: number;
  readonly workerMemoryBytes: number;
  /** The CPU time of a run. */
  readonly simulationMilliseconds: number;
  /** The time of a run, for a worker that hangs. */
  readonly deadlineMilliseconds: number;
  /** True if the latest ledger and its entries may change, so that they are asked for each time. */
  readonly mayChange?: boolean;
  readonly proofs: Proofs;
  /** svc-sim, with the counter of its runs. */
  readonly program: SimulatorProgram;
  /** The version that svc-sim reported at the start. */
  readonly inspected: SimulatorVersion;
  /** The number of lost processes that belong to no pool. */
  readonly lost: () => number;
}

export interface PooledEngines extends OpenEngines, PoolHealth, AsyncDisposable {
  readonly simulator: SimulatorPool;
  /** The state that simulations run on. */
  readonly state: CurrentState;
  /** The reason why there is no svc-sim-recording; null if it is there. */
  readonly recorderMissing: SvcError | null;
  /** Null if svc-sim can be started, takes requests and answers. Never waits for work. */
  whyNotReady(): Promise<SvcError | null>;
}

/** Most simulations take a few milliseconds; the largest that networks allow, half a second. */
const SLOW_MILLISECONDS = 100;
/** Ledgers close about every five seconds, so two requests within a second mean the same ledger. */
const NEWEST_FOR_MILLISECONDS = 1_000;

/**
 * The number of requests that a daemon takes at a time: those that workers have, and those that
 * wait.
 */
export function capacityOf({ workers, queue }: Pick<PoolChoice, "workers" | "queue">): number {
  return workers * DEFAULT_WINDOW + queue;
}

export function openPools(config: Config, nodes: Nodes, choice: PoolChoice): PooledEngines {
  const { program } = choice;
  const options = poolOptions(choice);
  const simulator = openPool({ ...program, ...options });
  const state = openCurrentState({
    sources: nodes.sources,
    clock: systemClock,
    maximumAgeMilliseconds: choice.mayChange ? 0 : NEWEST_FOR_MILLISECONDS,
    ...(choice.mayChange && { mayChange: true }),
  });
  const recorderProgram = findRecorder(() => program);
  const recorder =
    recorderProgram instanceof SvcError
      ? null
      : openRecordingPool({ ...recorderProgram, ...options });
  const pools = recorder === null ? [simulator] : [simulator, recorder];
  const sum = (count: (pool: PoolHealth) => number) =>
    pools.reduce((total, each) => total + count(each), 0);
  const lost = () => sum((each) => each.status().lost) + choice.lost();
  const readiness = openReadiness(choice.inspected, { pool: options, lost });
  return {
    program,
    // A judgement keeps the thread busy that answers all requests.
    jobs: 1,
    simulator,
    recorder,
    recorderMissing: recorderProgram instanceof SvcError ? recorderProgram : null,
    state,
    ...(nodes.step && { step: nodes.step }),
    nodes: async () => nodes,
    proofs: choice.proofs,
    async simulation() {
      if (recorder === null) throw recorderProgram;
      const { networkPassphrase } = config;
      return { simulator: recorder, replayer: simulator, state, networkPassphrase };
    },
    residentBytes: () => sum((each) => each.residentBytes()),
    status: (): PoolStatus => ({
      workers: sum((each) => each.status().workers),
      queued: sum((each) => each.status().queued),
      inFlight: sum((each) => each.status().inFlight),
      lost: lost(),
    }),
    whyNotReady: readiness.whyNotReady,
    async [Symbol.asyncDispose]() {
      const disposed = [simulator, readiness, ...(recorder === null ? [] : [recorder])];
      await Promise.all(disposed.map((each) => each[Symbol.asyncDispose]()));
    },
  };
}

function poolOptions(choice: PoolChoice): WorkerPoolOptions {
  return {
    size: choice.workers,
    workerMemoryBytes: choice.workerMemoryBytes,
    cpuMilliseconds: choice.simulationMilliseconds,
    deadlineMilliseconds: choice.deadlineMilliseconds,
    slowMilliseconds: SLOW_MILLISECONDS,
  };
}
