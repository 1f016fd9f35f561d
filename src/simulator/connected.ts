// Simulators and recorders over connections, however svc-sim runs behind them. Each request has a
// connection of its own, so that nothing of one run reaches another.

import type { ConnectedProgram, ReadAnswer } from "./connection.ts";
import { readResponse } from "./read-response.ts";
import { isEnd, type RecordingSimulator, readRecording } from "./recording-simulator.ts";
import { type DeadlinedRequest, patienceOf, type RunOptions, type Simulator } from "./simulator.ts";
import { aborted } from "./simulator-error.ts";
import { countedRun } from "./simulator-program.ts";

export function openConnected(program: ConnectedProgram): Simulator {
  return {
    replay: (request, options) =>
      countedRun(program, () => askConnected(program, request, readResponse, options)),
    async [Symbol.asyncDispose]() {
      // Nothing outlives a request.
    },
  };
}

/** `open` returns svc-sim-recording. It is called for each request. */
export function openConnectedRecorder(open: () => Promise<ConnectedProgram>): RecordingSimulator {
  return {
    async record(request, options) {
      const program = await open();
      const ask = () => askConnected(program, request, readRecording, options);
      return countedRun(program, ask, isEnd);
    },
    async [Symbol.asyncDispose]() {
      // Nothing outlives a request.
    },
  };
}

async function askConnected<Answer>(
  program: ConnectedProgram,
  request: DeadlinedRequest,
  read: ReadAnswer<Answer>,
  { signal }: RunOptions,
): Promise<Answer> {
  const { path, patienceMilliseconds: longest = Number.POSITIVE_INFINITY } = program;
  if (signal.aborted) throw aborted(signal, { path, stderr: "" });
  await using simulator = program.connect(["serve"]);
  const patienceMilliseconds = Math.min(patienceOf(request), longest);
  return await simulator.ask(JSON.stringify(request), read, { signal, patienceMilliseconds });
}
