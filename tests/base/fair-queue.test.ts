import { expect, test } from "bun:test";
import fc from "fast-check";
import { FairQueue } from "../../src/base/fair-queue.ts";

interface Job {
  readonly client: string;
  readonly number: number;
}

const anybody = () => true;

function taken(queue: FairQueue<Job>, mayRun = anybody): Job[] {
  const jobs: Job[] = [];
  for (let job = queue.next(mayRun); job !== null; job = queue.next(mayRun)) {
    queue.remove(job);
    jobs.push(job);
  }
  return jobs;
}

const clients = fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 60 });

test("clients take turns, and each has its jobs in order", () => {
  fc.assert(
    fc.property(clients, (asking) => {
      const queue = new FairQueue<Job>();
      const jobs = asking.map((client, number) => ({ client, number }));
      for (const job of jobs) queue.push(job);
      expect(queue.length).toBe(jobs.length);
      const order = taken(queue);
      expect(queue.length).toBe(0);
      for (const client of new Set(asking)) {
        const own = order.filter((job) => job.client === client);
        expect(own).toEqual(jobs.filter((job) => job.client === client));
        // Nobody waits for more than one job of each other client between two of its own.
        const turns = own.map((job) => order.indexOf(job));
        for (const [at, turn] of turns.entries())
          expect(turn - (turns[at - 1] ?? -1)).toBeLessThanOrEqual(new Set(asking).size);
      }
    }),
  );
});

test("what is put back is first, and who may not run is passed over", () => {
  const queue = new FairQueue<Job>();
  const [a1, a2, b1, b2] = [
    { client: "a", number: 1 },
    { client: "a", number: 2 },
    { client: "b", number: 1 },
    { client: "b", number: 2 },
  ] as const;
  for (const job of [a1, b1, b2]) queue.push(job);
  queue.putBack([a2]);
  expect(queue.next(anybody)).toEqual(a2);
  expect(queue.next((client) => client === "b")).toEqual(b1);
  expect(queue.remove(b1)).toBe(true);
  expect(queue.remove(b1)).toBe(false);
  expect(taken(queue, () => false)).toEqual([]);
  expect(taken(queue)).toEqual([a2, a1, b2]);
});
