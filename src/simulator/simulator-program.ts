// The program svc-sim for the openers of this folder: its path, the longest wait, and the counter
// of its runs. Every opener counts by the same rule, so that the metrics of a daemon include every
// way of running. A run is one execution of a transaction. A process that ends, hangs or breaks its
// protocol during another question (to fold a ledger, to step) counts as one failed run.

import { SvcError } from "../base/errors/errors.ts";
import { isFaultOfClient } from "./client-fault.ts";

/** The status `error` means that the run ended without a result, whatever happened on chain. */
export type RunStatus = "success" | "error";

export interface SimulatorProgram {
  readonly path: string;
  /** The longest wait for one answer, if the way of running has no shorter one. */
  readonly patienceMilliseconds?: number | undefined;
  /** Called once for each run (default: runs are not counted). */
  readonly simulated?: ((status: RunStatus) => void) | undefined;
  /**
   * Called for each process outside a pool that crashed, hung, broke its protocol during a
   * question, or could not be started. A pool counts the processes of its workers itself.
   */
  readonly lost?: (() => void) | undefined;
  /** If the process dies, another process does the work again, so no run has failed yet. */
  readonly isRepeated?: boolean | undefined;
}

/** Codes of a run whose caller has left, that never began, or whose build was the wrong one. */
const NO_RUN: ReadonlySet<string> = new Set([
  "INTERRUPTED",
  "OVERLOADED",
  "SHUTTING_DOWN",
  "WASM_DIFFERS",
]);

/** Says whether the error belongs to a run, and not to a process whose work is done again. */
export function isFailedRun({ isRepeated }: SimulatorProgram, error: unknown): boolean {
  if (isRepeated && isDeath(error)) return false;
  return !(error instanceof SvcError && NO_RUN.has(error.code)) && !isFaultOfClient(error);
}

/**
 * Codes of a process that ended or broke its protocol by itself. Another process may have the
 * answer.
 */
const DEATHS: ReadonlySet<string> = new Set([
  "SIMULATOR_DIED",
  "SIMULATOR_INVALID_JSON",
  "SIMULATOR_OUT_OF_MEMORY",
]);
const LOSSES: ReadonlySet<string> = new Set([...DEATHS, "SIMULATOR_TIMEOUT"]);

export function isDeath(error: unknown): error is SvcError {
  return error instanceof SvcError && DEATHS.has(error.code);
}

/** Counts the process that is lost with this error, if one is. */
export function countLoss({ lost }: SimulatorProgram, error: unknown): void {
  if (error instanceof SvcError && LOSSES.has(error.code)) lost?.();
}

/**
 * Does the work again with another process if the first one dies, because the system may have
 * killed it. Work that kills its process fails the second time. With `isLast`, a death fails the
 * work.
 */
export async function withSecondProcess<Result>(
  work: (isLast: boolean) => Promise<Result>,
): Promise<Result> {
  try {
    return await work(false);
  } catch (error) {
    if (!isDeath(error)) throw error;
    return work(true);
  }
}

/** A process that is killed for want of memory may be killed again before the machine has some. */
const DEATHS_WITHOUT_PROGRESS = 2;

/**
 * Does long work again from where it had come, each time that its process dies. Where no more was
 * done since the deaths before, the work kills its process, and fails. `done`: how much was done.
 */
export async function withFurtherProcesses<Result>(
  work: (death: SvcError | null) => Promise<Result>,
  done: () => number,
): Promise<Result> {
  let [before, deaths] = [done(), 0];
  for (let death: SvcError | null = null; ; ) {
    try {
      return await work(death);
    } catch (error) {
      if (!isDeath(error)) throw error;
      deaths = done() === before ? deaths + 1 : 1;
      if (deaths > DEATHS_WITHOUT_PROGRESS) throw error;
      before = done();
      death = error;
    }
  }
}

/**
 * Counts the run. `ended` says whether an answer ends the run. If not, the run is counted after a
 * later answer.
 */
export async function countedRun<Answer>(
  program: SimulatorProgram,
  run: () => Promise<Answer>,
  ended: (answer: Answer) => boolean = () => true,
): Promise<Answer> {
  const { simulated } = program;
  try {
    const answer = await run();
    if (ended(answer)) simulated?.("success");
    return answer;
  } catch (error) {
    if (isFailedRun(program, error)) simulated?.("error");
    throw error;
  }
}
