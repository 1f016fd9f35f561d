// The output of `svc-sim --version`: one JSON document (src/svc-sim/README.md).

import * as v from "valibot";
import { hostSchema } from "../model/execution.ts";
import type { Parsed } from "../model/wire.ts";
import { parseJson } from "./read-response.ts";
import { badAnswer, died, type SimulatorRun, timedOut } from "./simulator-error.ts";

/** svc-sim only prints constants: 3 ms on an idle machine. */
const PATIENCE_MILLISECONDS = 5_000;
const LIMIT_BYTES = 64 * 1024;

const versionSchema = v.object({ version: v.string(), hosts: v.array(hostSchema) });
export type SimulatorVersion = Parsed<typeof versionSchema> & { readonly path: string };

/** Throws SIMULATOR_DIED, SIMULATOR_TIMEOUT or SIMULATOR_INVALID_JSON. */
export async function inspectSimulator(
  path: string,
  { signal }: { readonly signal: AbortSignal },
): Promise<SimulatorVersion> {
  const helper = start(path, signal);
  const text = await new Response(helper.stdout).text();
  await helper.exited;
  signal.throwIfAborted();
  const run: SimulatorRun = { path, stderr: "" };
  if (helper.signalCode === "SIGKILL") throw timedOut(PATIENCE_MILLISECONDS, run);
  if (helper.exitCode !== 0) throw died(`ended with exit code ${helper.exitCode}`, run);
  if (text.length > LIMIT_BYTES) throw badAnswer(`is longer than ${LIMIT_BYTES} bytes`, text, run);
  const parsed = v.safeParse(versionSchema, parseJson(text, run));
  if (!parsed.success) throw badAnswer("does not list its hosts", text, run);
  return { path, ...parsed.output };
}

function start(path: string, signal: AbortSignal) {
  try {
    return Bun.spawn([path, "--version"], {
      stdin: "ignore",
      stdout: "pipe",
      stderr: "ignore",
      env: {},
      maxBuffer: LIMIT_BYTES,
      timeout: PATIENCE_MILLISECONDS,
      killSignal: "SIGKILL",
      signal,
    });
  } catch (cause) {
    throw died("could not be started", { path, stderr: "" }, cause);
  }
}
