// svc-sim as a program in the place of an instance of WebAssembly, so that the library is tried
// without the module.

import type { InstancePlace } from "../../src/simulator/module/instance.ts";
import { connectedProgram } from "./module.ts";

/** Answers `svc_serve` by a process of its own. */
export function nativeInstance(): InstancePlace {
  const connection = connectedProgram.connect(["serve"]);
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
