// Time as an argument: code that waits or measures gets a Clock, so that tests need not sleep.

export interface Clock {
  unixMilliseconds(): number;
  /** Time that never goes back. Only the difference of two readings has a meaning. */
  monotonicMilliseconds(): number;
  /** Rejects with the signal's reason as soon as it is aborted. */
  sleep(milliseconds: number, signal: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  unixMilliseconds: () => Date.now(),
  monotonicMilliseconds: () => performance.now(),
  sleep,
};

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
