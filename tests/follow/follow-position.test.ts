// Readiness and lag say the same, also while no node shows what the latest ledger is.

import { expect, test } from "bun:test";
import { openPosition } from "../../src/follow/follow-position.ts";
import { TestClock } from "../support/test-clock.ts";

const never = new AbortController().signal;

function open(saved: { ledger: number; closeTimeUnixSeconds: number } | null) {
  const clock = new TestClock({ grantedUpTo: Number.POSITIVE_INFINITY });
  const position = openPosition(clock, saved, 10);
  return {
    position,
    pass: (seconds: number) => clock.sleep(seconds * 1000, never),
    said: () => position.whyNotReady()?.message ?? null,
  };
}

test("a network that no node shows is not one that svc keeps up with", async () => {
  const { position, pass, said } = open({ ledger: 100, closeTimeUnixSeconds: 1_800_000_000 });
  expect(position.verified()).toMatchObject({ ledger: 100 });
  const unseen = "No source has shown its latest ledger since 2027-01-15T08:00:00.000Z.";
  expect([position.lag(), said()]).toEqual([null, `${unseen} The last verified ledger is 100.`]);
  position.noteLatest(102);
  expect([position.lag(), said()]).toEqual([2, null]);
  // Ten ledgers of six seconds.
  await pass(60);
  expect([position.lag(), said()]).toEqual([2, null]);
  await pass(1);
  expect([position.lag(), said()]).toEqual([null, `${unseen} The last verified ledger is 100.`]);
  position.noteLatest(112);
  expect(said()).toBe("svc is 12 ledgers behind the network; up to 10 are normal.");
  position.noteVerified({ ledger: 112, closeTimeUnixSeconds: 1_800_000_070 });
  expect([position.lag(), said()]).toEqual([0, null]);
});

test("a state that was only begun has no verified ledger", () => {
  const { position, said } = open({ ledger: 99, closeTimeUnixSeconds: 0 });
  position.noteLatest(100);
  expect([position.verified(), position.lag(), said()]).toEqual([
    null,
    null,
    "No ledger is verified yet.",
  ]);
});

test("it does not keep up while the next ledger is refused, however few wait", () => {
  const { position, said } = open({ ledger: 100, closeTimeUnixSeconds: 1_800_000_000 });
  position.noteLatest(102);
  expect(said()).toBeNull();
  position.noteStandstill({ ledger: 101, source: "rpc http://node", problem: "it cannot be read" });
  expect(said()).toBe(
    "svc does not accept ledger 101 of rpc http://node: it cannot be read. " +
      "The last verified ledger is 100.",
  );
  position.noteVerified({ ledger: 101, closeTimeUnixSeconds: 1_800_000_005 });
  expect(said()).toBeNull();
});

test("it does not keep up when few ledgers wait for long, and none is verified", async () => {
  const { position, pass, said } = open({ ledger: 100, closeTimeUnixSeconds: 1_800_000_000 });
  for (let seconds = 0; seconds < 60; seconds += 10) {
    position.noteLatest(102);
    await pass(10);
  }
  position.noteLatest(102);
  expect(said()).toBeNull();
  await pass(1);
  position.noteLatest(102);
  expect(said()).toBe(
    "svc has not verified a ledger since 2027-01-15T08:00:00.000Z. " +
      "The last verified ledger is 100.",
  );
  position.noteVerified({ ledger: 101, closeTimeUnixSeconds: 1_800_000_070 });
  expect(said()).toBeNull();
});
