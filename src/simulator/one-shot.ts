// One svc-sim process for one request: the request on stdin, the answer on stdout, then it ends.
// Invariant: the process is gone when `askOnce` settles, and no stream is read without a limit.

import { TextTail } from "./bounded-text.ts";
import { parseJson, readResponse } from "./read-response.ts";
import {
  type DeadlinedRequest,
  LAST_WORDS_MILLISECONDS,
  patienceOf,
  RESPONSE_LIMIT_BYTES,
  type RunOptions,
  type Simulator,
  STDERR_LIMIT_CHARACTERS,
} from "./simulator.ts";
import { aborted, badAnswer, died, type SimulatorRun, timedOut } from "./simulator-error.ts";

export interface OneShotOptions {
  readonly path: string;
  readonly responseLimitBytes?: number;
}

export function openOneShot(options: OneShotOptions): Simulator {
  return {
    replay: (request, { signal }) => askOnce(options, request, readResponse, { signal }),
    async [Symbol.asyncDispose]() {
      // Nothing outlives a request.
    },
  };
}

/** Starts a process; `read` throws the error that the answer reports, or SIMULATOR_INVALID_JSON. */
export async function askOnce<Answer>(
  options: OneShotOptions,
  request: DeadlinedRequest,
  read: (document: unknown, text: string, run: SimulatorRun) => Answer,
  { signal }: RunOptions,
): Promise<Answer> {
  const unstarted: SimulatorRun = { path: options.path, stderr: "" };
  if (signal.aborted) throw aborted(signal, unstarted);
  const helper = start(options.path, unstarted);
  const stderr = new TextTail(helper.stderr, STDERR_LIMIT_CHARACTERS);
  const run: SimulatorRun = {
    path: options.path,
    get stderr() {
      return stderr.toString();
    },
  };

  const patience = patienceOf(request);
  let late = false;
  const kill = () => helper.kill("SIGKILL");
  const timer = setTimeout(() => {
    late = true;
    kill();
  }, patience);
  signal.addEventListener("abort", kill, { once: true });
  try {
    const limit = options.responseLimitBytes ?? RESPONSE_LIMIT_BYTES;
    const [text] = await Promise.all([
      readLimited(helper.stdout, limit, kill),
      writeAll(helper.stdin, JSON.stringify(request)),
    ]);
    const exitCode = await helper.exited;
    await stderr.endedWithin(LAST_WORDS_MILLISECONDS);
    if (signal.aborted) throw aborted(signal, run);
    if (late) throw timedOut(patience, run);
    if (text === null) throw badAnswer(`is longer than ${limit} bytes`, "", run);
    if (text.trim() === "") throw died(endOf(exitCode, helper.signalCode), run);
    return read(parseJson(text, run), text, run);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", kill);
    kill();
  }
}

function start(path: string, run: SimulatorRun) {
  try {
    return Bun.spawn([path], { stdin: "pipe", stdout: "pipe", stderr: "pipe", env: {} });
  } catch (cause) {
    throw died("could not be started", run, cause);
  }
}

/** The stream as text; null, after `stop()`, when it is longer than the limit. */
async function readLimited(
  stream: ReadableStream<Uint8Array>,
  limitBytes: number,
  stop: () => void,
): Promise<string | null> {
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const chunk of stream) {
    bytes += chunk.length;
    if (bytes > limitBytes) {
      stop();
      return null;
    }
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

/**
 * EPIPE of a process that ended early is not an error: its answer, or how it ended, explains more.
 * Each step may throw or reject by itself, and a rejection that nothing awaits would end svc.
 */
async function writeAll(stdin: Bun.FileSink, text: string): Promise<void> {
  await Promise.allSettled([(async () => stdin.write(text))(), (async () => stdin.end())()]);
}

export function endOf(exitCode: number | null, signalCode: string | number | null): string {
  return signalCode === null ? `ended with exit code ${exitCode}` : `was killed by ${signalCode}`;
}
