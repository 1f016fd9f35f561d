// One `svc-sim serve` process: a request a line in, a response a line out, matched by `id`.
// Invariant: each request given to `send` is handed back exactly once, answered or, when the
// process ends or breaks the protocol, with the reason; then the worker is closed and takes nothing
// more.

import { SvcError } from "../base/errors/errors.ts";
import { TextTail } from "./bounded-text.ts";
import { LineReader } from "./line-reader.ts";
import { endOf } from "./one-shot.ts";
import { parseJson } from "./read-response.ts";
import { type AskedRequest, SentEntries } from "./sent-entries.ts";
import {
  LAST_WORDS_MILLISECONDS,
  patienceOf,
  RESPONSE_LIMIT_BYTES,
  STDERR_LIMIT_CHARACTERS,
} from "./simulator.ts";
import { badAnswer, died, type SimulatorRun, timedOut } from "./simulator-error.ts";

export interface WorkerJob {
  readonly id: number;
  readonly request: AskedRequest;
  /** Nobody waits for it any more. */
  readonly abandoned?: boolean;
  /** Takes the answer. Throws what svc-sim reports, or SIMULATOR_INVALID_JSON. */
  deliver(document: unknown, line: string, run: SimulatorRun): void;
}

export interface WorkerEvents<Job extends WorkerJob> {
  /** It was delivered. */
  answered(job: Job): void;
  /** svc-sim answered that it could not carry out this one; the worker goes on. */
  refused(job: Job, error: SvcError): void;
  /** The worker is gone; `jobs` are what it had not answered, the oldest first. */
  closed(jobs: readonly Job[], reason: SvcError): void;
}

/** How long a worker may take to end by itself once its stdin is closed. */
const FAREWELL_MILLISECONDS = 1_000;
/** What nobody waits for may take this long: a new worker takes 20 ms and has to compile anew. */
const ABANDONED_MILLISECONDS = 250;

export class SimulatorWorker<Job extends WorkerJob> {
  private readonly events: WorkerEvents<Job>;
  private readonly helper: Bun.Subprocess<"pipe", "pipe", "pipe">;
  private readonly run: SimulatorRun;
  private readonly inFlight = new Map<number, Job>();
  private readonly sent = new SentEntries();
  private writing: Promise<void> = Promise.resolve();
  private timer: ReturnType<typeof setTimeout> | undefined;
  private watched: Job | null = null;
  private leaving = false;
  private reason: SvcError | null = null;
  private closed = false;

  /** Throws SIMULATOR_DIED when the program cannot be started. */
  constructor(path: string, events: WorkerEvents<Job>) {
    this.events = events;
    try {
      const streams = { stdin: "pipe", stdout: "pipe", stderr: "pipe" } as const;
      this.helper = Bun.spawn([path, "serve"], streams);
    } catch (cause) {
      throw died("could not be started", { path, stderr: "" }, cause);
    }
    const stderr = new TextTail(this.helper.stderr, STDERR_LIMIT_CHARACTERS);
    this.run = {
      path,
      get stderr() {
        return stderr.toString();
      },
    };
    void this.serve(stderr);
  }

  get load(): number {
    return this.inFlight.size;
  }

  /** It takes requests. */
  get open(): boolean {
    return !this.closed && this.reason === null && !this.leaving;
  }

  get retiring(): boolean {
    return this.leaving;
  }

  get pid(): number {
    return this.helper.pid;
  }

  send(job: Job): void {
    this.inFlight.set(job.id, job);
    this.watchOldest();
    const line = `${this.sent.line(job.id, job.request)}\n`;
    // One after the other: `write` buffers without bound, so each waits until the last is flushed.
    this.writing = this.writing.then(async () => {
      try {
        // Both may fail, each by itself: a rejection that nobody awaits would end svc.
        await Promise.all([this.helper.stdin.write(line), this.helper.stdin.flush()]);
      } catch {
        // EPIPE: the end of its stdout says the rest.
      }
    });
  }

