// Asks for a list of things in order, and asks for the next ones while the caller uses one.

import { joinSignals } from "./join-signals.ts";

/**
 * Yields the answer for each place, in the order of the places. One more question is open after the
 * first answer, two after the second, and so on up to `most`: a caller that needs only the first
 * answer wastes little. Questions that are still open when the caller stops are aborted through
 * their signal.
 */
export async function* askAhead<Place, Answer>(
  places: Iterable<Place>,
  most: number,
  ask: (place: Place, signal: AbortSignal) => Promise<Answer>,
  signal: AbortSignal,
): AsyncGenerator<Answer> {
  const stopped = new AbortController();
  using either = joinSignals([signal, stopped.signal]);
  const left = places[Symbol.iterator]();
  const pending: Promise<Answer>[] = [];
  const askUpTo = (count: number) => {
    while (pending.length < count) {
      const next = left.next();
      if (next.done === true) return;
      const answer = ask(next.value, either.signal);
      // An error is thrown when the caller reaches this answer, and ignored if it never does.
      answer.catch(() => {});
      pending.push(answer);
    }
  };
  try {
    askUpTo(1);
    for (let taken = 1; pending.length > 0; taken += 1) {
      const answer = await (pending.shift() as Promise<Answer>);
      askUpTo(Math.min(taken, most));
      yield answer;
    }
  } finally {
    stopped.abort();
  }
}
