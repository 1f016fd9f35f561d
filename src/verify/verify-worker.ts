// The work of a worker process of `svc verify`. It reads a stream from each input line and writes
// its counts as a line, until the input ends. Each worker has its own svc-sim.

import type { ErrorCode } from "../base/errors/errors.ts";
import { SvcError } from "../base/errors/errors.ts";
import { Tally } from "../model/verification/tally.ts";
import type { Counts } from "../model/verification.ts";
import { LineReader } from "../simulator/line-reader.ts";
import type { SimulatorProgram } from "../simulator/simulator-program.ts";
import type { PlannedStream } from "./plan-streams.ts";
import { openReplayEngines } from "./replay-transaction.ts";
import { tallyStream, type VerifyProgress } from "./tally-ledgers.ts";

/** The first line of a worker's input; every other line is a PlannedStream. */
export interface WorkerSetup {
  /** The program without a counter, because a worker has no metrics. */
  readonly program: SimulatorProgram;
  readonly keepNotExact: number;
  readonly rehearseProtocol: number | null;
  /** The inputs of the whole run, which give the order of the lists. */
  readonly inputs: readonly string[];
}

/** A line of a worker's output. */
export type WorkerLine =
  | ({ readonly kind: "progress" } & VerifyProgress)
  /** The counts of one stream. The worker can take the next. */
  | { readonly kind: "counts"; readonly counts: Counts }
  /** The worker ends. */
  | {
      readonly kind: "error";
      readonly code: ErrorCode;
      readonly message: string;
      readonly remedy: string;
      readonly details: Readonly<Record<string, unknown>>;
    };

export interface WorkerPipes {
  readonly input: ReadableStream<Uint8Array>;
  readonly write: (text: string) => Promise<void>;
}

/** A line holds the paths of one stream. */
const MAXIMUM_LINE_BYTES = 64 * 1024 * 1024;
const LEDGERS_PER_PROGRESS = 200;

export async function runVerifyWorker(
  pipes: WorkerPipes,
  options: { readonly signal: AbortSignal },
): Promise<void> {
  const send = (line: WorkerLine): Promise<void> => pipes.write(`${JSON.stringify(line)}\n`);
  try {
    await serve(pipes.input, send, options);
  } catch (error) {
    await send(errorLine(error));
  }
}

async function serve(
  input: ReadableStream<Uint8Array>,
  send: (line: WorkerLine) => Promise<void>,
  options: { readonly signal: AbortSignal },
): Promise<void> {
  const lines = readLines(input);
  const first = await lines.next();
  if (first.done === true) return;
  const setup = JSON.parse(first.value) as WorkerSetup;
  await using engines = openReplayEngines(setup.program, 1);
  for await (const line of lines) {
    const tally = new Tally(setup.keepNotExact, setup.inputs, setup.rehearseProtocol);
    const progress = progressSender(send);
    const stream = JSON.parse(line) as PlannedStream;
    const { rehearseProtocol } = setup;
    await tallyStream({ engines, tally, progress, rehearseProtocol }, stream, options);
    await send({ kind: "counts", counts: tally.counts });
  }
}

/** Sends the progress since the last report, after a number of ledgers. */
function progressSender(
  send: (line: WorkerLine) => Promise<void>,
): (progress: VerifyProgress) => void {
  let reported = 0;
  return ({ ledgers, transactions }) => {
    if (ledgers - reported < LEDGERS_PER_PROGRESS) return;
    reported = ledgers;
    void send({ kind: "progress", ledgers, transactions });
  };
}

async function* readLines(input: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const lines = new LineReader(MAXIMUM_LINE_BYTES);
  for await (const chunk of input) {
    for (const line of lines.push(chunk)) if (line !== "") yield line;
  }
}

function errorLine(error: unknown): WorkerLine {
  if (error instanceof SvcError) {
    const { code, message, remedy, details } = error;
    return { kind: "error", code, message, remedy, details };
  }
  return {
    kind: "error",
    code: "INTERNAL",
    message: error instanceof Error ? (error.stack ?? error.message) : String(error),
    remedy: "Report it with the command line that led here.",
    details: {},
  };
}
