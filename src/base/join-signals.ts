// Joins several signals into one that lives only as long as its purpose. `AbortSignal.any` and
// `AbortSignal.timeout` live as long as their sources and their time, and keep all their listeners:
// a process that runs for weeks would keep those of every request.

export interface JoinedSignal extends Disposable {
  /** Aborts with the reason of the first signal that aborts, or with a TimeoutError. */
  readonly signal: AbortSignal;
}

/**
 * Runs `action` with a signal that also aborts when the action has ended, so that everything the
 * action began ends with it.
 */
export async function withEnd<Result>(
  signal: AbortSignal,
  action: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const ended = new AbortController();
  using joined = joinSignals([signal, ended.signal]);
  try {
    return await action(joined.signal);
  } finally {
    ended.abort();
  }
}

/** Settles as `promise` does, or rejects with the signal's reason if that comes first. */
export async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  const onAbort = () => aborted.reject(signal.reason);
  if (signal.aborted) onAbort();
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([promise, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

/**
 * Without `timeoutMilliseconds` there is no time limit. `controller` is the controller of the
 * joined signal. After disposal neither the signals nor the time abort it.
 */
export function joinSignals(
  signals: readonly AbortSignal[],
  timeoutMilliseconds?: number,
  controller = new AbortController(),
): JoinedSignal {
  const aborted = signals.find((each) => each.aborted);
  if (aborted !== undefined) controller.abort(aborted.reason);
  const onAbort = ({ target }: Event) => controller.abort((target as AbortSignal).reason);
  for (const each of signals) each.addEventListener("abort", onAbort, { once: true });
  const late = () => controller.abort(new DOMException("The time is up.", "TimeoutError"));
  const timer = timeoutMilliseconds === undefined ? null : setTimeout(late, timeoutMilliseconds);
  return {
    signal: controller.signal,
    [Symbol.dispose]() {
      if (timer !== null) clearTimeout(timer);
      for (const each of signals) each.removeEventListener("abort", onAbort);
    },
  };
}
