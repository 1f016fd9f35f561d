// One `svc-sim serve` process: one request per line in, one response per line out, matched by `id`.
// Invariant: each request that `send` gets is returned exactly once, with its answer or, when the
// process ends or violates the protocol, with the reason. Then the worker is closed.

import { SvcError } from "../base/errors/errors.ts";
import { TextTail } from "./bounded-text.ts";
import { LineReader } from "./line-reader.ts";
import { endOf } from "./one-shot.ts";
import { idOf } from "./read-response.ts";
import { type AnyRequest, SentEntries } from "./sent-entries.ts";
import {
  LAST_WORDS_MILLISECONDS,
  patienceOf,
  RESPONSE_LIMIT_BYTES,
  STDERR_LIMIT_CHARACTERS,
} from "./simulator.ts";
import { badAnswer, died, type SimulatorRun, timedOut } from "./simulator-error.ts";

export interface WorkerJob {
  readonly id: number;
  /** Whose request it is. */
  readonly client: string;
  readonly request: AnyRequest;
  /** The caller is gone. */
  readonly abandoned?: boolean;
  /** Takes the answer. Throws the error that svc-sim reports, or SIMULATOR_INVALID_JSON. */
  deliver(line: string, run: SimulatorRun): void;
}

export interface WorkerEvents<Job extends WorkerJob> {
  /** The answer was delivered. */
  answered(job: Job): void;
  /** svc-sim could not run this job; the worker continues. */
  refused(job: Job, error: SvcError): void;
  /** The oldest job has run for `slowMilliseconds`. */
  slow(): void;
  /**
   * The worker is gone; `jobs` are the ones that it did not answer, the oldest first. Null: it
   * ended as it should, and has begun none of them.
   */
  closed(jobs: readonly Job[], reason: SvcError | null): void;
}

export interface WorkerOptions {
  readonly path: string;
  /** Of `svc-sim serve` (src/svc-sim/README.md). */
  readonly limits: readonly string[];
  /** Null: no job is slow. */
  readonly slowMilliseconds: number | null;
  /** The time after its deadline that a job gets. */
  readonly graceMilliseconds: number;
}

/** The time that a worker gets to end by itself after its stdin is closed. */
const FAREWELL_MILLISECONDS = 1_000;
/** Of an abandoned job: a new worker takes 20 ms and must compile the contracts again. */
const ABANDONED_MILLISECONDS = 250;
const LOOK_MILLISECONDS = 10;

export class SimulatorWorker<Job extends WorkerJob> {
  private readonly options: WorkerOptions;
  private readonly events: WorkerEvents<Job>;
  private readonly helper: Bun.Subprocess<"pipe", "pipe", "pipe">;
  private readonly run: SimulatorRun;
  private readonly inFlight = new Map<number, Job>();
  private readonly sent = new SentEntries();
  private unwritten = "";
  private isWriting = false;
  private writing: Promise<void> = Promise.resolve();
  private timer: ReturnType<typeof setTimeout> | undefined;
  private slowTimer: ReturnType<typeof setTimeout> | undefined;
  private watched: Job | null = null;
  private leaving = false;
  private reason: SvcError | null = null;
  private closed = false;
  /** It ends, and has begun none of the jobs that it still has. */
  private spent = false;
  /** It would run jobs that another worker has now. */
  private overtaken = false;

