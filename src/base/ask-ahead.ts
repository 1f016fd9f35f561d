// Answers in order, of which the next are on their way while one is being used.

import { joinSignals } from "./join-signals.ts";

/**
 * The answer for each place in turn. After the first, one more is on its way, after the second two,
 * and so on up to `most`, so that little is wasted on who needs only the first. When the caller stops,
 * the signal of those is aborted.
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
  const asked: Promise<Answer>[] = [];
  const askUpTo = (many: number) => {
    while (asked.length < many) {
      const next = left.next();
      if (next.done === true) return;
      const answer = ask(next.value, either.signal);
      // A failure is thrown when its turn comes. When the caller stops before, it means nothing.
      answer.catch(() => {});
      asked.push(answer);
    }
  };
  try {
    askUpTo(1);
    for (let taken = 1; asked.length > 0; taken += 1) {
      const answer = await (asked.shift() as Promise<Answer>);
      askUpTo(Math.min(taken, most));
      yield answer;
    }
  } finally {
    stopped.abort();
  }
}
