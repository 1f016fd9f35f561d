// The calls of a sequence run in the order in which they are announced, in whatever order their
// replays end, and no call runs before all before it.

import { expect, test } from "bun:test";
import fc from "fast-check";
import { CallSequence } from "../../src/rehearsal/call-sequence.ts";
import type { JudgedCall } from "../../src/rehearsal/replayed-call.ts";
import { NEVER_ABORTED } from "../support/loopback-walk.ts";

const options = { signal: NEVER_ABORTED };

function callOf(hash: string): JudgedCall {
  return {
    record: { hash, ledger: { sequence: 1 } },
    replayed: { snapshot: { entries: [] }, execution: { changes: [] } },
    reached: [{}],
    replaced: [],
  } as unknown as JudgedCall;
}

function sequenceOf(judge: (hash: string) => void) {
  return new CallSequence({
    makeFirst: async () => null,
    judge: async ({ record }) => {
      judge(record.hash);
      return { execution: null, group: "same" };
    },
  });
}

test("calls run in the order of their announcement, each once", async () => {
  const orders = fc.uniqueArray(fc.nat(9), { minLength: 1 });
  await fc.assert(
    fc.asyncProperty(orders, fc.array(fc.nat(9)), async (announced, leftOut) => {
      const ran: string[] = [];
      const sequence = sequenceOf((hash) => ran.push(hash));
      for (const each of announced) sequence.announce(String(each));
      // The engine's process may die, and announces a ledger again.
      for (const each of announced) sequence.announce(String(each));
      const arriving = [...announced].sort((left, right) => left - right);
      const taken = arriving.map((each) => {
        const call = leftOut.includes(each) ? null : callOf(String(each));
        return sequence.take(String(each), call, options);
      });
      await Promise.all(taken);
      expect(ran).toEqual(announced.filter((each) => !leftOut.includes(each)).map(String));
    }),
  );
});

test("after a failure no call runs, and each that waits learns of it", async () => {
  const sequence = sequenceOf((hash) => {
    if (hash === "b") throw new Error("svc-sim is gone");
  });
  for (const each of ["a", "b", "c"]) sequence.announce(each);
  const taken = ["c", "b", "a"].map((each) => sequence.take(each, callOf(each), options));
  const ended = await Promise.allSettled(taken);
  expect(ended.map(({ status }) => status)).toEqual(["rejected", "rejected", "fulfilled"]);
});

test("a call that is taken after a failure does not wait", async () => {
  const sequence = sequenceOf(() => {
    throw new Error("svc-sim is gone");
  });
  const fails = async (hash: string) => {
    sequence.announce(hash);
    const [ended] = await Promise.allSettled([sequence.take(hash, callOf(hash), options)]);
    return ended.status;
  };
  expect([await fails("a"), await fails("b")]).toEqual(["rejected", "rejected"]);
});

test("a call that ran is not kept, even if the next one always waits already", async () => {
  const [calls, ahead, later] = [400, 20, 200];
  const taken: WeakRef<JudgedCall>[] = [];
  let alive = calls;
  const take = async (sequence: CallSequence, number: number): Promise<void> => {
    const call = callOf(String(number));
    taken[number] = new WeakRef(call);
    await sequence.take(String(number), call, options);
    if (number + ahead < calls) await take(sequence, number + ahead);
  };
  const sequence = sequenceOf((hash) => {
    if (Number(hash) !== calls - ahead) return;
    Bun.gc(true);
    alive = taken.slice(0, later).filter((each) => each.deref() !== undefined).length;
  });
  for (let number = 0; number < calls; number += 1) sequence.announce(String(number));
  await Promise.all(Array.from({ length: ahead }, (_, number) => take(sequence, number)));
  // The collector is conservative about what the stack may refer to.
  expect(alive).toBeLessThan(later / 10);
});
