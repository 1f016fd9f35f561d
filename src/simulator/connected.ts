// Simulators and recorders over connections, however svc-sim runs behind them. Each request has a
// connection of its own, so that nothing of one run reaches another.

import type { ConnectedProgram } from "./connection.ts";
import { readResponse } from "./read-response.ts";
import { patienceOf, type Simulator } from "./simulator.ts";
import { aborted } from "./simulator-error.ts";
import { countedRun } from "./simulator-program.ts";

export function openConnected(program: ConnectedProgram): Simulator {
  const { path, patienceMilliseconds: longest = Number.POSITIVE_INFINITY } = program;
  return {
    replay: (request, { signal }) =>
      countedRun(program, async () => {
        if (signal.aborted) throw aborted(signal, { path, stderr: "" });
        await using simulator = program.connect(["serve"]);
        const patienceMilliseconds = Math.min(patienceOf(request), longest);
        const options = { signal, patienceMilliseconds };
        return await simulator.ask(JSON.stringify(request), readResponse, options);
      }),
    async [Symbol.asyncDispose]() {
      // Nothing outlives a request.
    },
  };
}
