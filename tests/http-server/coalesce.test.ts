// One run for all clients with the same request at the same time: a client that leaves does not
// affect the others, the last one ends the run, and results are not kept.

import { expect, test } from "bun:test";
import { Coalescer, type SharedRun } from "../../src/http-server/limits/coalesce.ts";
import type { Run } from "../../src/tools/tools.ts";

function asker() {
  const controller = new AbortController();
  const told: string[] = [];
  const waiter: Run = { signal: controller.signal, progress: (text) => told.push(text) };
  return { waiter, told, leave: () => controller.abort(new Error("left")) };
}

/** A run that the test ends. */
function heldRun() {
  const result = Promise.withResolvers<string>();
  const runs: Run[] = [];
  const run: SharedRun<string> = (waiter) => {
    runs.push(waiter);
    waiter.progress(`run ${runs.length}`);
    return result.promise;
  };
  return { run, runs, result };
}

test("who asks later shares the run, and hears of it from then on", async () => {
  const coalescer = new Coalescer<string>();
  const { run, runs, result } = heldRun();
  const [first, second] = [asker(), asker()];
  const answers = [first, second].map(({ waiter }) => coalescer.run("key", waiter, run));
  runs[0]?.progress("going on");
  result.resolve("answer");
  expect(await Promise.all(answers)).toEqual(["answer", "answer"]);
  expect([first.told, second.told]).toEqual([["run 1", "going on"], ["going on"]]);
  expect([runs.length, coalescer.size]).toEqual([1, 0]);
  await coalescer.run("key", asker().waiter, run);
  expect(runs.length).toBe(2);
});

test("other keys are other runs", async () => {
  const coalescer = new Coalescer<string>();
  const { run, runs, result } = heldRun();
  const answers = ["a", "b"].map((key) => coalescer.run(key, asker().waiter, run));
  expect([runs.length, coalescer.size]).toEqual([2, 2]);
  result.resolve("answer");
  await Promise.all(answers);
});

test("one that leaves does not affect the others; the last one ends the run", async () => {
  const coalescer = new Coalescer<string>();
  const { run, runs, result } = heldRun();
  const [first, second] = [asker(), asker()];
  const answers = [first, second].map(({ waiter }) => coalescer.run("key", waiter, run));
  first.leave();
  await expect(answers[0]).rejects.toThrow("left");
  expect([runs[0]?.signal.aborted, coalescer.size]).toEqual([false, 1]);
  second.leave();
  await expect(answers[1]).rejects.toThrow("left");
  expect([runs[0]?.signal.aborted, coalescer.size]).toEqual([true, 0]);
  // A new waiter does not get the run that was aborted.
  result.reject(new Error("given up"));
  const next = heldRun();
  next.result.resolve("fresh");
  expect(await coalescer.run("key", asker().waiter, next.run)).toBe("fresh");
});

test("a failure is everybody's, and a run that succeeded is not aborted afterwards", async () => {
  const coalescer = new Coalescer<string>();
  const failing = heldRun();
  const both = [asker(), asker()].map(({ waiter }) => coalescer.run("key", waiter, failing.run));
  failing.result.reject(new Error("broken"));
  expect(await Promise.allSettled(both)).toMatchObject([
    { reason: { message: "broken" } },
    { reason: { message: "broken" } },
  ]);
  const good = heldRun();
  good.result.resolve("answer");
  await coalescer.run("key", asker().waiter, good.run);
  expect(good.runs[0]?.signal.aborted).toBe(false);
});
