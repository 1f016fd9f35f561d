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
}

/** Codes of a run that its caller has left, that never began, or whose build was a wrong one. */
const NO_RUN: ReadonlySet<string> = new Set([
  ...["INTERRUPTED", "OVERLOADED", "SHUTTING_DOWN"],
  "WASM_DIFFERS",
]);

export function isRun(error: unknown): boolean {
  return !(error instanceof SvcError && NO_RUN.has(error.code)) && !isFaultOfClient(error);
}

/**
 * Counts the run. `ended`: whether an answer ends the run, or more is asked of it, so that it is
 * counted later.
 */
export async function countedRun<Answer>(
  { simulated }: SimulatorProgram,
  run: () => Promise<Answer>,
  ended: (answer: Answer) => boolean = () => true,
): Promise<Answer> {
  try {
    const answer = await run();
    if (ended(answer)) simulated?.("success");
    return answer;
  } catch (error) {
    if (isRun(error)) simulated?.("error");
    throw error;
  }
}
