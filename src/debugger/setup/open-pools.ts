// The engines that a long-lived svc keeps for many who ask: pools of simulators, whose runs are
// reported, and the latest ledger's state, which all simulations share while it is the latest.

import { systemClock } from "../../base/clock.ts";
import { SvcError } from "../../base/errors/errors.ts";
import {
  openPool,
  openRecordingPool,
  type PoolHealth,
  type PoolStatus,
  type SimulatorPool,
} from "../../simulator/pool.ts";
import { EMPTY_REQUEST } from "../../simulator/requests.ts";
import type { SimulatorProgram } from "../../simulator/simulator-program.ts";
import { DEFAULT_WINDOW, type WorkerPoolOptions } from "../../simulator/worker-pool.ts";
import type { Config } from "../../sources/network-settings.ts";
import { type CurrentState, openCurrentState } from "../simulate/current-state.ts";
import { findRecorder } from "./find-simulator.ts";
import type { Nodes, OpenEngines } from "./open-engines.ts";
import type { Proofs } from "./open-proofs.ts";

export type { PoolStatus };

export interface PoolChoice {
  readonly workers: number;
  /** Simulations that may wait. */
  readonly queue: number;
  readonly workerMemoryBytes: number;
  /** CPU time of a run. */
  readonly simulationMilliseconds: number;
  /** Time of a run, for a worker that hangs. */
  readonly deadlineMilliseconds: number;
  /** The latest ledger is asked for each time, and what it holds: it may be changed. */
  readonly mayChange?: boolean;
  readonly proofs: Proofs;
  /** svc-sim, with who counts its runs. */
  readonly program: SimulatorProgram;
}

export interface PooledEngines extends OpenEngines, PoolHealth, AsyncDisposable {
  readonly simulator: SimulatorPool;
  /** The state that simulations run on. */
  readonly state: CurrentState;
  /** Why there is no svc-sim-recording; null: it is there. */
  readonly recorderMissing: SvcError | null;
  /** Null: svc-sim can be started, takes requests and answers. Never waits for work. */
  whyNotReady(): Promise<SvcError | null>;
}

/** Most simulations take a few milliseconds; the largest that networks allow, half a second. */
const SLOW_MILLISECONDS = 100;
/** An idle worker refuses the empty request in a millisecond, a new one in twenty. */
const PROBE_MILLISECONDS = 2_000;
/** Ledgers close every five seconds or so; who asks twice in one means the same. */
const NEWEST_FOR_MILLISECONDS = 1_000;

/** Requests that a daemon takes at a time: those that workers have, and those that wait. */
export function capacityOf({ workers, queue }: Pick<PoolChoice, "workers" | "queue">): number {
  return workers * DEFAULT_WINDOW + queue;
}

export function openPools(config: Config, nodes: Nodes, choice: PoolChoice): PooledEngines {
  const { program } = choice;
  const options = poolOptions(choice);
  const simulator = openPool({ ...program, ...options });
  // Readiness has a worker of its own, so that it does not wait for work, and its probes count as
  // no runs.
  const quick = { ...options, size: 1, deadlineMilliseconds: PROBE_MILLISECONDS };
  const probe = openPool({ path: program.path, ...quick });
  let probing: Promise<SvcError | null> | null = null;
  const state = openCurrentState({
    sources: nodes.sources,
    clock: systemClock,
    maximumAgeMilliseconds: choice.mayChange ? 0 : NEWEST_FOR_MILLISECONDS,
    ...(choice.mayChange && { mayChange: true }),
  });
  const found = findRecorder(() => program);
  const recorder = found instanceof SvcError ? null : openRecordingPool({ ...found, ...options });
  const pools = recorder === null ? [simulator] : [simulator, recorder];
  const sum = (count: (pool: PoolHealth) => number) =>
    pools.reduce((total, each) => total + count(each), 0);
  return {
    program,
    // Judging keeps the thread that answers everybody busy.
    jobs: 1,
    simulator,
    recorder,
    recorderMissing: found instanceof SvcError ? found : null,
    state,
    ...(nodes.step && { step: nodes.step }),
    nodes: async () => nodes,
    proofs: choice.proofs,
    async simulation() {
      if (recorder === null) throw found;
      const { networkPassphrase } = config;
      return { simulator: recorder, replayer: simulator, state, networkPassphrase };
    },
    residentBytes: () => sum((each) => each.residentBytes()),
    status: (): PoolStatus => ({
      workers: sum((each) => each.status().workers),
      queued: sum((each) => each.status().queued),
      inFlight: sum((each) => each.status().inFlight),
      lost: sum((each) => each.status().lost),
    }),
    whyNotReady() {
      probing ??= problemOf(probe).finally(() => {
        probing = null;
      });
      return probing;
    },
    async [Symbol.asyncDispose]() {
      const disposed = [simulator, probe, ...(recorder === null ? [] : [recorder])];
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

const NEVER = new AbortController().signal;

async function problemOf(pool: SimulatorPool): Promise<SvcError | null> {
  try {
    await pool.replay(EMPTY_REQUEST, { signal: NEVER });
    return null;
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    // It was read, understood and refused: that is what a working svc-sim does with it.
    return error.code === "REQUEST_INVALID" ? null : error;
  }
}
