// A wait ends immediately when its signal is aborted.

import { expect, test } from "bun:test";
import { systemClock } from "../../src/base/clock.ts";

test("an aborted sleep rejects with the reason, before or during", async () => {
  const reason = new Error("enough");
  await expect(systemClock.sleep(60_000, AbortSignal.abort(reason))).rejects.toBe(reason);
  const controller = new AbortController();
  const sleeping = systemClock.sleep(60_000, controller.signal);
  controller.abort(reason);
  await expect(sleeping).rejects.toBe(reason);
});

test("a sleep that is not aborted ends", async () => {
  await systemClock.sleep(1, new AbortController().signal);
});
