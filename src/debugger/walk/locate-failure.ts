// Where in its contract's code a transaction failed.

import type { Execution } from "../../model/execution.ts";
import type { ReplayRequest } from "../../simulator/wire-schema.ts";
import type { Engines } from "../run/replay.ts";
import { askInstrumented, type NamedBuild } from "../run/run-instrumented.ts";

export interface LocateOptions {
  readonly signal: AbortSignal;
  readonly locate?: NamedBuild | null;
}

/** The execution with its `location`, where one was asked for and it failed in a contract. */
export async function locateFailure(
  engines: Engines,
  request: ReplayRequest,
  execution: Execution,
  { signal, locate = null }: LocateOptions,
): Promise<Execution> {
  if (locate === null || !mayBeLocated(execution)) return execution;
  const told = await askInstrumented(engines, request, "locate", locate, signal);
  if (typeof told === "string") {
    return { ...execution, location: { kind: "unknown", reason: told } };
  }
  return told.location === undefined ? execution : { ...execution, location: told.location };
}

/** Without the network's limits, what they ended goes on. */
function mayBeLocated({ outcome, hostError }: Execution): boolean {
  return outcome.kind === "failed" && hostError !== null && hostError.type !== "Budget";
}
