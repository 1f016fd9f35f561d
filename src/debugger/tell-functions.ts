// A profile that tells the functions inside the contracts' wasm.

import type { Execution } from "../model/execution.ts";
import type { SimulationRequest } from "../simulator/wire-schema.ts";
import { askInstrumented } from "./ask-instrumented.ts";
import type { LocateOptions } from "./locate-failure.ts";
import type { Engines } from "./replay.ts";

/** The execution with functions in its profile, where it has one and they can be had. */
export async function tellFunctions(
  engines: Engines,
  request: SimulationRequest,
  execution: Execution,
  { signal, locate = null }: LocateOptions,
): Promise<Execution> {
  if (execution.profile === null) return execution;
  const build = locate ?? { wasm: null };
  const told = await askInstrumented(engines, request, "functions", build, signal);
  if (typeof told === "string") {
    return { ...execution, functionsTold: { told: false, reason: told } };
  }
  const { profile, functionsTold } = told;
  if (profile === null || functionsTold === undefined) return execution;
  return { ...execution, profile, functionsTold };
}
