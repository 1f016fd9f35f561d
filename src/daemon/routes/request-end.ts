// One signal for all that ends the work for a request before its answer: others' signals, and its
// time limit. AbortSignal.timeout and AbortSignal.any would keep every request in memory until its
// time limit, long after its answer.

export interface RequestEnd {
  /** Aborted with the reason of the first that ends the work, or a TimeoutError. */
  readonly signal: AbortSignal;
  /** The request has its answer: nothing aborts the signal any more. */
  readonly answered: () => void;
}

export function openRequestEnd(
  signals: readonly AbortSignal[],
  timeoutMilliseconds: number,
): RequestEnd {
  const controller = new AbortController();
  const follow = ({ target }: Event) => controller.abort((target as AbortSignal).reason);
  for (const signal of signals) {
    if (signal.aborted) controller.abort(signal.reason);
    else signal.addEventListener("abort", follow, { once: true });
  }
  const late = () => controller.abort(new DOMException("The operation timed out.", "TimeoutError"));
  const timer = setTimeout(late, timeoutMilliseconds);
  return {
    signal: controller.signal,
    answered() {
      clearTimeout(timer);
      for (const signal of signals) signal.removeEventListener("abort", follow);
    },
  };
}
