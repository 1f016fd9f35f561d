// Time as an argument: whoever waits or measures is given a Clock, so that tests need no sleeps.

export interface Clock {
  unixMilliseconds(): number;
  /** Never goes back; only differences mean something. */
  monotonicMilliseconds(): number;
  /** Rejects with the signal's reason as soon as it is aborted. */
  sleep(milliseconds: number, signal: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  unixMilliseconds: () => Date.now(),
  monotonicMilliseconds: () => performance.now(),
  sleep,
};

/** A signal that is aborted by its parent, or with `reason()` after the given time. */
export function deadlineSignal(
  parent: AbortSignal,
  milliseconds: number,
  reason: () => Error,
): AbortSignal {
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(reason()), milliseconds);
  // The deadline bounds work that is under way; it must not keep a finished process alive.
  timer.unref();
  return AbortSignal.any([parent, deadline.signal]);
}

function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(signal.reason);
      return;
    }
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", onAbort);
      resolve();
    }, milliseconds);
    signal.addEventListener("abort", onAbort, { once: true });
  });
}
