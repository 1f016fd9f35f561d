import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { askAhead } from "../../src/base/ask-ahead.ts";
import { NEVER_ABORTED } from "../support/loopback-walk.ts";

/** Answers each place with itself, when it is told to. */
function openAnswers() {
  const waiting = new Map<number, PromiseWithResolvers<number>>();
  const asked: number[] = [];
  const signals: AbortSignal[] = [];
  return {
    asked,
    signals,
    ask: (place: number, signal: AbortSignal) => {
      asked.push(place);
      signals.push(signal);
      const answer = Promise.withResolvers<number>();
      waiting.set(place, answer);
      return answer.promise;
    },
    answer: (place: number) => waiting.get(place)?.resolve(place),
    fail: (place: number) => waiting.get(place)?.reject(new Error(`no ${place}`)),
  };
}

describe("answers asked for ahead", () => {
  test("come in order, and no more than one after each that was taken is on its way", async () => {
    const sizes = fc.record({ count: fc.nat(20), most: fc.integer({ min: 1, max: 6 }) });
    await fc.assert(
      fc.asyncProperty(sizes, async ({ count, most }) => {
        const places = Array.from({ length: count }, (_, at) => at);
        const { ask, answer, asked } = openAnswers();
        const answers = askAhead(places, most, ask, NEVER_ABORTED);
        for (const place of places) {
          const next = answers.next();
          answer(place);
          expect(await next).toEqual({ done: false, value: place });
          expect(asked.length).toBe(Math.min(count, place + 1 + Math.min(place + 1, most)));
        }
        expect((await answers.next()).done).toBe(true);
        expect(asked).toEqual(places);
      }),
    );
  });

  test("a failure is thrown in its turn, and those after it are aborted", async () => {
    const { ask, answer, fail, signals } = openAnswers();
    const answers = askAhead([0, 1, 2, 3, 4], 3, ask, NEVER_ABORTED);
    const first = answers.next();
    answer(0);
    await first;
    answer(1);
    await answers.next();
    fail(3);
    answer(2);
    expect((await answers.next()).value).toBe(2);
    await expect(answers.next()).rejects.toThrow("no 3");
    expect(signals.every((signal) => signal.aborted)).toBe(true);
  });

  test("who stops early aborts what is on its way", async () => {
    const { ask, answer, asked, signals } = openAnswers();
    const answers = askAhead([0, 1, 2], 3, ask, NEVER_ABORTED);
    const first = answers.next();
    answer(0);
    await first;
    await answers.return(undefined);
    expect(asked).toEqual([0, 1]);
    expect(signals.every((signal) => signal.aborted)).toBe(true);
  });
});
