// Several `svc-sim serve` workers behind one queue.
// Invariants: each request ends once, with an answer or an error of its own. When a worker dies,
// its requests in flight run again, each alone on a worker, so a request that kills its worker
// fails the second time and no other request is lost. The queue never exceeds its limit.

import { SvcError } from "../base/errors/errors.ts";
import { digestRequest, type ExecutionDigest, readDigest } from "./digest.ts";
import { readResponse, readWire } from "./read-response.ts";
import { type RecordingSimulator, readRecording } from "./recording-simulator.ts";
import { residentMemoryOf } from "./resident-memory.ts";
import type { AnyRequest } from "./sent-entries.ts";
import type { RunOptions, Simulator } from "./simulator.ts";
import { aborted, type SimulatorRun } from "./simulator-error.ts";
import type { ReplayRequest } from "./wire-schema.ts";
import { SimulatorWorker, type WorkerJob } from "./worker.ts";

export interface PoolOptions {
  readonly path: string;
  /** Number of workers; each is started when it is needed. */
  readonly size: number;
  /**
   * Requests that a worker gets before it answers the first, so that it never waits for the next.
   */
  readonly window?: number;
  /** Maximum number of requests in the queue; more are refused immediately (default: no limit). */
  readonly queueLimit?: number;
  /** A worker that uses more is replaced between two requests (default: no limit). */
  readonly workerMemoryBytes?: number;
}

export interface PoolStatus {
  readonly workers: number;
  /** Requests that wait for a worker. */
  readonly queued: number;
  /** Requests that a worker has. */
  readonly inFlight: number;
  /** Workers that crashed, hung or broke the protocol. */
  readonly lost: number;
}

export interface PoolHealth {
  status(): PoolStatus;
  /** Resident memory of all workers; 0 where the system does not report it. */
  residentBytes(): number;
}

export interface SimulatorPool extends Simulator, PoolHealth {
  /** svc-sim's own response as it is on the wire (src/svc-sim/README.md), without its `id`. */
  respond(request: ReplayRequest, options: RunOptions): Promise<string>;
  digest(request: ReplayRequest, options: RunOptions): Promise<ExecutionDigest>;
}

export interface RecordingPool extends RecordingSimulator, PoolHealth {}

const DEFAULT_WINDOW = 4;
/** A memory check takes as long as a small simulation. */
const ANSWERS_BETWEEN_MEMORY_CHECKS = 64;

interface Job extends WorkerJob {
  readonly reject: (error: SvcError) => void;
  /** The job was in flight when a worker died: it runs alone now. */
  suspect: boolean;
  /** Its caller is gone. */
  abandoned: boolean;
  worker: Worker | null;
}

type Worker = SimulatorWorker<Job>;
type Read<Answer> = (document: unknown, line: string, run: SimulatorRun) => Answer;

export function openPool(options: PoolOptions): SimulatorPool {
  const pool = new Pool(options);
  return {
    replay: (request, { signal }) => pool.run(request, readResponse, signal),
    respond: (request, { signal }) => pool.run(request, readWire, signal),
    digest: (request, { signal }) => pool.run(digestRequest(request), readDigest, signal),
    ...healthOf(pool),
    [Symbol.asyncDispose]: () => pool.dispose(),
  };
}

/** A pool of svc-sim-recording workers. */
export function openRecordingPool(options: PoolOptions): RecordingPool {
  const pool = new Pool(options);
  return {
    record: (request, { signal }) => pool.run(request, readRecording, signal),
    ...healthOf(pool),
    [Symbol.asyncDispose]: () => pool.dispose(),
  };
}

function healthOf(pool: PoolHealth): PoolHealth {
  return { status: () => pool.status(), residentBytes: () => pool.residentBytes() };
}

class Pool {
  private readonly path: string;
  private readonly size: number;
  private readonly window: number;
  private readonly queueLimit: number;
  private readonly workerMemoryBytes: number;
  private readonly workers = new Set<Worker>();
  /** Workers that run one suspect and must get no other request. */
  private readonly reserved = new Set<Worker>();
  private queue: Job[] = [];
  private readonly pending = new Set<Job>();
  private nextId = 1;
  private disposed = false;
  private lost = 0;
  private answers = 0;

  constructor(options: PoolOptions) {
    this.path = options.path;
    this.size = Math.max(1, options.size);
    this.window = Math.max(1, options.window ?? DEFAULT_WINDOW);
    this.queueLimit = options.queueLimit ?? Number.POSITIVE_INFINITY;
    this.workerMemoryBytes = options.workerMemoryBytes ?? Number.POSITIVE_INFINITY;
  }

  status(): PoolStatus {
    const { workers, queue, pending, lost } = this;
    const queued = queue.length;
    return { workers: workers.size, queued, inFlight: pending.size - queued, lost };
  }

