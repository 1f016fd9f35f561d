// What only a run with instrumented code shows is asked of svc-sim apart from the replay: neither
// that run nor hostile debug information may cost the answer that is there already.

import type { Execution } from "../../model/execution.ts";
import type { ReplayRequest } from "../../simulator/wire-schema.ts";
import { type OptionalRun, optionalRun } from "./optional-run.ts";
import type { Engines } from "./replay.ts";

/** A build of a contract's code, for its names; null: none. */
export interface NamedBuild {
  readonly wasm: Uint8Array | null;
}

const PURPOSES = {
  locate: "To find where the code stopped",
  functions: "To profile the functions of the code",
} as const;

/**
 * The replay once more, with instrumented code; why not, where it could not be carried out. Throws
 * a build of other code (WASM_DIFFERS).
 */
export async function runInstrumented(
  { simulator }: Engines,
  request: ReplayRequest,
  option: keyof typeof PURPOSES,
  { wasm }: NamedBuild,
  { signal }: Pick<OptionalRun, "signal">,
): Promise<Execution | { readonly reason: string }> {
  const named = wasm === null ? {} : { wasm: Buffer.from(wasm).toString("base64") };
  const options = { trace: true, diagnostics: true, [option]: named };
  const caveats: string[] = [];
  const run = () => simulator.replay({ ...request, options }, { signal });
  const ran = await optionalRun(PURPOSES[option], { signal, caveats }, run);
  return ran ?? { reason: caveats.join(" ").replace(/\.$/, "") };
}
