// Where in its contract's code a transaction failed.

import type { CallNode, CodeLocation, Execution } from "../../model/execution.ts";
import type { ReplayRequest } from "../../simulator/wire-schema.ts";
import type { Engines } from "../run/replay.ts";
import { type NamedBuild, runInstrumented } from "../run/run-instrumented.ts";

export interface LocateOptions {
  readonly signal: AbortSignal;
  readonly locate?: NamedBuild | null;
}

/** Undefined where none was asked for, or it did not fail in a contract. */
export async function locateFailure(
  engines: Engines,
  request: ReplayRequest,
  execution: Execution,
  { locate = null, ...options }: LocateOptions,
): Promise<CodeLocation | undefined> {
  if (locate === null || !mayBeLocated(execution)) return undefined;
  const ran = await runInstrumented(engines, request, "locate", locate, options);
  return "reason" in ran ? { kind: "unknown", reason: ran.reason } : ran.location;
}

/** Without the network's limits, what they ended goes on. An upload runs no code. */
function mayBeLocated({ outcome, hostError, callTree }: Execution): boolean {
  if (callTree !== null && !failsInContract(callTree)) return false;
  return outcome.kind === "failed" && hostError !== null && hostError.type !== "Budget";
}

function failsInContract({ failed, contract, calls }: CallNode): boolean {
  return failed && (contract !== null || calls.some(failsInContract));
}
