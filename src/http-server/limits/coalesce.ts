// Lets equal requests at the same time share one run. Invariants: a run ends when its last waiter
// has left, and a waiter that leaves does not affect the others. Results are not kept.

import type { Run } from "../../tools/tools.ts";

/** A run that several requests share. It has the trace and the client of the first one. */
export type SharedRun<Result> = (run: Run) => Promise<Result>;

interface Shared<Result> {
  ended: boolean;
  readonly waiters: Set<Run>;
  readonly controller: AbortController;
  readonly result: Promise<Result>;
}

export class Coalescer<Result> {
  private readonly running = new Map<string, Shared<Result>>();

  /** The number of runs that have not ended. */
  get size(): number {
    return this.running.size;
  }

  has(key: string): boolean {
    return this.running.has(key);
  }

  /**
   * Waits for a shared run. If the waiter's signal is aborted, it rejects with the signal's reason
   * at once. The last waiter gets the error of the run, which ends then.
   */
  async run(key: string, waiter: Run, run: SharedRun<Result>): Promise<Result> {
    const { signal } = waiter;
    signal.throwIfAborted();
    const shared = this.running.get(key) ?? this.begin(key, run, waiter);
    shared.waiters.add(waiter);
    let leave: () => void = () => {};
    const left = new Promise<never>((_, reject) => {
      leave = () => {
        shared.waiters.delete(waiter);
        if (shared.waiters.size === 0 && !shared.ended) this.end(key, shared, signal.reason);
        setImmediate(() => reject(signal.reason));
      };
    });
    signal.addEventListener("abort", leave, { once: true });
    try {
      return await Promise.race([shared.result, left]);
    } finally {
      signal.removeEventListener("abort", leave);
      shared.waiters.delete(waiter);
    }
  }

  private begin(key: string, run: SharedRun<Result>, first: Run): Shared<Result> {
    const waiters = new Set([first]);
    const controller = new AbortController();
    const progress = (text: string) => {
      for (const waiter of waiters) waiter.progress(text);
    };
    const result = run({ ...first, signal: controller.signal, progress });
    const shared: Shared<Result> = { ended: false, waiters, controller, result };
    this.running.set(key, shared);
    const forget = () => this.forget(key, shared);
    // Waiters see a rejection through `run`. Without a waiter it is not a bug.
    result.then(forget, forget);
    return shared;
  }

  private end(key: string, shared: Shared<Result>, reason: unknown): void {
    this.forget(key, shared);
    shared.controller.abort(reason);
  }

  private forget(key: string, shared: Shared<Result>): void {
    shared.ended = true;
    if (this.running.get(key) === shared) this.running.delete(key);
  }
}
