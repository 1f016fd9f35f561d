// With --every-path, the call of a path that is rehearsed is the first one that was read, in
// whatever order the calls that run side by side end.

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import fc from "fast-check";
import { ensureBuilt } from "../../scripts/ensure-built.ts";
import type { Execution } from "../../src/model/execution.ts";
import { ReadingOrder, type Turn } from "../../src/rehearsal/reading-order.ts";
import type { ReplayEngines } from "../../src/verify/replay-transaction.ts";
import { openLongChain } from "../support/long-chain.ts";
import { recordedCode } from "../support/recorded-code.ts";
import { rehearsedRange } from "../support/rehearsed-range.ts";

setDefaultTimeout(120_000);

/** Several copies of each recorded call are in one ledger, and so run side by side. */
const chain = openLongChain({ successes: 40, failures: 0, varied: true });
const first = chain.first + 1;
const LEDGERS = 2;
chain.tip = first + LEDGERS;

beforeAll(ensureBuilt, 900_000);
afterAll(() => chain[Symbol.asyncDispose]());

type Answer = () => Promise<Execution>;

/** `delayed` decides when the answer of a run for a path is received. */
async function rehearsed(
  jobs: number,
  delayed: (answer: Answer, number: number) => ReturnType<Answer>,
  everyPath = true,
) {
  let paths = 0;
  const simulator = (engines: ReplayEngines): ReplayEngines["simulator"] => ({
    ...engines.simulator,
    replay(request, options) {
      const answer = () => engines.simulator.replay(request, options);
      if (request.options?.branches !== true) return answer();
      paths += 1;
      return delayed(answer, paths);
    },
  });
  const range = { first, last: first + LEDGERS - 1 };
  const bytes = recordedCode("kitchen");
  const found = await rehearsedRange(chain, { range, bytes, jobs, everyPath, simulator });
  return { ...found, paths };
}

test("it is the same call, whichever run ends first", async () => {
  const { document, paths } = await rehearsed(1, (answer) => answer());
  expect(document.repeated).toBeGreaterThan(document.calls.length);
  const waiting: (() => void)[] = [];
  const turned = await rehearsed(2, async (answer, number) => {
    // The first of two is answered after the second.
    if (number % 2 === 1 && number < paths) {
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.push(resolve);
      await promise;
      return answer();
    }
    const execution = await answer();
    for (const resolve of waiting.splice(0)) resolve();
    return execution;
  });
  expect(turned.document).toEqual(document);
});

test("a call that turns out not to be judged counts once", async () => {
  const every = await rehearsed(2, (answer) => answer(), false);
  const { document, rehearser, again } = await rehearsed(2, (answer) => answer());
  const kept = new Set(document.calls.map(({ hash }) => hash));
  const [repeated = ""] = every.document.calls.flatMap(({ hash }) => (kept.has(hash) ? [] : hash));
  const { count } = rehearser;
  // The period of an archive is replayed again if its states do not agree.
  rehearser.leaveOut(repeated, { kind: "state-unknown" });
  expect(rehearser.count).toBe(count);
  expect((await again()).repeated).toBe((document.repeated ?? 0) - 1);
});

test("a path whose call turns out not to be judged has another call", async () => {
  const before = await rehearsed(2, (answer) => answer());
  const [lost] = before.document.calls;
  if (lost === undefined) throw new Error("there are calls");
  const needed = new Set<string>();
  const range = { first, last: first + LEDGERS - 1 };
  const every = await rehearsed(2, (answer) => answer(), false);
  const { document } = await rehearsedRange(chain, {
    ...{ range, bytes: recordedCode("kitchen"), jobs: 2, everyPath: true },
    async afterwards(rehearser, read) {
      rehearser.leaveOut(lost.hash, { kind: "state-unknown" });
      for (const { hash } of every.document.calls)
        if (rehearser.isNeededAgain(hash)) needed.add(hash);
      await read(needed);
    },
  });
  expect(needed.size).toBeGreaterThan(1);
  expect(document.calls).toHaveLength(before.document.calls.length);
  const others = before.document.calls.filter(({ hash }) => hash !== lost.hash);
  const [instead, ...more] = document.calls.filter(
    ({ hash }) => !others.some((each) => each.hash === hash),
  );
  expect(more).toEqual([]);
  expect(needed.has(instead?.hash ?? "")).toBe(true);
  expect(instead?.reached).toEqual(lost.reached);
  expect(document.repeated).toBe((before.document.repeated ?? 0) - 1);
  expect(document.notJudged).toEqual([{ kind: "state-unknown", calls: 1 }]);
});

test("turns come in the order in which they were taken, in whatever order they are asked for", async () => {
  const orders = fc.array(fc.nat(), { minLength: 1, maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(orders, async (arrivals) => {
      const order = new ReadingOrder();
      const taken: [Turn, number][] = arrivals.map((_, number) => [order.take(), number]);
      const came: number[] = [];
      const arriving = taken.sort(
        ([, left], [, right]) => (arrivals[left] ?? 0) - (arrivals[right] ?? 0),
      );
      await Promise.all(
        arriving.map(async ([turn, number]) => {
          await turn.comes;
          came.push(number);
          turn.end();
        }),
      );
      expect(came).toEqual(came.toSorted((left, right) => left - right));
    }),
  );
});

test("a turn that ends before it comes lets nobody pass the turns before it", async () => {
  const order = new ReadingOrder();
  const [first, second, third] = [order.take(), order.take(), order.take()];
  const came: string[] = [];
  const waiting = third.comes.then(() => came.push("third"));
  second.end();
  for (let step = 0; step < 20; step += 1) await Promise.resolve();
  came.push("first");
  first.end();
  await waiting;
  expect(came).toEqual(["first", "third"]);
});
