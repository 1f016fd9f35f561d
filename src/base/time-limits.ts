// Time limits that can pause together, while a person thinks or while a download runs that the user
// allowed. An `AbortSignal.timeout` cannot pause.

import { inBackground } from "./turns.ts";

export interface TimeLimits {
  /** Returns a signal that aborts with a TimeoutError after this much counted time. */
  readonly limit: (milliseconds: number) => AbortSignal;
  /** Does the work without counting its time. */
  readonly uncounted: <Result>(work: () => Promise<Result>) => Promise<Result>;
}

interface OpenLimit {
  leftMilliseconds: number;
  timer: ReturnType<typeof setTimeout> | null;
  startedAt: number;
  readonly late: () => void;
}

export function openTimeLimits(): TimeLimits {
  const limits = new Set<OpenLimit>();
  let uncountedRuns = 0;
  const start = (limit: OpenLimit) => {
    limit.startedAt = performance.now();
    limit.timer = setTimeout(limit.late, limit.leftMilliseconds);
    // A run that has ended does not wait for its limit.
    inBackground(limit.timer);
  };
  const hold = (limit: OpenLimit) => {
    clearTimeout(limit.timer ?? undefined);
    limit.leftMilliseconds -= performance.now() - limit.startedAt;
  };
  return {
    limit(milliseconds) {
      const controller = new AbortController();
      const late = () => {
        limits.delete(limit);
        controller.abort(new DOMException("The time is up.", "TimeoutError"));
      };
      const limit: OpenLimit = { leftMilliseconds: milliseconds, timer: null, startedAt: 0, late };
      limits.add(limit);
      if (uncountedRuns === 0) start(limit);
      return controller.signal;
    },
    async uncounted(work) {
      if (uncountedRuns === 0) limits.forEach(hold);
      uncountedRuns += 1;
      try {
        return await work();
      } finally {
        uncountedRuns -= 1;
        if (uncountedRuns === 0) limits.forEach(start);
      }
    },
  };
}
