import { expect, test } from "bun:test";
import { SvcError } from "../../src/base/errors/errors.ts";
import { openStanding } from "../../src/sources/standing.ts";
import { failureOf } from "../support/failure.ts";
import { TestClock } from "../support/test-clock.ts";

test("requests that time out at once are one failure of the node: it does not rest", async () => {
  const clock = new TestClock({ grantedUpTo: 0 });
  const node = openStanding("http://node", { clock }, () => true);
  const late = new SvcError("NETWORK_TIMEOUT", { message: "too late", remedy: "-" });
  const { promise, reject } = Promise.withResolvers<never>();
  const atOnce = [1, 2, 3].map(() => failureOf(node.run(() => promise)));
  clock.advance(15_000);
  reject(late);
  await Promise.all(atOnce);
  expect(node.resting).toBe(false);
  await failureOf(node.run(() => Promise.reject(late)));
  expect(node.resting).toBe(true);
});
