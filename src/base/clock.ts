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
