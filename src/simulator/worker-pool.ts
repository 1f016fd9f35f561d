// Several `svc-sim serve` workers behind one queue. Invariants: each request ends once, with an
// answer or an error of its own. If a worker dies, its open requests run again, each alone on a
// worker, so that a request that kills its worker fails the second time and no other request is
// lost. A client with slow requests does not delay the others: additional workers serve these. The
// queue has no limit. Callers with many clients must limit the requests, because the pool does not
// know what a request is a part of.

import { SvcError } from "../base/errors/errors.ts";
import { FairQueue } from "../base/fair-queue.ts";
import { AGAIN, phrase } from "../base/phrase.ts";
import { residentMemoryOf } from "./resident-memory.ts";
import type { AnyRequest } from "./sent-entries.ts";
import { graceAfter, type RunOptions, withDeadline } from "./simulator.ts";
import { aborted, type SimulatorRun } from "./simulator-error.ts";
import type { SimulatorProgram } from "./simulator-program.ts";
import { SimulatorWorker, type WorkerJob, type WorkerOptions } from "./worker.ts";

export interface WorkerPoolOptions {
  /** The number of workers. Each is started when it is needed. */
  readonly size: number;
  /**
   * The number of requests that a worker receives before it answers the first, so that it never
   * waits for the next.
   */
  readonly window?: number;
  /**
   * A worker that uses more memory is replaced between two requests, and a request that needs more
   * fails (default: no limit).
   */
  readonly workerMemoryBytes?: number;
  /** The CPU time of one request in milliseconds (default: no limit). */
  readonly cpuMilliseconds?: number;
  /** The deadline of requests without a deadline or with a later one. */
  readonly deadlineMilliseconds?: number;
  /** The time after which a request counts as slow (default: no request does). */
  readonly slowMilliseconds?: number;
}

export interface PoolStatus {
  readonly workers: number;
  /** The number of requests that wait for a worker. */
  readonly queued: number;
  /** The number of requests that a worker has. */
  readonly inFlight: number;
  /** The number of workers that crashed, hung, broke the protocol, or could not be started. */
  readonly lost: number;
}

export interface PoolHealth {
  status(): PoolStatus;
  /** The resident memory of all workers in bytes; 0 if the system does not report it. */
  residentBytes(): number;
}

export const DEFAULT_WINDOW = 4;
/** The memory for the code of svc-sim, its stacks, and what allocators reserve without using it. */
const ADDRESS_SPACE_BESIDE_MEMORY_BYTES = 128 * 1024 * 1024;
/** A memory check takes as long as a small simulation. */
const ANSWERS_BETWEEN_MEMORY_CHECKS = 64;

interface Job extends WorkerJob {
  readonly reject: (error: SvcError) => void;
  /** True if the job was open when a worker died, so that it now runs alone. */
  suspect: boolean;
  /** True if its caller has left. */
  abandoned: boolean;
  worker: Worker | null;
}

type Worker = SimulatorWorker<Job>;
type Read<Answer> = (line: string, run: SimulatorRun) => Answer;

export class WorkerPool implements PoolHealth {
  private readonly worker: WorkerOptions;
  private readonly size: number;
  private readonly window: number;
  private readonly workerMemoryBytes: number;
  private readonly deadlineMilliseconds: number;
  private readonly workers = new Set<Worker>();
  /** Workers that run one suspect and must get no other request. */
  private readonly reserved = new Set<Worker>();
  /**
   * Workers that run a slow request. They receive no other, and additional workers serve in their
   * place.
   */
  private readonly slow = new Set<Worker>();
  private readonly queue = new FairQueue<Job>();
  private readonly pending = new Set<Job>();
  private nextId = 1;
  private disposed = false;
  private lost = 0;
  private answers = 0;

  constructor(options: WorkerPoolOptions & Pick<SimulatorProgram, "path">) {
    this.worker = {
      path: options.path,
      limits: limitsOf(options),
      slowMilliseconds: options.slowMilliseconds ?? null,
      graceMilliseconds: graceAfter(options.deadlineMilliseconds),
    };
    this.size = Math.max(1, options.size);
    this.window = Math.max(1, options.window ?? DEFAULT_WINDOW);
    this.workerMemoryBytes = options.workerMemoryBytes ?? Number.POSITIVE_INFINITY;
    this.deadlineMilliseconds = options.deadlineMilliseconds ?? Number.POSITIVE_INFINITY;
  }

  status(): PoolStatus {
    const { workers, queue, pending, lost } = this;
    const queued = queue.length;
    return { workers: workers.size, queued, inFlight: pending.size - queued, lost };
  }

  residentBytes(): number {
    return [...this.workers].reduce((sum, { pid }) => sum + residentMemoryOf(pid), 0);
  }