  /** Throws SIMULATOR_DIED when the program cannot be started. */
  constructor(options: WorkerOptions, events: WorkerEvents<Job>) {
    const { path, limits } = options;
    this.options = options;
    this.events = events;
    try {
      // Secrets of the environment, such as a PIN, are not for a program that runs untrusted code.
      const streams = { stdin: "pipe", stdout: "pipe", stderr: "pipe", env: {} } as const;
      this.helper = Bun.spawn([path, "serve", ...limits], streams);
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

  worksFor(client: string): boolean {
    return [...this.inFlight.values()].some((job) => job.client === client);
  }

  /** The worker takes requests. */
  get open(): boolean {
    return !this.closed && this.reason === null && !this.leaving && !this.spent;
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
    this.unwritten += `${this.sent.line(job.id, job.request)}\n`;
    if (this.isWriting) return;
    this.isWriting = true;
    this.writing = this.writeLines();
  }

  /** Lines that come at the same time are one write: for short runs, writes are what takes time. */
  private async writeLines(): Promise<void> {
    const { stdin } = this.helper;
    while (this.unwritten !== "") {
      // A worker that has other work does not wait for this line.
      if (this.load > 1) await new Promise((resolve) => setImmediate(resolve));
      const text = this.unwritten;
      this.unwritten = "";
      // `write` buffers without a limit, so each write waits until the previous one is flushed.
      // Each may throw or reject by itself, and a rejection that nothing awaits would end svc.
      // EPIPE: the end of stdout is handled in `serve`.
      await Promise.allSettled([(async () => stdin.write(text))(), (async () => stdin.flush())()]);
    }
    this.isWriting = false;
  }

  /** Shortens the time limit of this job, and of no other. */
  abandon(job: Job): void {
    if (this.watched === job) this.watch(job);
  }

  /** The jobs behind the oldest, for another worker. This one ends after the oldest. */
  withdraw(): readonly Job[] {
    const behind = [...this.inFlight.values()].slice(1);
    for (const { id } of behind) this.inFlight.delete(id);
    if (behind.length > 0) this.overtaken = true;
    return behind;
  }

  /** Takes no more requests, and ends after the last answer. */
  retire(): void {
    this.leaving = true;
    if (this.load === 0) void this.finish();
  }

  /** Kills the process; jobs in flight are returned through `closed`. */
  kill(reason: SvcError): void {
    this.reason ??= reason;
    this.helper.kill("SIGKILL");
  }

  /** Closes stdin so that the process ends, and kills it if it does not. */
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
      // A broken pipe ends the worker like the end of stdout.
    }
    // Without stdout the process is useless, whether or not it still runs.
    this.helper.kill("SIGKILL");
    const exitCode = await this.helper.exited;
    await stderr.endedWithin(LAST_WORDS_MILLISECONDS);
    this.close(this.reason ?? died(endOf(exitCode, this.helper.signalCode), this.run));
  }

  private close(reason: SvcError): void {
    this.closed = true;
    clearTimeout(this.timer);
    clearTimeout(this.slowTimer);
    const left = [...this.inFlight.values()];
    this.inFlight.clear();
    this.events.closed(left, this.spent ? null : reason);
  }

  private receive(line: string): void {
    if (this.reason !== null || line === "") return;
    let id: number;
    try {
      id = idOf(line, this.run);
    } catch (error) {
      this.kill(error as SvcError);
      return;
    }
    const job = this.inFlight.get(id);
    if (job === undefined) {
      if (this.overtaken) return;
      this.kill(badAnswer("answers no request that was made", line, this.run));
      return;
    }
    this.settle(job, line);
  }

  private settle(job: Job, line: string): void {
    try {
      job.deliver(line, this.run);
    } catch (error) {
      const failure = error as SvcError;
      if (failure.code === "SIMULATOR_INVALID_JSON") {
        this.kill(failure);
        return;
      }
      // At the deadline of a request, svc-sim answers and ends.
      if (failure.code === "SIMULATOR_TIMEOUT") this.spent = true;
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
    if (this.overtaken) {
      this.spent = true;
      this.helper.kill("SIGKILL");
    } else if ((this.leaving || this.spent) && this.load === 0) void this.finish();
  }

  /** svc-sim works in order, so only the oldest request needs a timer. */
  private watchOldest(): void {
    const oldest = this.inFlight.values().next().value ?? null;
    if (oldest !== this.watched) this.watch(oldest);
  }

  /** When svc itself was late, an answer may be waiting to be read: that is given a moment. */
  private watchSlowness(milliseconds: number): void {
    const look = () => {
      this.slowTimer = setTimeout(() => this.events.slow(), LOOK_MILLISECONDS);
    };
    this.slowTimer = setTimeout(look, milliseconds);
  }

  private watch(job: Job | null): void {
    clearTimeout(this.timer);
    clearTimeout(this.slowTimer);
    this.watched = job;
    if (job === null) return;
    const { slowMilliseconds, graceMilliseconds: grace } = this.options;
    if (slowMilliseconds !== null) this.watchSlowness(slowMilliseconds);
    const abandoned = job.abandoned === true;
    const patience = abandoned ? ABANDONED_MILLISECONDS : patienceOf(job.request, grace);
    const late = () => (abandoned ? abandonedError() : timedOut(patience, this.run));
    this.timer = setTimeout(() => this.kill(late()), patience);
  }
}

function abandonedError(): SvcError {
  return new SvcError("INTERRUPTED", {
    message: "The simulation was interrupted: its caller is gone.",
    remedy: "Run the command again.",
  });
}
