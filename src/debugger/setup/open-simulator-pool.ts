// The pool of simulators that a long-lived svc keeps, opened from settings; each run is reported.

import { SvcError } from "../../base/errors/errors.ts";
import type { Config } from "../../base/settings/config.ts";
import { openPool, type PoolStatus, type SimulatorPool } from "../../simulator/pool.ts";
import { EMPTY_REQUEST } from "../../simulator/requests.ts";
import { findSimulator, type SimulatorSurroundings } from "./find-simulator.ts";

export type { PoolStatus };

export interface PoolChoice {
  readonly workers: number;
  /** Simulations that may wait. */
  readonly queue: number;
  readonly workerMemoryBytes: number;
  /** Told of each run: `error` when it could not be carried out, whatever happened on chain. */
  readonly simulated: (status: "success" | "error") => void;
}

export interface ObservedPool extends SimulatorPool {
  /** Null: a worker takes requests and answers. */
  whyNotReady(signal: AbortSignal): Promise<SvcError | null>;
}

/** A caller that left before its run, or one there was no room for, made no run. */
const NO_RUN = new Set(["INTERRUPTED", "OVERLOADED", "SHUTTING_DOWN"]);

/** Throws SIMULATOR_NOT_FOUND. */
export function openSimulatorPool(
  config: Config,
  surroundings: SimulatorSurroundings,
  { workers, queue, workerMemoryBytes, simulated }: PoolChoice,
): ObservedPool {
  const path = findSimulator(config, surroundings);
  const pool = openPool({ path, size: workers, queueLimit: queue, workerMemoryBytes });
  return {
    ...pool,
    replay: (request, options) => countedRun(pool.replay(request, options), simulated),
    respond: (request, options) => countedRun(pool.respond(request, options), simulated),
    async whyNotReady(signal) {
      try {
        await pool.replay(EMPTY_REQUEST, { signal });
        return null;
      } catch (error) {
        if (!(error instanceof SvcError)) throw error;
        // It was read, understood and refused: that is what a working svc-sim does with it.
        return error.code === "REQUEST_INVALID" ? null : error;
      }
    },
  };
}

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
