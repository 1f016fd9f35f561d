// Where in its contract's code a transaction failed. It is asked of svc-sim apart from the replay:
// svc-sim runs the transaction once more with instrumented code, and neither that run nor hostile
// debug information may cost the answer that is there already.

import { SvcError } from "../base/errors.ts";
import type { Execution } from "../model/execution.ts";
import type { SimulationRequest } from "../simulator/wire-schema.ts";
import type { Engines } from "./replay.ts";

export interface LocateOptions {
  readonly signal: AbortSignal;
  readonly locate?: { readonly wasm: Uint8Array | null } | null;
}

/** The execution with its `location`, where one was asked for and it failed in a contract. */
export async function locateFailure(
  { simulator }: Engines,
  request: SimulationRequest,
  execution: Execution,
  { signal, locate = null }: LocateOptions,
): Promise<Execution> {
  if (locate === null || !mayBeLocated(execution)) return execution;
  const wasm = locate.wasm === null ? {} : { wasm: Buffer.from(locate.wasm).toString("base64") };
  const asked = { ...request, options: { trace: true, diagnostics: true, locate: wasm } };
  try {
    const { location } = await simulator.simulate(asked, { signal });
    return location === undefined ? execution : { ...execution, location };
  } catch (error) {
    if (signal.aborted || !(error instanceof SvcError) || !ENDED_EARLY.has(error.code)) throw error;
    return { ...execution, location: { kind: "unknown", reason: error.message } };
  }
}

/** What the instrumented run may end with, and the replay not. */
const ENDED_EARLY = new Set(["SIMULATOR_TIMEOUT", "SIMULATOR_DIED", "SIMULATOR_FAILED"]);

/** Without the network's limits, what they ended goes on. */
function mayBeLocated({ outcome, hostError }: Execution): boolean {
  return outcome.kind === "failed" && hostError !== null && hostError.type !== "Budget";
}
