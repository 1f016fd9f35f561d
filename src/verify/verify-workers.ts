// Spreads streams over worker processes of svc. A worker receives its next stream after it has
// counted the one before, so that uneven streams even out. Invariant: no worker outlives this call,
// whatever ends it.

import { SvcError } from "../base/errors/errors.ts";
import { AGAIN, flag, phrase } from "../base/phrase.ts";
import { counted } from "../base/text/counted.ts";
import type { Tally } from "../model/verification/tally.ts";
import { LineReader } from "../simulator/line-reader.ts";
import type { PlannedStream } from "./plan-streams.ts";
import type { WorkerLine, WorkerSetup } from "./verify-worker.ts";

export interface WorkersPlan {
  /** Starts one worker; it runs `runVerifyWorker`. */
  readonly command: readonly string[];
  readonly workers: number;
  readonly setup: WorkerSetup;
  readonly progress: (progress: { ledgers: number; transactions: number }) => void;
}

const MAXIMUM_LINE_BYTES = 256 * 1024 * 1024;

interface StreamFailure {
  /** The place of the stream in the list. */
  readonly place: number;
  readonly error: unknown;
}

/**
 * Runs the workers. Throws the error of the first stream in the list that fails. So the workers
 * with a stream before one that failed go on, and the others are stopped.
 */
export async function runVerifyWorkers(
  plan: WorkersPlan,
  streams: readonly PlannedStream[],
  tally: Tally,
  options: { readonly signal: AbortSignal },
): Promise<void> {
  let next = 0;
  const failures: StreamFailure[] = [];
  const firstFailure = () => failures.toSorted((left, right) => left.place - right.place)[0];
  const unfinished = new Map<number, { ledgers: number; transactions: number }>();
  const report = (worker: number, ledgers: number, transactions: number): void => {
    unfinished.set(worker, { ledgers, transactions });
    const sum = { ...tally.progress };
    for (const part of unfinished.values()) {
      sum.ledgers += part.ledgers;
      sum.transactions += part.transactions;
    }
    plan.progress(sum);
  };
  const running = new Map<number, { readonly stop: AbortController; readonly place: number }>();
  const runOne = async (worker: number): Promise<void> => {
    const stop = new AbortController();
    const nextStream = () => {
      if (firstFailure() !== undefined) return undefined;
      running.set(worker, { stop, place: next });
      next += 1;
      return streams[next - 1];
    };
    const signal = AbortSignal.any([options.signal, stop.signal]);
    try {
      await runWorker(plan, nextStream, signal, (line) => {
        if (line.kind === "error") throw new SvcError(line.code, line);
        if (line.kind === "counts") tally.add(line.counts);
        const done = line.kind === "counts";
        report(worker, done ? 0 : line.ledgers, done ? 0 : line.transactions);
      });
    } catch (error) {
      // A worker that was stopped fails too, for a stream after the one that failed.
      const { place } = running.get(worker) ?? { place: streams.length };
      failures.push({ place, error });
      for (const other of running.values()) if (other.place > place) other.stop.abort();
    }
  };
  await Promise.all(Array.from({ length: plan.workers }, (_, worker) => runOne(worker)));
  options.signal.throwIfAborted();
  const failure = firstFailure();
  if (failure !== undefined) throw failure.error;
}

async function runWorker(
  plan: WorkersPlan,
  nextStream: () => PlannedStream | undefined,
  signal: AbortSignal,
  receive: (line: WorkerLine) => void,
): Promise<void> {
  const helper = Bun.spawn([...plan.command], {
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
    signal,
    killSignal: "SIGKILL",
  });
  const give = async (...before: readonly object[]): Promise<void> => {
    const stream = nextStream();
    const lines = stream === undefined ? before : [...before, stream];
    try {
      for (const line of lines) helper.stdin.write(`${JSON.stringify(line)}\n`);
      await (stream === undefined ? helper.stdin.end() : helper.stdin.flush());
    } catch {
      // EPIPE means that the worker ended. The way in which it ended explains more.
    }
  };
  try {
    let streams = 0;
    await give(plan.setup);
    const lines = new LineReader(MAXIMUM_LINE_BYTES);
    for await (const chunk of helper.stdout) {
      for (const text of lines.push(chunk)) {
        if (text === "") continue;
        const line = JSON.parse(text) as WorkerLine;
        receive(line);
        if (line.kind === "counts") {
          streams += 1;
          await give();
        }
      }
    }
    const exitCode = await helper.exited;
    if (exitCode !== 0) throw workerDied(exitCode, helper.signalCode, streams);
  } finally {
    helper.kill("SIGKILL");
  }
}

function workerDied(
  exitCode: number,
  signalCode: number | string | null,
  streams: number,
): SvcError {
  const how = signalCode === null ? `exit code ${exitCode}` : `signal ${signalCode}`;
  return new SvcError("INTERNAL", {
    message: `A verify worker ended with ${how} after ${counted(streams, "stream")}.`,
    remedy: phrase`${AGAIN} with ${flag("jobs", "1")} and report its output.`,
    details: { exitCode, signalCode, worker: true },
  });
}
