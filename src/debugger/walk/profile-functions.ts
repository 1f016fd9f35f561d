// A profile with the functions inside the contracts' wasm.

import type { Execution } from "../../model/execution.ts";
import type { ReplayRequest } from "../../simulator/wire-schema.ts";
import type { Engines } from "../run/replay.ts";
import { runInstrumented } from "../run/run-instrumented.ts";
import type { LocateOptions } from "./locate-failure.ts";

type Profiled = Pick<Execution, "profile" | "functionProfile">;

/** What of the execution it replaces: nothing where it has no profile. */
export async function profileFunctions(
  engines: Engines,
  request: ReplayRequest,
  execution: Execution,
  { locate, ...options }: LocateOptions,
): Promise<Partial<Profiled>> {
  if (execution.profile === null) return {};
  const build = locate ?? { wasm: null };
  const ran = await runInstrumented(engines, request, "functions", build, options);
  if ("reason" in ran) return { functionProfile: { available: false, reason: ran.reason } };
  const { profile, functionProfile } = ran;
  return profile === null || functionProfile === undefined ? {} : { profile, functionProfile };
}
