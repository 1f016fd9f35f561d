// The walk: hash → Recording → Snapshot → Execution → Verdict → Explanation.

import type { Investigation } from "../../model/investigation.ts";
import type { Engines } from "../run/replay.ts";
import { type CaptureDependencies, captureTransaction } from "./capture-transaction.ts";
import { type DebugOptions, replayCaptured } from "./replay-captured.ts";

export type DebugDependencies = CaptureDependencies & Engines;

/** Throws what the sources and the simulator throw; a failing transaction is a value. */
export async function debugTransaction(
  dependencies: DebugDependencies,
  hash: string,
  options: DebugOptions,
): Promise<Investigation> {
  const captured = await captureTransaction(dependencies, hash, options);
  return replayCaptured(dependencies, captured, options);
}
