// What an authorization was required for, and which entry a contract missed, stand in what the
// contracts asked of the host. Such a failure is run once more, with those calls recorded, and
// explained again with them.

import { plainStep } from "../../base/step.ts";
import { type ExplainOptions, explain } from "../../explain/explain.ts";
import type { Explanation } from "../../model/explanation.ts";
import type { Snapshot } from "../../model/snapshot.ts";
import type { ReplayRequest } from "../../simulator/wire-schema.ts";
import { isSorobanKey } from "../../xdr/reader/keys.ts";
import type { Engines, Replayed } from "../run/replay.ts";
import type { Replayable } from "../run/run-variant.ts";

const KINDS: ReadonlySet<string> = new Set(["authorization-missing", "authorization-mismatch"]);
/** Causes in contracts that often come from an entry that is not there. */
const KINDS_OF_CONTRACTS: ReadonlySet<string> = new Set(["contract-error"]);

/** The explanation as it is where nothing is to be gained. Throws what the simulator throws. */
export async function traceFailure(
  { simulator, step = plainStep }: Engines,
  { record, snapshot, execution, verdict }: Replayable & Replayed,
  explanation: Explanation,
  request: ReplayRequest,
  options: ExplainOptions & { readonly signal: AbortSignal },
): Promise<Explanation> {
  const { options: asked } = request;
  const kind = explanation.cause?.kind ?? "";
  const gains = KINDS.has(kind) || (KINDS_OF_CONTRACTS.has(kind) && lacksAnEntry(snapshot));
  if (!gains || asked?.trace === "host_calls") return explanation;
  const traced: ReplayRequest = { ...request, options: { ...asked, trace: "host_calls" } };
  const { callTree } = await step("replay", () => simulator.replay(traced, options));
  const told = { ...options, tracedTree: callTree };
  return step("explanation", () => explain(record, snapshot, execution, verdict, told));
}

function lacksAnEntry({ entries }: Snapshot): boolean {
  return entries.some(({ keyXdr, entryXdr }) => entryXdr === null && isSorobanKey(keyXdr));
}
