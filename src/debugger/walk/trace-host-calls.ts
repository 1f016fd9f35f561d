// What an authorization was required for, and which entry a contract missed, is in what the
// contracts asked of the host. Such a failure is run once more, with those calls recorded.

import { plainStep } from "../../base/step.ts";
import type { CallNode, Execution } from "../../model/execution.ts";
import type { Snapshot } from "../../model/snapshot.ts";
import type { ReplayRequest } from "../../simulator/wire-schema.ts";
import { readDiagnosticErrors } from "../../xdr/outcome/diagnostics.ts";
import { isSorobanKey } from "../../xdr/reader/keys.ts";
import { type OptionalRun, optionalRun } from "../run/optional-run.ts";
import type { Engines } from "../run/replay.ts";

/** The call tree with the host calls; null where nothing is to be gained, or it cannot be had. */
export async function traceHostCalls(
  { simulator, step = plainStep }: Engines,
  request: ReplayRequest,
  execution: Execution,
  snapshot: Snapshot,
  options: OptionalRun,
): Promise<CallNode | null> {
  if (request.options?.trace === "host_calls" || !gains(execution, snapshot)) return null;
  const traced = { ...request, options: { ...request.options, trace: "host_calls" as const } };
  const ran = await optionalRun("To see what the contracts asked of the host", options, () =>
    step("replay", () => simulator.replay(traced, options)),
  );
  return ran?.callTree ?? null;
}

/**
 * Errors of authorization, and errors in contracts that often come from an entry that is absent.
 */
function gains({ outcome, diagnosticsXdr }: Execution, { entries }: Snapshot): boolean {
  if (outcome.kind !== "failed") return false;
  const types = new Set(readDiagnosticErrors(diagnosticsXdr).map(({ type }) => type));
  const lacksAnEntry = entries.some(
    ({ keyXdr, entryXdr }) => entryXdr === null && isSorobanKey(keyXdr),
  );
  return types.has("Auth") || (types.has("Contract") && lacksAnEntry);
}
