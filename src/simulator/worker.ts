// One `svc-sim serve` process: it reads one request a line and writes one response a line, matched
// by `id`. Invariant: each request that `send` receives is returned exactly once, with its answer
// or, if the process ends or violates the protocol, with the reason. The worker is closed after
// that.

import { SvcError } from "../base/errors/errors.ts";
import { AGAIN, phrase } from "../base/phrase.ts";
import { nextTurn } from "../base/turns.ts";
import { idOf } from "./read-response.ts";
import { type AnyRequest, SentEntries } from "./sent-entries.ts";
import { patienceOf } from "./simulator.ts";
import { badAnswer, type SimulatorRun, timedOut } from "./simulator-error.ts";
import { SimulatorProcess } from "./simulator-process.ts";

export interface WorkerJob {
  readonly id: number;
  /** The client of the request. */
  readonly client: string;
  readonly request: AnyRequest;
  /** True if the caller has left. */
  readonly abandoned?: boolean;
  /** Receives the answer. Throws the error that svc-sim reports, or SIMULATOR_INVALID_JSON. */
  deliver(line: string, run: SimulatorRun): void;
}

export interface WorkerEvents<Job extends WorkerJob> {
  /** Called after the answer was delivered. */
  answered(job: Job): void;
  /** Called if svc-sim could not run this job. The worker continues. */
  refused(job: Job, error: SvcError): void;
  /** Called after the oldest job has run for `slowMilliseconds`. */
  slow(): void;
  /**
   * Called after the worker has ended. `jobs` are those without an answer, the oldest first.
   * `reason` is null if the worker ended as intended and had begun none of them.
   */
  closed(jobs: readonly Job[], reason: SvcError | null): void;
}

export interface WorkerOptions {
  readonly path: string;
  /** Arguments of `svc-sim serve` (src/svc-sim/README.md). */
  readonly limits: readonly string[];
  /** Null if no job counts as slow. */
  readonly slowMilliseconds: number | null;
  /** The additional time that a job gets after its deadline. */
  readonly graceMilliseconds: number;
}

/** The time that a worker gets to end by itself after its stdin is closed. */
const FAREWELL_MILLISECONDS = 1_000;
/**
 * The additional time that an abandoned job gets, because a new worker must compile the contracts
 * again.
 */
const ABANDONED_MILLISECONDS = 250;
const LOOK_MILLISECONDS = 10;

/**
 * `retiring`: the worker takes no more jobs, and ends after the last answer. `withdrawn`: another
 * worker has the jobs behind its oldest, so it ends after that. `spent`: the worker ends, and has
 * begun none of the jobs that it still has.
 */
type WorkerState = "open" | "retiring" | "withdrawn" | "spent" | "closed";

export class SimulatorWorker<Job extends WorkerJob> {
  private readonly simulator: SimulatorProcess;
  private readonly inFlight = new Map<number, Job>();
  private readonly sent = new SentEntries();
  private unwritten = "";
  private writing: Promise<void> | null = null;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private slowTimer: ReturnType<typeof setTimeout> | undefined;
  private watched: Job | null = null;
  private state: WorkerState = "open";
  /** The reason why the process was killed. */
  private reason: SvcError | null = null;

  /** Starts the worker. Throws SIMULATOR_DIED if the program cannot be started. */
  constructor(
    private readonly options: WorkerOptions,
    private readonly events: WorkerEvents<Job>,
  ) {
    this.simulator = new SimulatorProcess(options.path, ["serve", ...options.limits]);
    void this.serve();
  }

  get load(): number {
    return this.inFlight.size;
  }

  worksFor(client: string): boolean {
    return [...this.inFlight.values()].some((job) => job.client === client);
  }

  /** True if the worker takes requests. */
  get open(): boolean {
    return this.state === "open" && this.reason === null;
  }

  get pid(): number {
    return this.simulator.pid;
  }

  send(job: Job): void {
    this.inFlight.set(job.id, job);
    this.watchOldest();
    this.unwritten += `${this.sent.line(job.id, job.request)}\n`;
    this.writing ??= this.writeLines();
  }

