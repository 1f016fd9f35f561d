// Who may come in, and at which pace the others are refused.

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { SvcError } from "../../src/base/errors/errors.ts";
import { type Lease, openBodyRoom } from "../../src/http-server/limits/admission.ts";
import { openPace } from "../../src/http-server/limits/pace.ts";
import { TestClock } from "../support/test-clock.ts";

const codeOf = (enter: () => unknown): string => {
  try {
    enter();
    return "in";
  } catch (error) {
    if (error instanceof SvcError) return error.code;
    throw error;
  }
};

describe("the room", () => {
  test("has a limit, and is free again when a request leaves", () => {
    const { enter } = openBodyRoom(100).admission(2);
    const first = enter("a", 0);
    enter("a", 0);
    expect(codeOf(() => enter("a", 0))).toBe("OVERLOADED");
    first.leave();
    first.leave();
    expect(codeOf(() => enter("a", 0))).toBe("in");
    expect(codeOf(() => enter("a", 0))).toBe("OVERLOADED");
  });

  test("is made for a client that has less: the newest of the other gives way", () => {
    const { enter } = openBodyRoom(100).admission(4);
    const leases = Array.from({ length: 4 }, () => enter("greedy", 0));
    expect(codeOf(() => enter("small", 0))).toBe("in");
    expect(leases.map(({ controller }) => controller.signal.aborted)).toEqual([
      false,
      false,
      false,
      true,
    ]);
    expect(leases[3]?.controller.signal.reason).toMatchObject({ code: "OVERLOADED" });
    expect(codeOf(() => enter("small", 0))).toBe("in");
    // Each has two now.
    expect(codeOf(() => enter("small", 0))).toBe("OVERLOADED");
    expect(codeOf(() => enter("greedy", 0))).toBe("OVERLOADED");
    expect(codeOf(() => enter("third", 0))).toBe("in");
    expect(codeOf(() => enter("third", 0))).toBe("OVERLOADED");
  });

  test("for bodies is shared, counts what is announced, and then what arrives", () => {
    const bodies = openBodyRoom(100);
    const debug = bodies.admission(10);
    const simulate = bodies.admission(10);
    const large = simulate.enter("a", 60);
    expect(codeOf(() => debug.enter("a", 41))).toBe("OVERLOADED");
    const growing = debug.enter("a", 20);
    growing.grow(40);
    expect(bodies.bytes()).toBe(100);
    expect(codeOf(() => growing.grow(41))).toBe("OVERLOADED");
    // The other client has less: what has most bytes, and is newest, gives way.
    const small = debug.enter("b", 10);
    expect([large, growing, small].map(({ controller }) => controller.signal.aborted)).toEqual([
      false,
      true,
      false,
    ]);
    expect(codeOf(() => growing.grow(50))).toBe("OVERLOADED");
    small.leave();
    large.leave();
    expect(bodies.bytes()).toBe(0);
  });

  test("never has more than its limits, and refuses only who has his share", () => {
    const step = fc.record({
      client: fc.constantFrom("a", "b", "c"),
      bytes: fc.integer({ min: 0, max: 40 }),
      leaves: fc.nat(20),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const bodies = openBodyRoom(100);
        const { enter } = bodies.admission(6);
        let inside: { client: string; bytes: number; lease: Lease }[] = [];
        for (const { client, bytes, leaves } of steps) {
          inside[leaves]?.lease.leave();
          inside = inside.filter((_, index) => index !== leaves);
          const count = (of: string) => inside.filter((each) => each.client === of).length;
          const held = (of: string) =>
            inside.reduce((sum, each) => sum + (each.client === of ? each.bytes : 0), 0);
          try {
            inside.push({ client, bytes, lease: enter(client, bytes) });
          } catch {
            inside = inside.filter(({ lease }) => !lease.controller.signal.aborted);
            const full = inside.length >= 6;
            const others = ["a", "b", "c"].filter((each) => each !== client);
            if (full)
              for (const other of others)
                expect(count(other)).toBeLessThanOrEqual(count(client) + 1);
            else
              for (const other of others)
                expect(held(other)).toBeLessThanOrEqual(held(client) + bytes);
          }
          inside = inside.filter(({ lease }) => !lease.controller.signal.aborted);
          const sum = inside.reduce((total, each) => total + each.bytes, 0);
          expect(bodies.bytes()).toBe(sum);
          expect(sum).toBeLessThanOrEqual(100);
          expect(inside.length).toBeLessThanOrEqual(6);
        }
      }),
    );
  });
});

describe("refusals", () => {
  test("are immediate when they are few", async () => {
    const { turn } = openPace(new TestClock({ grantedUpTo: 10 }));
    for (let tick = 0; tick < 20; tick += 1) {
      for (let count = 0; count < 5; count += 1) expect(turn()).toBeNull();
      await new Promise(setImmediate);
    }
  });

  test("of a few hundred at the same time are immediate, once in half a second", async () => {
    const clock = new TestClock({ grantedUpTo: 10 });
    const { turn } = openPace(clock);
    for (let burst = 0; burst < 3; burst += 1) {
      const begin = clock.monotonicMilliseconds();
      for (let count = 0; count < 250; count += 1) expect(turn()).toBeNull();
      while (clock.monotonicMilliseconds() < begin + 500) await new Promise(setImmediate);
    }
  });

  test("of hundreds at the same time leave one after the other, within a second", async () => {
    const clock = new TestClock({ grantedUpTo: 10 });
    const { turn } = openPace(clock);
    const left: number[] = [];
    const turns = Array.from({ length: 1_000 }, () => turn());
    expect(turns.filter((each) => each === null)).toHaveLength(250);
    await Promise.all(
      turns.map(async (each, index) => {
        await each;
        if (each !== null) left.push(index);
      }),
    );
    expect(left).toEqual(left.toSorted((a, b) => a - b));
    // After its turn comes a pause in which nobody waits.
    const ended = clock.monotonicMilliseconds() - 10;
    expect(ended).toBeGreaterThan(500);
    expect(ended).toBeLessThanOrEqual(1_000);
  });

  test("of more than can be held do not wait", () => {
    const { turn } = openPace(new TestClock({ grantedUpTo: 0 }));
    const turns = Array.from({ length: 10_255 }, () => turn());
    expect(turns.slice(-5)).toEqual([null, null, null, null, null]);
  });
});
