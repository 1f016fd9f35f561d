// The pool of simulators that a long-lived svc keeps, opened from settings; each run is reported.

import { SvcError } from "../../base/errors/errors.ts";
import {
  openPool,
  type PoolOptions,
  type PoolStatus,
  type SimulatorPool,
} from "../../simulator/pool.ts";
import { EMPTY_REQUEST } from "../../simulator/requests.ts";
import { DEFAULT_WINDOW } from "../../simulator/worker-pool.ts";
import type { Config } from "../../sources/network-settings.ts";
import type { Engines } from "../run/replay.ts";
import { findSimulator, type SimulatorSurroundings } from "./find-simulator.ts";

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
  /** Told of each run: `error` when it could not be carried out, whatever happened on chain. */
  readonly simulated: (status: "success" | "error") => void;
}

export interface ObservedPool extends SimulatorPool {
  /** Null: svc-sim can be started, takes requests and answers. Never waits for work. */
  whyNotReady(): Promise<SvcError | null>;
}

/** Most simulations take a few milliseconds; the largest that networks allow, half a second. */
const SLOW_MILLISECONDS = 100;
/** An idle worker refuses the empty request in a millisecond, a new one in twenty. */
const PROBE_MILLISECONDS = 2_000;

/** Requests that a daemon takes at a time: those that workers have, and those that wait. */
export function capacityOf({ workers, queue }: Pick<PoolChoice, "workers" | "queue">): number {
  return workers * DEFAULT_WINDOW + queue;
}

export function poolOptions(path: string, choice: PoolChoice): PoolOptions {
  const { workers, queue, workerMemoryBytes, simulationMilliseconds, deadlineMilliseconds } =
    choice;
  return {
    path,
    size: workers,
    queueLimit: queue,
    workerMemoryBytes,
    cpuMilliseconds: simulationMilliseconds,
    deadlineMilliseconds,
    slowMilliseconds: SLOW_MILLISECONDS,
  };
}

/** The simulators of a walk, with runs for this client. */
export function forClient({ simulator, recorder }: Engines, client: string | undefined): Engines {
  return {
    simulator: {
      ...simulator,
      replay: (request, options) => simulator.replay(request, { ...options, client }),
    },
    ...(recorder && {
      recorder: {
        ...recorder,
        record: (request, options) => recorder.record(request, { ...options, client }),
      },
    }),
  };
}

/** A caller that left before its run, or one there was no room for, made no run. */
const NO_RUN = new Set(["INTERRUPTED", "OVERLOADED", "SHUTTING_DOWN"]);

/** Throws SIMULATOR_NOT_FOUND. */
export function openSimulatorPool(
  config: Config,
  surroundings: SimulatorSurroundings,
  choice: PoolChoice,
): ObservedPool {
  const { simulated } = choice;
  const options = poolOptions(findSimulator(config, surroundings), choice);
  const pool = openPool(options);
  // Readiness has a worker of its own, so that it does not wait for work.
  const probe = openPool({ ...options, size: 1, deadlineMilliseconds: PROBE_MILLISECONDS });
  let probing: Promise<SvcError | null> | null = null;
  return {
    ...pool,
    replay: (request, options) => countedRun(pool.replay(request, options), simulated),
    respond: (request, options) => countedRun(pool.respond(request, options), simulated),
    whyNotReady() {
      probing ??= problemOf(probe).finally(() => {
        probing = null;
      });
      return probing;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([pool[Symbol.asyncDispose](), probe[Symbol.asyncDispose]()]);
    },
  };
}

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

const NEVER = new AbortController().signal;

/** Reports the run's outcome. `ended`: whether an answer ends the run, or more is asked of it. */
export async function countedRun<Answer>(
  run: Promise<Answer>,
  simulated: PoolChoice["simulated"],
  ended: (answer: Answer) => boolean = () => true,
): Promise<Answer> {
  try {
    const answer = await run;
    if (ended(answer)) simulated("success");
    return answer;
  } catch (error) {
    if (!(error instanceof SvcError && NO_RUN.has(error.code))) simulated("error");
    throw error;
  }
}
