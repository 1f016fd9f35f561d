// What an authorization was required for stands in what the contracts asked of the host. A failure
// for want of one is run once more, with those calls recorded, and explained again with them.

import { plainStep } from "../base/step.ts";
import { type ExplainOptions, explain } from "../explain/explain.ts";
import type { Explanation } from "../model/explanation.ts";
import type { SimulationRequest } from "../simulator/wire-schema.ts";
import type { Engines, Replayed } from "./replay.ts";
import type { Replayable } from "./run-variant.ts";

const KINDS: ReadonlySet<string> = new Set(["authorization-missing", "authorization-mismatch"]);

/** The explanation as it is where nothing is to be gained. Throws what the simulator throws. */
export async function traceAuthorization(
  { simulator, step = plainStep }: Engines,
  { recording, snapshot, execution, verdict }: Replayable & Replayed,
  explanation: Explanation,
  request: SimulationRequest,
  options: ExplainOptions & { readonly signal: AbortSignal },
): Promise<Explanation> {
  const { options: asked } = request;
  if (!KINDS.has(explanation.cause?.kind ?? "") || asked?.trace === "host_calls")
    return explanation;
  const traced: SimulationRequest = { ...request, options: { ...asked, trace: "host_calls" } };
  const { callTree } = await step("simulation", () => simulator.simulate(traced, options));
  const told = { ...options, tracedTree: callTree };
  return step("explanation", () => explain(recording, snapshot, execution, verdict, told));
}