  /**
   * Writes lines that come at the same time together, because writing dominates the time of short
   * runs.
   */
  private async writeLines(): Promise<void> {
    while (this.unwritten !== "") {
      // A worker with other work does not wait for this line.
      if (this.load > 1) await nextTurn();
      const text = this.unwritten;
      this.unwritten = "";
      await this.simulator.write(text);
    }
    this.writing = null;
  }

  /** Shortens the time limit of this job, and of no other. */
  abandon(job: Job): void {
    if (this.watched === job) this.watch(job);
  }

  /** Returns the jobs behind the oldest, for another worker. This one ends after the oldest. */
  withdraw(): readonly Job[] {
    const behind = [...this.inFlight.values()].slice(1);
    for (const { id } of behind) this.inFlight.delete(id);
    if (behind.length > 0) this.state = "withdrawn";
    return behind;
  }

  /** Takes no more requests, and ends after the last answer. */
  retire(): void {
    if (this.state === "open") this.state = "retiring";
    this.endIfDone();
  }

  /** Kills the process; jobs in flight are returned through `closed`. */
  kill(reason: SvcError): void {
    this.reason ??= reason;
    this.simulator.kill();
  }

  /** Closes stdin so that the process ends, and kills it if it does not. */
  async finish(): Promise<void> {
    const insist = setTimeout(() => this.simulator.kill(), FAREWELL_MILLISECONDS);
    await this.writing;
    await this.simulator.endInput();
    await this.simulator.end();
    clearTimeout(insist);
  }

  private async serve(): Promise<void> {
    try {
      for await (const line of this.simulator.lines({ unended: false })) {
        this.receive(line);
        if (this.reason !== null) break;
      }
    } catch (error) {
      // A broken pipe ends the worker like the end of stdout.
      if (error instanceof SvcError) this.reason ??= error;
    }
    // Without stdout the process is useless, whether or not it still runs.
    this.simulator.kill();
    const end = await this.simulator.end();
    this.close(this.reason ?? end);
  }

  private close(reason: SvcError): void {
    const isSpent = this.state === "spent";
    this.state = "closed";
    clearTimeout(this.timer);
    clearTimeout(this.slowTimer);
    const left = [...this.inFlight.values()];
    this.inFlight.clear();
    this.events.closed(left, isSpent ? null : reason);
  }

  private receive(line: string): void {
    if (this.reason !== null) return;
    let id: number;
    try {
      id = idOf(line, this.simulator.run);
    } catch (error) {
      this.kill(error as SvcError);
      return;
    }
    const job = this.inFlight.get(id);
    if (job === undefined) {
      if (this.state === "withdrawn" || this.state === "spent") return;
      this.kill(badAnswer("answers no request that was made", line, this.simulator.run));
      return;
    }
    this.settle(job, line);
  }

  private settle(job: Job, line: string): void {
    try {
      job.deliver(line, this.simulator.run);
    } catch (error) {
      const failure = error as SvcError;
      if (failure.code === "SIMULATOR_INVALID_JSON") {
        this.kill(failure);
        return;
      }
      // At the deadline of a request, svc-sim answers and ends.
      if (failure.code === "SIMULATOR_TIMEOUT") this.state = "spent";
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
    if (this.state === "withdrawn") {
      this.state = "spent";
      this.simulator.kill();
    } else this.endIfDone();
  }

  private endIfDone(): void {
    if (this.load > 0 || (this.state !== "retiring" && this.state !== "spent")) return;
    this.state = "spent";
    void this.finish();
  }

  /** svc-sim works in order, so only the oldest request needs a timer. */
  private watchOldest(): void {
    const oldest = this.inFlight.values().next().value ?? null;
    if (oldest !== this.watched) this.watch(oldest);
  }

  /**
   * If svc itself was late, an answer may be waiting to be read, so the worker gets a moment more.
   */
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
    const late = () => (abandoned ? abandonedError() : timedOut(patience, this.simulator.run));
    this.timer = setTimeout(() => this.kill(late()), patience);
  }
}

function abandonedError(): SvcError {
  return new SvcError("INTERRUPTED", {
    message: "The simulation was interrupted: its caller is gone.",
    remedy: phrase`${AGAIN}.`,
  });
}
