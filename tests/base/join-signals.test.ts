import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { joinSignals, withEnd } from "../../src/base/join-signals.ts";

const controllers = (count: number) => Array.from({ length: count }, () => new AbortController());

describe("a joined signal", () => {
  test("is aborted with the reason of the first that is, before or after it was joined", () => {
    fc.assert(
      fc.property(
        fc.shuffledSubarray([0, 1, 2, 3], { minLength: 1 }),
        fc.nat(4),
        (order, afterJoining) => {
          const sources = controllers(4);
          const abort = (at: number) => sources[at]?.abort(at);
          for (const at of order.slice(afterJoining)) abort(at);
          using joined = joinSignals(sources.map(({ signal }) => signal));
          const before = order.slice(afterJoining);
          expect(joined.signal.aborted).toBe(before.length > 0);
          for (const at of order.slice(0, afterJoining)) abort(at);
          expect(joined.signal.aborted).toBe(true);
          if (before.length === 0) expect(joined.signal.reason).toBe(order[0]);
          else expect(before).toContain(joined.signal.reason);
        },
      ),
    );
  });

  test("is aborted by its time limit, with a TimeoutError", async () => {
    using joined = joinSignals([], 1);
    const aborted = Promise.withResolvers<void>();
    joined.signal.addEventListener("abort", () => aborted.resolve());
    await aborted.promise;
    expect(joined.signal.reason).toBeInstanceOf(DOMException);
    expect(joined.signal.reason.name).toBe("TimeoutError");
  });

  test("is not aborted after its end", () => {
    const [source] = controllers(1);
    const joined = joinSignals([(source as AbortController).signal], 1_000_000);
    joined[Symbol.dispose]();
    source?.abort();
    expect(joined.signal.aborted).toBe(false);
  });
});

test("what an action began ends with the action, and with its caller", async () => {
  const caller = new AbortController();
  const begun: AbortSignal[] = [];
  const action = async (signal: AbortSignal) => {
    begun.push(signal);
    expect(signal.aborted).toBe(false);
    return "done";
  };
  expect(await withEnd(caller.signal, action)).toBe("done");
  expect(begun[0]?.aborted).toBe(true);
  expect(caller.signal.aborted).toBe(false);
  const waiting = withEnd(caller.signal, async (signal) => {
    await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  });
  caller.abort("left");
  expect(await waiting.catch((reason) => reason)).toBe("left");
});