  /** Its time is shorter now; that of the others is not. */
  abandon(job: Job): void {
    if (this.watched === job) this.watch(job);
  }

  /** Takes no more requests, and ends once it has answered those it has. */
  retire(): void {
    this.leaving = true;
    if (this.load === 0) void this.finish();
  }

  /** Ends it now; what is in flight is handed back through `closed`. */
  kill(reason: SvcError): void {
    this.reason ??= reason;
    this.helper.kill("SIGKILL");
  }

  /** Lets it finish by closing its stdin, then makes sure. */
  async finish(): Promise<void> {
    const insist = setTimeout(() => this.helper.kill("SIGKILL"), FAREWELL_MILLISECONDS);
    try {
      await this.writing;
      await this.helper.stdin.end();
    } catch {
      // Already gone.
    }
    await this.helper.exited;
    clearTimeout(insist);
  }

  private async serve(stderr: TextTail): Promise<void> {
    const lines = new LineReader(RESPONSE_LIMIT_BYTES);
    try {
      for await (const chunk of this.helper.stdout) {
        for (const line of lines.push(chunk)) this.receive(line);
        if (lines.overflowed) {
          this.kill(badAnswer(`is longer than ${RESPONSE_LIMIT_BYTES} bytes`, "", this.run));
        }
        if (this.reason !== null) break;
      }
    } catch {
      // A broken pipe is an end like any other.
    }
    // Without stdout it is of no use, whether or not it still runs.
    this.helper.kill("SIGKILL");
    const exitCode = await this.helper.exited;
    await stderr.endedWithin(LAST_WORDS_MILLISECONDS);
    this.close(this.reason ?? died(endOf(exitCode, this.helper.signalCode), this.run));
  }

  private close(reason: SvcError): void {
    this.closed = true;
    clearTimeout(this.timer);
    const left = [...this.inFlight.values()];
    this.inFlight.clear();
    this.events.closed(left, reason);
  }

  private receive(line: string): void {
    if (this.reason !== null || line === "") return;
    let document: unknown;
    try {
      document = parseJson(line, this.run);
    } catch (error) {
      this.kill(error as SvcError);
      return;
    }
    const job = this.inFlight.get(idOf(document));
    if (job === undefined) {
      this.kill(badAnswer("answers no request that was made", line, this.run));
      return;
    }
    this.settle(job, document, line);
  }

  private settle(job: Job, document: unknown, line: string): void {
    try {
      job.deliver(document, line, this.run);
    } catch (error) {
      const failure = error as SvcError;
      if (failure.code === "SIMULATOR_INVALID_JSON") {
        this.kill(failure);
        return;
      }
      this.take(job);
      this.events.refused(job, failure);
      return;
    }
    this.take(job);
    this.events.answered(job);
  }

  private take(job: Job): void {
    this.inFlight.delete(job.id);
    this.watchOldest();
    if (this.leaving && this.load === 0) void this.finish();
  }

  /** svc-sim works in order, so only the oldest request's time runs. */
  private watchOldest(): void {
    const oldest = this.inFlight.values().next().value ?? null;
    if (oldest !== this.watched) this.watch(oldest);
  }

  private watch(job: Job | null): void {
    clearTimeout(this.timer);
    this.watched = job;
    if (job === null) return;
    const abandoned = job.abandoned === true;
    const patience = abandoned ? ABANDONED_MILLISECONDS : patienceOf(job.request);
    const late = () => (abandoned ? abandonedError() : timedOut(patience, this.run));
    this.timer = setTimeout(() => this.kill(late()), patience);
  }
}

function abandonedError(): SvcError {
  return new SvcError("INTERRUPTED", {
    message: "The simulation was interrupted: nobody waits for it any more.",
    remedy: "Run the command again.",
  });
}

function idOf(document: unknown): number {
  const id = (document as { id?: unknown } | null)?.id;
  return typeof id === "number" ? id : Number.NaN;
}
