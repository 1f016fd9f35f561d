// svc-sim as its openers get it: the path, the longest wait, and the counter of its runs. Every
// opener of this folder counts by the same rule, so that the metrics of a daemon miss no way of
// running.
// A run is one execution of a transaction. A process that ends, hangs or breaks its protocol while
// it is asked something else (to fold a ledger, to step) counts as one run that failed.

import { SvcError } from "../base/errors/errors.ts";
import { isFaultOfClient } from "./client-fault.ts";

/** `error`: the run ended without a result, whatever happened on chain. */
export type RunStatus = "success" | "error";

export interface SimulatorProgram {
  readonly path: string;
  /** The longest wait for one answer, where the way of running has no shorter one. */
  readonly patienceMilliseconds?: number | undefined;
  /** Called once for each run (default: runs are not counted). */
  readonly simulated?: ((status: RunStatus) => void) | undefined;
  /**
   * Called for each process without a pool that crashed, hung or broke its protocol while it was
   * asked, or could not be started. A pool counts those of its workers itself.
   */
  readonly lost?: (() => void) | undefined;
  /** Where its process dies, the work is done again by another: no run has failed so far. */
  readonly isRepeated?: boolean | undefined;
}

/** Codes of a run that its caller has left, that never began, or whose build was a wrong one. */
const NO_RUN: ReadonlySet<string> = new Set([
  "INTERRUPTED",
  "OVERLOADED",
  "SHUTTING_DOWN",
  "WASM_DIFFERS",
]);

/** Whether the error is that of a run, and not of a process whose work is done again. */
export function isFailedRun({ isRepeated }: SimulatorProgram, error: unknown): boolean {
  if (isRepeated && isDeath(error)) return false;
  return !(error instanceof SvcError && NO_RUN.has(error.code)) && !isFaultOfClient(error);
}

/** The process ended, or broke its protocol, by itself: another process may have the answer. */
const DEATHS: ReadonlySet<string> = new Set([
  "SIMULATOR_DIED",
  "SIMULATOR_INVALID_JSON",
  "SIMULATOR_OUT_OF_MEMORY",
]);
const LOSSES: ReadonlySet<string> = new Set([...DEATHS, "SIMULATOR_TIMEOUT"]);

export function isDeath(error: unknown): boolean {
  return error instanceof SvcError && DEATHS.has(error.code);
}

/** Counts the process whose answer is this error, where it is lost with it. */
export function countLoss({ lost }: SimulatorProgram, error: unknown): void {
  if (error instanceof SvcError && LOSSES.has(error.code)) lost?.();
}

/**
 * Does the work again, with another process, where the first one dies: the system may have killed
 * it. Work that kills its process fails the second time. `isLast`: a death fails the work.
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

/**
 * Counts the run. `ended`: whether an answer ends the run, or more is asked of it, so that it is
 * counted later.
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
