// Runs that show more, and that the answer does not depend on: where a transaction failed, what
// its calls asked of the host, whether a TTL matters, what would fix it. None of them may cost the
// answer, and none that failed goes unmentioned.

import { SvcError } from "../../base/errors/errors.ts";

export interface OptionalRun {
  readonly signal: AbortSignal;
  /** One sentence is added for each run that could not be done. */
  readonly caveats: string[];
}

/** A simulator that dies, takes too long or refuses. Input of the user's that does not fit is not. */
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
 * What `run` gives; null where it could not be carried out. `purpose`: what the run is for, as in
 * `To find where the code stopped`. Throws when it is interrupted, for a defect, and what does not
 * come of the simulator.
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
