// The options of a run, and how svc-sim runs as a module.

import { SvcError } from "../base/errors/errors.ts";
import { neutralise } from "../base/text/neutralise.ts";
import type { DebugOptions } from "../debugger/walk/replay-captured.ts";
import type { Overrides } from "../model/overrides.ts";
import { readOverrides } from "../overrides/read-overrides.ts";
import { openConnectedRecorder } from "../simulator/connected.ts";
import type { ConnectedProgram } from "../simulator/connection.ts";
import { connectModule, instanceInThread } from "../simulator/module/connection.ts";
import type { InstancePlace } from "../simulator/module/instance.ts";
import type { RecordingSimulator } from "../simulator/recording-simulator.ts";

/** A module, or a function that loads it when it is first needed. */
export type LoadableModule = WebAssembly.Module | (() => Promise<WebAssembly.Module>);

/** The place where a module runs, and how the caller follows and ends the work. */
export interface RunningOptions {
  /** svc-sim.wasm. */
  readonly module: WebAssembly.Module;
  /** Starts an instance elsewhere, such as in a worker (default: in the thread of the caller). */
  readonly openInstance?: (module: WebAssembly.Module) => InstancePlace;
  /** Ends the work, but not an instance in the thread of the caller. */
  readonly signal?: AbortSignal;
  /** Gets a short sentence about what happens now. */
  readonly progress?: (text: string) => void;
}

export interface ModuleOptions extends RunningOptions {
  /** svc-sim-recording.wasm. With it, a fix can record new authorizations, and runs with them. */
  readonly recordingModule?: LoadableModule;
  /** A document of overrides (docs/what-if.md): the transaction runs again with these changes. */
  readonly overrides?: unknown;
}

export function debugOptions({ signal, overrides }: ModuleOptions): DebugOptions {
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
}: ModuleOptions): RecordingSimulator | null {
  return recordingModule === undefined ? null : recorderOf(recordingModule, where);
}

function connectedTo(
  module: WebAssembly.Module,
  path: string,
  { openInstance = instanceInThread }: Pick<RunningOptions, "openInstance">,
): ConnectedProgram {
  return { path, connect: connectModule(() => openInstance(module), path) };
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
