// Reads the output of `svc-sim --version`: one JSON document (src/svc-sim/README.md).

import * as v from "valibot";
import type { Parsed } from "../base/wire.ts";
import { hostSchema } from "../model/execution.ts";
import { badAnswer, INSTALL_AGAIN } from "./simulator-error.ts";
import { SimulatorProcess } from "./simulator-process.ts";

/** svc-sim only prints constants: 3 ms on an idle machine. */
const PATIENCE_MILLISECONDS = 5_000;
const LIMIT_BYTES = 64 * 1024;

const versionSchema = v.object({ version: v.string(), hosts: v.array(hostSchema) });
export type SimulatorVersion = Parsed<typeof versionSchema> & { readonly path: string };

/** Runs `svc-sim --version`. Throws SIMULATOR_DIED, SIMULATOR_TIMEOUT or SIMULATOR_INVALID_JSON. */
export async function inspectSimulator(
  path: string,
  { signal }: { readonly signal: AbortSignal },
): Promise<SimulatorVersion> {
  await using simulator = new SimulatorProcess(path, ["--version"], LIMIT_BYTES);
  // No limit that the user sets changes how long constants take.
  const options = {
    signal,
    patienceMilliseconds: PATIENCE_MILLISECONDS,
    lateRemedy: INSTALL_AGAIN,
  };
  return await simulator.askOnly(
    "",
    (document, text, run) => {
      const parsed = v.safeParse(versionSchema, document);
      if (!parsed.success) throw badAnswer("does not list its hosts", text, run);
      return { path, ...parsed.output };
    },
    options,
  );
}