  residentBytes(): number {
    return [...this.workers].reduce((sum, { pid }) => sum + residentMemoryOf(pid), 0);
  }

  run<Answer>(request: AnyRequest, read: Read<Answer>, signal: AbortSignal): Promise<Answer> {
    return new Promise<Answer>((resolve, reject) => {
      if (this.disposed) return reject(closedError());
      if (signal.aborted) return reject(aborted(signal, { path: this.path, stderr: "" }));
      const onAbort = () => {
        job.abandoned = true;
        this.queue = this.queue.filter((queued) => queued !== job);
        job.worker?.abandon(job);
        job.reject(aborted(signal, { path: this.path, stderr: "" }));
      };
      const settle = () => {
        this.pending.delete(job);
        signal.removeEventListener("abort", onAbort);
      };
      const job: Job = {
        id: this.nextId++,
        request,
        suspect: false,
        abandoned: false,
        worker: null,
        deliver(document, line, run) {
          const answer = read(document, line, run);
          settle();
          resolve(answer);
        },
        reject(error) {
          settle();
          reject(error);
        },
      };
      signal.addEventListener("abort", onAbort, { once: true });
      this.pending.add(job);
      this.queue.push(job);
      this.pump();
      if (this.queue.length > this.queueLimit && this.queue.at(-1) === job) {
        this.queue.pop();
        job.reject(overloaded(this.queue.length));
      }
    });
  }

  async dispose(): Promise<void> {
    this.disposed = true;
    this.queue = [];
    for (const job of [...this.pending]) {
      job.abandoned = true;
      job.reject(closedError());
    }
    await Promise.all([...this.workers].map((worker) => worker.finish()));
  }

  /** Sends queued jobs while a worker can take one. */
  private pump(): void {
    while (!this.disposed) {
      const job = this.queue[0];
      if (job === undefined) return;
      let worker: Worker | null;
      try {
        worker = this.workerFor(job);
      } catch (error) {
        this.queue.shift();
        job.reject(error as SvcError);
        continue;
      }
      if (worker === null) return;
      this.queue.shift();
      if (job.suspect) this.reserved.add(worker);
      job.worker = worker;
      worker.send(job);
    }
  }

  /** An idle worker, a new one, or the least busy one; null when all are busy. */
  private workerFor(job: Job): Worker | null {
    const usable = [...this.workers].filter((worker) => worker.open && !this.reserved.has(worker));
    const idle = usable.find((worker) => worker.load === 0);
    if (idle !== undefined) return idle;
    if (this.workers.size < this.size) return this.startWorker();
    if (job.suspect) return null;
    const leastBusy = usable.sort((a, b) => a.load - b.load)[0];
    return leastBusy !== undefined && leastBusy.load < this.window ? leastBusy : null;
  }

  private startWorker(): Worker {
    const worker: Worker = new SimulatorWorker<Job>(this.path, {
      answered: () => {
        this.reserved.delete(worker);
        this.checkMemory(worker);
        this.pump();
      },
      refused: (job, error) => {
        this.reserved.delete(worker);
        if (!job.abandoned) job.reject(error);
        this.pump();
      },
      closed: (jobs, reason) => {
        if (!worker.retiring && !this.disposed && reason.code !== "INTERRUPTED") this.lost += 1;
        this.workers.delete(worker);
        this.reserved.delete(worker);
        this.recover(jobs, reason);
        this.pump();
      },
    });
    this.workers.add(worker);
    return worker;
  }

  /** Contracts leave memory behind; a worker that uses too much is replaced by a new one. */
  private checkMemory(worker: Worker): void {
    this.answers += 1;
    if (this.answers % ANSWERS_BETWEEN_MEMORY_CHECKS !== 0) return;
    if (residentMemoryOf(worker.pid) > this.workerMemoryBytes) worker.retire();
  }

  /** The unanswered jobs of a lost worker, the oldest first. */
  private recover(jobs: readonly Job[], reason: SvcError): void {
    const again: Job[] = [];
    for (const [index, job] of jobs.entries()) {
      if (job.abandoned) continue;
      // Only the oldest job ran when its deadline passed or its caller left.
      const late = reason.code === "SIMULATOR_TIMEOUT" || reason.code === "INTERRUPTED";
      if (job.suspect || (late && index === 0)) {
        job.reject(reason);
        continue;
      }
      job.suspect = !late;
      job.worker = null;
      again.push(job);
    }
    this.queue.unshift(...again);
  }
}

function overloaded(queued: number): SvcError {
  return new SvcError("OVERLOADED", {
    message: `The queue is full: ${queued} simulations are waiting.`,
    remedy: "Try again after the time in the Retry-After header, or run more replicas.",
  });
}

function closedError(): SvcError {
  return new SvcError("INTERRUPTED", {
    message: "The simulation was interrupted: the simulator pool was closed.",
    remedy: "Run the command again.",
  });
}
