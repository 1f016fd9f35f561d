import { expect, test } from "bun:test";
import { awaitInOrder, inParallel } from "../../src/base/in-parallel.ts";

test("results are in the order of the items, and the limit is never exceeded", async () => {
  let running = 0;
  let most = 0;
  const results = await inParallel([30, 1, 20, 2, 10], 2, async (turns, index) => {
    running += 1;
    most = Math.max(most, running);
    for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
    running -= 1;
    return `${index}: ${turns}`;
  });
  expect(results).toEqual(["0: 30", "1: 1", "2: 20", "3: 2", "4: 10"]);
  expect(most).toBe(2);
});

test("nothing to do is done at once", async () => {
  expect(await inParallel([], 4, async () => 1)).toEqual([]);
});

test("after a failure nothing further is begun", async () => {
  const begun: number[] = [];
  const failing = inParallel([0, 1, 2, 3], 1, async (item) => {
    begun.push(item);
    if (item === 1) throw new Error("no");
  });
  await expect(failing).rejects.toThrow("no");
  expect(begun).toEqual([0, 1]);
});

test("of several failures the first in the list is thrown, and those after it are not awaited", async () => {
  const [slow, quick] = [Promise.withResolvers<number>(), Promise.withResolvers<string>()];
  const never = new Promise<never>(() => {});
  const all = awaitInOrder([slow.promise, quick.promise, never]);
  quick.reject(new Error("the second"));
  slow.reject(new Error("the first"));
  await expect(all).rejects.toThrow("the first");
  await expect(awaitInOrder([Promise.resolve(1), quick.promise, never])).rejects.toThrow("second");
  expect(await awaitInOrder([Promise.resolve(1), Promise.resolve("two")])).toEqual([1, "two"]);
});
