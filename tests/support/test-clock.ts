// A clock whose time moves only when a wait ends, or when the test says so: short waits end
// immediately, long ones (the time limits of attempts) when the test ends them.

import type { Clock } from "../../src/base/clock.ts";

export class TestClock implements Clock {
  /** The waits that ended immediately. */
  readonly waits: number[] = [];
  private now = 0;
  private readonly pending: { readonly milliseconds: number; readonly pass: () => void }[] = [];
  private readonly grantedUpTo: number;

  constructor(options: { readonly grantedUpTo: number }) {
    this.grantedUpTo = options.grantedUpTo;
  }

  unixMilliseconds(): number {
    return 1_800_000_000_000 + this.now;
  }

  monotonicMilliseconds(): number {
    return this.now;
  }

  sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.reject(signal.reason);
    if (milliseconds <= this.grantedUpTo) {
      this.waits.push(milliseconds);
      this.now += milliseconds;
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const wait = { milliseconds, pass: resolve };
      this.pending.push(wait);
      const end = () => {
        const at = this.pending.indexOf(wait);
        if (at !== -1) this.pending.splice(at, 1);
        reject(signal.reason);
      };
      signal.addEventListener("abort", end, { once: true });
    });
  }

  /** Ends every pending time limit, or only those that are not longer. */
  passLimits(longestMilliseconds = Number.POSITIVE_INFINITY): void {
    for (const { milliseconds, pass } of this.pending.splice(0)) {
      if (milliseconds > longestMilliseconds) {
        this.pending.push({ milliseconds, pass });
        continue;
      }
      this.now += milliseconds;
      pass();
    }
  }

  /** Time passes, without an end of any wait. */
  advance(milliseconds: number): void {
    this.now += milliseconds;
  }
}