  run<Answer>(
    request: AnyRequest,
    read: Read<Answer>,
    { signal, client = "" }: RunOptions,
  ): Promise<Answer> {
    return new Promise<Answer>((resolve, reject) => {
      const { path } = this.worker;
      if (this.disposed) return reject(closedError());
      if (signal.aborted) return reject(aborted(signal, { path, stderr: "" }));
      const onAbort = () => {
        job.abandoned = true;
        this.queue.remove(job);
        job.worker?.abandon(job);
        job.reject(aborted(signal, { path, stderr: "" }));
      };
      const settle = () => {
        this.pending.delete(job);
        signal.removeEventListener("abort", onAbort);
      };
      const job: Job = {
        id: this.nextId++,
        request: withDeadline(request, this.deadlineMilliseconds),
        client,
        suspect: false,
        abandoned: false,
        worker: null,
        deliver(line, run) {
          const answer = read(line, run);
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
    });
  }

  async dispose(): Promise<void> {
    this.disposed = true;
    this.queue.clear();
    for (const job of [...this.pending]) {
      job.abandoned = true;
      job.reject(closedError());
    }
    await Promise.all([...this.workers].map((worker) => worker.finish()));
  }

  /** Sends queued jobs while a worker can take one. */
  private pump(): void {
    while (!this.disposed) {
      const job = this.queue.next((client) => this.mayRun(client));
      if (job === null) return;
      let worker: Worker | null;
      try {
        worker = this.workerFor(job);
      } catch (error) {
        this.queue.remove(job);
        job.reject(error as SvcError);
        continue;
      }
      if (worker === null) return;
      this.queue.remove(job);
      if (job.suspect) this.reserved.add(worker);
      job.worker = worker;
      worker.send(job);
    }
  }

  /** Says whether a client may use an additional worker: only clients without slow requests may. */
  private mayRun(client: string): boolean {
    if (this.slow.size === 0) return true;
    return [...this.workers].filter((worker) => worker.worksFor(client)).length < this.size;
  }

  /** The maximum number of workers: one more for each slow worker, up to `size`. */
  private get most(): number {
    return this.size + Math.min(this.slow.size, this.size);
  }

  /** An idle worker, a new one, or the least busy one; null if all are busy. */
  private workerFor(job: Job): Worker | null {
    const usable = [...this.workers].filter(
      (worker) => worker.open && !this.reserved.has(worker) && !this.slow.has(worker),
    );
    const idle = usable.find((worker) => worker.load === 0);
    // A suspect gets a new worker, so that leftovers of earlier requests cannot make it fail.
    const room = this.workers.size < this.most;
    if (idle !== undefined && !(job.suspect && room)) return idle;
    if (room) {
      try {
        return this.startWorker();
      } catch (error) {
        this.lost += 1;
        // While svc-sim cannot be started, the existing workers go on.
        if (idle !== undefined) return idle;
        if (this.workers.size === 0) throw error;
      }
    }
    if (job.suspect) return null;
    const leastBusy = usable.sort((a, b) => a.load - b.load)[0];
    return leastBusy !== undefined && leastBusy.load < this.window ? leastBusy : null;
  }

  private startWorker(): Worker {
    const worker: Worker = new SimulatorWorker<Job>(this.worker, {
      answered: () => {
        this.free(worker);
        this.checkMemory(worker);
        this.pump();
      },
      refused: (job, error) => {
        this.free(worker);
        if (!job.abandoned) job.reject(error);
        this.pump();
      },
      slow: () => {
        this.slow.add(worker);
        this.putBack(worker.withdraw(), { suspect: false });
        this.pump();
      },
      closed: (jobs, reason) => {
        const isExpected = reason === null || this.disposed || reason.code === "INTERRUPTED";
        if (!isExpected) this.lost += 1;
        this.workers.delete(worker);
        this.free(worker);
        this.recover(jobs, reason);
        this.pump();
      },
    });
    this.workers.add(worker);
    return worker;
  }

  private free(worker: Worker): void {
    this.reserved.delete(worker);
    this.slow.delete(worker);
    if (this.workers.size > this.most) worker.retire();
  }

  /** Contracts leave memory behind. A worker that uses too much is replaced by a new one. */
  private checkMemory(worker: Worker): void {
    this.answers += 1;
    if (this.answers % ANSWERS_BETWEEN_MEMORY_CHECKS !== 0) return;
    if (residentMemoryOf(worker.pid) > this.workerMemoryBytes) worker.retire();
  }

  /** The unanswered jobs of a lost worker, the oldest first. */
  private recover(jobs: readonly Job[], reason: SvcError | null): void {
    // Only the oldest job was running when its deadline passed or its caller left.
    const late = reason?.code === "SIMULATOR_TIMEOUT" || reason?.code === "INTERRUPTED";
    const failed = jobs.filter((job, index) => job.suspect || (late && index === 0));
    if (reason !== null) for (const job of failed) if (!job.abandoned) job.reject(reason);
    const again = jobs.filter((job) => reason === null || !failed.includes(job));
    this.putBack(again, { suspect: !late && reason !== null });
  }

  private putBack(jobs: readonly Job[], { suspect }: { readonly suspect: boolean }): void {
    const again = jobs.filter(({ abandoned }) => !abandoned);
    for (const job of again) Object.assign(job, { suspect: job.suspect || suspect, worker: null });
    this.queue.putBack(again);
  }
}

/** The arguments of `svc-sim serve`. */
function limitsOf({ workerMemoryBytes, cpuMilliseconds }: WorkerPoolOptions): string[] {
  const bytes =
    workerMemoryBytes === undefined ? null : workerMemoryBytes + ADDRESS_SPACE_BESIDE_MEMORY_BYTES;
  return [
    ...(bytes === null ? [] : ["--memory-bytes", String(bytes)]),
    ...(cpuMilliseconds === undefined ? [] : ["--cpu-milliseconds", String(cpuMilliseconds)]),
  ];
}

function closedError(): SvcError {
  return new SvcError("INTERRUPTED", {
    message: "The simulation was interrupted: the simulator pool was closed.",
    remedy: phrase`${AGAIN}.`,
  });
}
