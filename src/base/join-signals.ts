// One signal for several, which lives as long as what it is for. `AbortSignal.any` and
// `AbortSignal.timeout` live as long as their sources and their time, and keep all that listens:
// in a process that runs for weeks those of every request.

export interface JoinedSignal extends Disposable {
  /** Aborted with the reason of the first that is, or with a TimeoutError. */
  readonly signal: AbortSignal;
}

/** Runs `action` with a signal that is aborted when it has ended, too: what it began ends with it. */
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

/** `promise`, or the reason of the signal, whichever comes first. */
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
 * `timeoutMilliseconds`: absent: no limit. `controller`: of the signal. After it is disposed of the
 * signals and the time do not abort it.
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
