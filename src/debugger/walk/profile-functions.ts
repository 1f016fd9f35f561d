// A profile that tells the functions inside the contracts' wasm.

import type { Execution } from "../../model/execution.ts";
import type { ReplayRequest } from "../../simulator/wire-schema.ts";
import type { Engines } from "../run/replay.ts";
import { askInstrumented } from "../run/run-instrumented.ts";
import type { LocateOptions } from "./locate-failure.ts";

/** The execution with functions in its profile, where it has one and they can be had. */
export async function profileFunctions(
  engines: Engines,
  request: ReplayRequest,
  execution: Execution,
  { signal, locate = null }: LocateOptions,
): Promise<Execution> {
  if (execution.profile === null) return execution;
  const build = locate ?? { wasm: null };
  const told = await askInstrumented(engines, request, "functions", build, signal);
  if (typeof told === "string") {
    return { ...execution, functionProfile: { available: false, reason: told } };
  }
  const { profile, functionProfile } = told;
  if (profile === null || functionProfile === undefined) return execution;
  return { ...execution, profile, functionProfile };
}
