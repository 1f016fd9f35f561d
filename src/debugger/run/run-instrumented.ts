// What only a run with instrumented code tells is asked of svc-sim apart from the replay: neither
// that run nor hostile debug information may cost the answer that is there already.

import { SvcError } from "../../base/errors/errors.ts";
import type { Execution } from "../../model/execution.ts";
import type { ReplayRequest } from "../../simulator/wire-schema.ts";
import type { Engines } from "./replay.ts";

/** Of a contract's code; null: none. */
export interface NamedBuild {
  readonly wasm: Uint8Array | null;
}

/**
 * The replay once more, and what it tells beside. In words why it ended early, where it did and the
 * replay did not. Throws what else the simulator throws, a build of other code (WASM_DIFFERS) too.
 */
export async function askInstrumented(
  { simulator }: Engines,
  request: ReplayRequest,
  option: "locate" | "functions",
  { wasm }: NamedBuild,
  signal: AbortSignal,
): Promise<Execution | string> {
  const named = wasm === null ? {} : { wasm: Buffer.from(wasm).toString("base64") };
  const options = { trace: true, diagnostics: true, [option]: named };
  try {
    return await simulator.replay({ ...request, options }, { signal });
  } catch (error) {
    if (signal.aborted || !(error instanceof SvcError) || !ENDED_EARLY.has(error.code)) throw error;
    return error.message;
  }
}

const ENDED_EARLY = new Set(["SIMULATOR_TIMEOUT", "SIMULATOR_DIED", "SIMULATOR_FAILED"]);
