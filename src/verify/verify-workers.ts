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

/** Runs the workers. Throws the error that a worker reports; the others are stopped then. */
export async function runVerifyWorkers(
  plan: WorkersPlan,
  streams: readonly PlannedStream[],
  tally: Tally,
  options: { readonly signal: AbortSignal },
): Promise<void> {
  const queue = [...streams];
  const stop = new AbortController();
  const signal = AbortSignal.any([options.signal, stop.signal]);
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
  const runOne = async (worker: number): Promise<void> => {
    try {
      await runWorker(
        plan,
        () => queue.shift(),
        signal,
        (line) => {
          if (line.kind === "error") throw new SvcError(line.code, line);
          if (line.kind === "counts") tally.add(line.counts);
          const done = line.kind === "counts";
          report(worker, done ? 0 : line.ledgers, done ? 0 : line.transactions);
        },
      );
    } catch (error) {
      stop.abort();
      throw error;
    }
  };
  const runs = Array.from({ length: plan.workers }, (_, worker) => runOne(worker));
  const outcomes = await Promise.allSettled(runs);
  const failures = outcomes.filter((outcome) => outcome.status === "rejected");
  options.signal.throwIfAborted();
  const cause = failures.map(({ reason }) => reason as unknown).sort(byTelling)[0];
  if (cause !== undefined) throw cause;
}

/** Orders errors: a worker that was only stopped because another failed does not show the cause. */
function byTelling(left: unknown, right: unknown): number {
  return Number(isStopped(left)) - Number(isStopped(right));
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

function isStopped(error: unknown): boolean {
  return (
    error instanceof SvcError && error.details.worker === true && error.details.signalCode !== null
  );
}
