// What a run takes, and how svc-sim as a module runs it.

import { SvcError } from "../base/errors/errors.ts";
import { neutralise } from "../base/text/neutralise.ts";
import type { DebugOptions } from "../debugger/walk/replay-captured.ts";
import type { Overrides } from "../model/overrides.ts";
import { readOverrides } from "../overrides/read-overrides.ts";
import type { ConnectedProgram } from "../simulator/connection.ts";
import {
  connectModule,
  instanceInThread,
  type OpenInstance,
} from "../simulator/module/connection.ts";

export interface ModuleOptions {
  /** svc-sim as WebAssembly. */
  readonly module: WebAssembly.Module;
  /** Starts an instance elsewhere, such as in a worker (default: in the thread of the caller). */
  readonly openInstance?: OpenInstance;
  /** A document of overrides (docs/what-if.md): the transaction runs again with these changes. */
  readonly overrides?: unknown;
  /** Ends the work, but not an instance in the thread of the caller. */
  readonly signal?: AbortSignal;
  /** Gets a short sentence about what happens now. */
  readonly progress?: (text: string) => void;
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

export function programOf({ module, openInstance }: ModuleOptions): ConnectedProgram {
  const open = openInstance ?? (() => instanceInThread(module));
  return { path: "svc-sim.wasm", connect: connectModule(open) };
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
