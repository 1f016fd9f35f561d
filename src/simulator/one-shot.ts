// One svc-sim process for one request: it reads the request from stdin, writes the answer to
// stdout, and ends. Invariant: the process is gone when `askOnce` settles.

import type { ReadAnswer } from "./connection.ts";
import { readResponse } from "./read-response.ts";
import { isEnd, type RecordingSimulator, readRecording } from "./recording-simulator.ts";
import { type DeadlinedRequest, patienceOf, type RunOptions, type Simulator } from "./simulator.ts";
import { aborted } from "./simulator-error.ts";
import { SimulatorProcess } from "./simulator-process.ts";
import { countedRun, type SimulatorProgram } from "./simulator-program.ts";

export interface OneShotOptions extends SimulatorProgram {
  readonly responseLimitBytes?: number;
}

export function openOneShot(options: OneShotOptions): Simulator {
  return {
    replay: (request, { signal }) =>
      countedRun(options, () => askOnce(options, request, readResponse, { signal })),
    async [Symbol.asyncDispose]() {
      // Nothing outlives a request.
    },
  };
}

/** Starts a process of svc-sim-recording for each request. */
export function openRecordingOneShot(program: SimulatorProgram): RecordingSimulator {
  return {
    record: (request, { signal }) =>
      countedRun(program, () => askOnce(program, request, readRecording, { signal }), isEnd),
    async [Symbol.asyncDispose]() {
      // Nothing outlives a request.
    },
  };
}

/** Starts a process without counting a run. Throws what `read` throws. */
async function askOnce<Answer>(
  { path, responseLimitBytes, patienceMilliseconds = Number.POSITIVE_INFINITY }: OneShotOptions,
  request: DeadlinedRequest,
  read: ReadAnswer<Answer>,
  { signal }: RunOptions,
): Promise<Answer> {
  if (signal.aborted) throw aborted(signal, { path, stderr: "" });
  await using simulator = new SimulatorProcess(path, [], responseLimitBytes);
  const patience = Math.min(patienceOf(request), patienceMilliseconds);
  const options = { signal, patienceMilliseconds: patience };
  return await simulator.askOnly(JSON.stringify(request), read, options);
}
