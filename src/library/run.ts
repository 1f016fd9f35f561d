// How svc-sim as a module runs what the options say.

import { SvcError } from "../base/errors/errors.ts";
import { neutralise } from "../base/text/neutralise.ts";
import type { DebugOptions } from "../debugger/walk/replay-captured.ts";
import type { Overrides } from "../model/overrides.ts";
import { readOverrides } from "../overrides/read-overrides.ts";
import { openConnectedRecorder } from "../simulator/connected.ts";
import type { ConnectedProgram } from "../simulator/connection.ts";
import { connectModule, instanceInThread } from "../simulator/module/connection.ts";
import type { RecordingSimulator } from "../simulator/recording-simulator.ts";
import { givenModule } from "./given.ts";
import type { CapsuleOptions, LoadableModule, RunningOptions } from "./options.ts";

export function debugOptions({ signal, overrides }: CapsuleOptions): DebugOptions {
  return {
    signal: signal ?? new AbortController().signal,
    overrides: overrides === undefined ? null : overridesOf(overrides),
    locate: { wasm: null },
    profile: true,
    hostCalls: true,
  };
}

export function programOf({ module, ...where }: RunningOptions): ConnectedProgram {
  return connectedTo(module, "svc-sim.wasm", where);
}

/** svc-sim-recording. Its module is loaded when it is first used. */
export function recorderOf(
  loadable: LoadableModule,
  where: Pick<RunningOptions, "openInstance">,
): RecordingSimulator {
  const load = typeof loadable === "function" ? loadable : () => Promise.resolve(loadable);
  let loading: Promise<WebAssembly.Module> | null = null;
  const loadOnce = () => (loading ??= load());
  return openConnectedRecorder(async () =>
    connectedTo(await loadOnce(), "svc-sim-recording.wasm", where),
  );
}

/** Null if there is no module. */
export function optionalRecorder({
  recordingModule,
  ...where
}: CapsuleOptions): RecordingSimulator | null {
  return recordingModule === undefined ? null : recorderOf(recordingModule, where);
}

function connectedTo(
  module: WebAssembly.Module,
  path: string,
  { openInstance }: Pick<RunningOptions, "openInstance">,
): ConnectedProgram {
  if (openInstance !== undefined)
    return { path, connect: connectModule(() => openInstance(module), path) };
  const compiled = givenModule(module, path);
  return { path, connect: connectModule(() => instanceInThread(compiled), path) };
}

function overridesOf(document: unknown): Overrides {
  const read = readOverrides(document);
  if ("problems" in read) throw overridesInvalid(read.problems.join("; "));
  const { wasmFiles, ...overrides } = read;
  if (wasmFiles.size > 0) throw overridesInvalid("wasm: a page has no files for it");
  return { ...overrides, wasm: new Map() };
}

function overridesInvalid(why: string): SvcError {
  return new SvcError("REQUEST_INVALID", {
    message: `The changes are not valid: ${neutralise(why)}.`,
    remedy: "Correct the changes, and run it again.",
  });
}
