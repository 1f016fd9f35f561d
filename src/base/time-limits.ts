// Time limits that pause together, while a person thinks or a download runs that the user allowed:
// an `AbortSignal.timeout` cannot pause.

import { inBackground } from "./turns.ts";

export interface TimeLimits {
  /** The signal aborts with a TimeoutError once this much time was counted. */
  readonly limit: (milliseconds: number) => AbortSignal;
  /** Does the work; its time is not counted. */
  readonly uncounted: <Result>(work: () => Promise<Result>) => Promise<Result>;
}

interface Limit {
  leftMilliseconds: number;
  timer: ReturnType<typeof setTimeout> | null;
  startedAt: number;
  readonly late: () => void;
}

export function openTimeLimits(): TimeLimits {
  const limits = new Set<Limit>();
  let works = 0;
  const start = (limit: Limit) => {
    limit.startedAt = performance.now();
    limit.timer = setTimeout(limit.late, limit.leftMilliseconds);
    // A run that has ended does not wait for its limit.
    inBackground(limit.timer);
  };
  const hold = (limit: Limit) => {
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
      const limit: Limit = { leftMilliseconds: milliseconds, timer: null, startedAt: 0, late };
      limits.add(limit);
      if (works === 0) start(limit);
      return controller.signal;
    },
    async uncounted(work) {
      if (works === 0) limits.forEach(hold);
      works += 1;
      try {
        return await work();
      } finally {
        works -= 1;
        if (works === 0) limits.forEach(start);
      }
    },
  };
}
