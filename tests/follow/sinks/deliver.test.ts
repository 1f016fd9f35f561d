// Delivery in time that the test makes: a sink that is down for an hour costs no event, no order
// and nothing of the others.

import { describe, expect, test } from "bun:test";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { openFollowStore } from "../../../src/follow/follow-store.ts";
import { type DeliverDependencies, deliverTo } from "../../../src/follow/sinks/deliver.ts";
import type { Delivery, Sink } from "../../../src/follow/sinks/sink.ts";
import type { FollowEvent } from "../../../src/model/follow.ts";
import { FOLLOW_COUNTS } from "../../../src/model/follow.ts";
import { noValues } from "../../../src/model/verification.ts";
import { failureEvent } from "../../support/follow-events.ts";

const HOUR = 3_600_000;
const cursor = {
  networkPassphrase: "test",
  ledger: 1,
  hash: null,
  closeTimeUnixSeconds: 0,
  totals: noValues(FOLLOW_COUNTS),
  groups: [],
};

/** A clock that jumps to the end of each sleep. */
function openJumpingClock() {
  let now = 0;
  return {
    unixMilliseconds: () => now,
    monotonicMilliseconds: () => now,
    async sleep(milliseconds: number, signal: AbortSignal) {
      await Promise.resolve();
      if (signal.aborted) throw signal.reason;
      now += milliseconds;
    },
  };
}

async function deliverAll(
  events: readonly FollowEvent[],
  answer: (event: FollowEvent, now: number) => Delivery,
  changes: { wantsAll?: boolean; giveUp?: number; mostWaiting?: number; batchSize?: number } = {},
) {
  const directory = mkdtempSync(join(tmpdir(), "svc-"));
  const clock = openJumpingClock();
  const got: string[] = [];
  const outcomes: string[] = [];
  const logged: unknown[][] = [];
  const sink: Sink = {
    name: "team",
    wantsAll: changes.wantsAll ?? false,
    batchSize: changes.batchSize ?? 1,
    async deliver(batch) {
      const [first] = batch;
      const delivery = answer(first as FollowEvent, clock.monotonicMilliseconds());
      if (delivery.kind === "delivered") got.push(...batch.map(({ id }) => id));
      return delivery;
    },
  };
  const other = { name: "other", wantsAll: true };
  using store = openFollowStore(directory, "test", [sink, other]);
  store.commit(cursor, events, null);
  const stop = new AbortController();
  const dependencies: DeliverDependencies = {
    queue: store,
    clock,
    random: () => 0.5,
    log: (...line) => logged.push(line),
    attempted: (_sink, outcome) => outcomes.push(outcome),
    // Nothing waits any more.
    changed: async () => {
      stop.abort(new Error("done"));
      throw stop.signal.reason;
    },
  };
  const options = {
    giveUpMilliseconds: changes.giveUp ?? 24 * HOUR,
    mostWaiting: changes.mostWaiting ?? 100_000,
  };
  await deliverTo(sink, dependencies, options, stop.signal).catch((error: Error) => {
    expect(error.message).toBe("done");
  });
  return {
    got,
    outcomes,
    logged,
    waited: clock.monotonicMilliseconds(),
    leftForOther: store.countWaiting("other"),
    leftForTeam: store.countWaiting("team"),
    dropped: logged.flatMap(([, message, fields]) =>
      message === "event dropped"
        ? (JSON.parse((fields as { event: string }).event) as FollowEvent).id
        : [],
    ),
  };
}

const ids = (events: readonly FollowEvent[]) => events.map(({ id }) => id);
const made = (count: number) => Array.from({ length: count }, (_, i) => failureEvent(i + 1));
const down: Delivery = { kind: "failed", reason: "down" };
const up: Delivery = { kind: "delivered" };

describe("delivery", () => {
  test("a sink that is down for an hour gets everything, in order, when it is back", async () => {
    const events = made(200);
    const found = await deliverAll(events, (_, now) => (now < HOUR ? down : up));
    expect(found.got).toEqual(ids(events));
    expect(found.dropped).toEqual([]);
    expect(found.waited).toBeLessThan(HOUR + 5 * 60_000 + 1);
    // Another sink has its own position.
    expect([found.leftForTeam, found.leftForOther]).toEqual([0, 200]);
  });

  test("whatever a sink answers, each event is delivered or in the log as dropped, once", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom<Delivery["kind"]>("delivered", "failed", "refused")),
        fc.integer({ min: 1, max: 60 }),
        fc.integer({ min: 1, max: 7 }),
        async (kinds, count, batchSize) => {
          const answers = [...kinds];
          const events = made(count);
          const found = await deliverAll(
            events,
            () => {
              const kind = answers.shift() ?? "delivered";
              return kind === "delivered" ? up : { kind, reason: "no" };
            },
            { batchSize },
          );
          expect([...found.got, ...found.dropped].sort()).toEqual(ids(events).sort());
          expect(found.got).toEqual(ids(events).filter((id) => found.got.includes(id)));
        },
      ),
      { numRuns: 40 },
    );
  });

  test("what is refused is dropped at once, and the log has it in full", async () => {
    const events = made(3);
    const refused: Delivery = { kind: "refused", reason: "status 400" };
    const found = await deliverAll(events, ({ id }) => (id === "failure:2" ? refused : up));
    expect(found.got).toEqual(["failure:1", "failure:3"]);
    expect(found.dropped).toEqual(["failure:2"]);
    expect(found.waited).toBe(0);
    const fields = { sink: "team", reason: "status 400", event: JSON.stringify(events[1]) };
    expect(found.logged).toEqual([["error", "event dropped", fields]]);
  });

  test("events for an endpoint that never comes back are dropped after the given time", async () => {
    const found = await deliverAll(made(2), () => down, { giveUp: HOUR });
    expect([found.got, found.dropped]).toEqual([[], ["failure:1", "failure:2"]]);
    expect(found.outcomes.filter((each) => each === "abandoned")).toHaveLength(2);
    expect(found.waited).toBeGreaterThan(2 * HOUR);
  });

  test("the oldest of too many waiting events are dropped, and the log has them", async () => {
    const events = made(50);
    const found = await deliverAll(events, (_, now) => (now < HOUR ? down : up), {
      mostWaiting: 10,
    });
    expect(found.dropped).toHaveLength(40);
    expect([...found.dropped, ...found.got]).toEqual(ids(events));
  });

  test("only sinks that want all get what is no alert", async () => {
    const events = made(4).map((event, i) => ({ ...event, alert: i % 2 === 0 }));
    expect((await deliverAll(events, () => up)).got).toEqual(["failure:1", "failure:3"]);
    expect((await deliverAll(events, () => up, { wantsAll: true })).got).toEqual(ids(events));
  });
});
