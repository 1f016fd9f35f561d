// Runs that add to the answer, such as where a transaction failed, whether a TTL matters, or what
// would fix it. None of them may cost the answer, and a caveat names each one that failed.

import { SvcError } from "../../base/errors/errors.ts";

export interface OptionalRun {
  readonly signal: AbortSignal;
  /** Gets a sentence for each run that failed. */
  readonly caveats: string[];
}

/**
 * Options of a run beside others. It has a list of its own, so that the order of the caveats does
 * not depend on which run fails first.
 */
export function besideOthers<Options extends OptionalRun>(options: Options): Options {
  return { ...options, caveats: [] };
}

/**
 * The errors of a simulator that dies, takes too long or refuses. The user has to correct any other
 * error.
 */
const OPTIONAL: ReadonlySet<string> = new Set([
  "SIMULATOR_OUT_OF_MEMORY",
  "SIMULATOR_NOT_FOUND",
  "SIMULATOR_REPLACED",
  "SIMULATOR_INVALID_JSON",
  "SIMULATOR_FAILED",
  "SIMULATOR_DIED",
  "SIMULATOR_TIMEOUT",
  "PROTOCOL_UNSUPPORTED",
]);

/**
 * Returns the result of `run`, or null if it could not be carried out. `purpose` says what the run
 * is for, as in `To find where the code stopped`. Throws if it is interrupted, for a defect of svc,
 * and for any error that does not come from the simulator.
 */
export async function optionalRun<T>(
  purpose: string,
  { signal, caveats }: OptionalRun,
  run: () => Promise<T>,
): Promise<T | null> {
  try {
    return await run();
  } catch (error) {
    if (signal.aborted || !(error instanceof SvcError) || !OPTIONAL.has(error.code)) throw error;
    caveats.push(
      `${purpose}, svc ran the transaction again, and that run failed: ${error.message}`,
    );
    return null;
  }
}
