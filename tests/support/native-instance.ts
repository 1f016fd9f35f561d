// The programs of svc-sim in the place of instances of WebAssembly, so that the library is tried
// without the modules.

import { RECORDING_BINARY, SIMULATOR_BINARY } from "../../scripts/ensure-built.ts";
import type { InstancePlace } from "../../src/simulator/module/instance.ts";
import { connectedTo } from "./module.ts";

const PROGRAMS = new Map<unknown, string>();

/** Options of the library that run the programs. Its modules are only names for them. */
export const NATIVE = {
  module: standIn(SIMULATOR_BINARY),
  recordingModule: standIn(RECORDING_BINARY),
  openInstance: nativeInstance,
} as const;

function standIn(path: string): WebAssembly.Module {
  const module = {};
  PROGRAMS.set(module, path);
  return module as WebAssembly.Module;
}

/** Answers `svc_serve` by a process of its own. */
function nativeInstance(module: WebAssembly.Module): InstancePlace {
  const connection = connectedTo(PROGRAMS.get(module) ?? "").connect(["serve"]);
  const asking = { patienceMilliseconds: 60_000 };
  return {
    log: "",
    call: (_name, input) =>
      connection.ask(
        new TextDecoder().decode(input),
        (_document, line) => new TextEncoder().encode(line),
        asking,
      ),
    end: () => connection.kill(),
  };
}
