// Stepping as a program or a page has it. The stepper itself is tried in tests/stepper.

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { standingMarkup } from "../../src/browser/standing.ts";
import { openSteps } from "../../src/library/step.ts";
import { NATIVE } from "../support/native-instance.ts";

const CAPSULE = readFileSync(
  join(import.meta.dir, "../../examples/overflow-in-callee.capsule.json"),
  "utf8",
);

test("it begins at the failure, goes both ways, and waits for its turn", async () => {
  await using steps = await openSteps(CAPSULE, NATIVE);
  const failed = await steps.standing();
  expect(failed.failed).toBe(true);
  expect(failed.source?.lines[failed.source.at - 1]?.trim()).toBe("unreachable");
  const [before, after] = await Promise.all([steps.press("I"), steps.press("i")]);
  expect(before.moment).toBeLessThan(failed.moment);
  expect(after.moment).toBe(failed.moment);
  expect((await steps.press("g")).moment).toBeLessThan(before.moment);
  expect((await steps.press("e")).moment).toBe(failed.moment);
  expect((await steps.select(1)).frame).toBe(1);
});

test("a page shows the position, the values and a button for each key", async () => {
  await using steps = await openSteps(CAPSULE, NATIVE);
  const markup = `${standingMarkup(await steps.standing())}`;
  expect(markup).toMatch(/<li aria-current="step"><code>\s*unreachable<\/code>/);
  expect(markup).toContain("2147483647");
  expect(markup).toContain('data-step="N"');
  const hostile = { ...(await steps.standing()), frames: ['<img src=x onerror="1">'] };
  expect(`${standingMarkup(hostile)}`).not.toContain("<img");
});

test("a capsule in which nothing ran has nothing to step through", async () => {
  const spoilt = openSteps("{}", NATIVE);
  await expect(spoilt).rejects.toMatchObject({ code: "FILE_INVALID" });
});
