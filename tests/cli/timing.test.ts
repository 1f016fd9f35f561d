// --timing on the compiled binary: a line on stderr for each phase. No test says how long one takes.

import { expect, test } from "bun:test";
import { resolve } from "node:path";
import { openTiming } from "../../src/cli/run-timing.ts";
import { svc } from "./run-svc.ts";

const FAILED = resolve(import.meta.dir, "../../examples/overflow-in-callee.capsule.json");
const SUCCEEDED = resolve(import.meta.dir, "../../bench/increment.capsule.json");
const PHASE = /^ *\d+\.\d ms +\+\d+\.\d ms {2}([a-z]+)$/;

function phasesOf(stderr: string): (string | undefined)[] {
  return stderr
    .split("\n")
    .slice(0, -1)
    .map((line) => PHASE.exec(line)?.[1]);
}

/** svc-sim reports how long its host took. */
const withoutTimes = (text: string) => text.replace(/"hostNanoseconds": \d+/g, "");

test("each phase has a line on stderr, and stdout is as without it", async () => {
  const words = ["debug", "--from", SUCCEEDED, "--json"];
  const [plain, timed] = await Promise.all([svc(words), svc([...words, "--timing"])]);
  expect(withoutTimes(timed.stdout)).toBe(withoutTimes(plain.stdout));
  expect([plain.stderr, timed.exitCode]).toEqual(["", plain.exitCode]);
  expect(phasesOf(timed.stderr)).toEqual(
    "start load capsule replay verdict cause explanation report total".split(" "),
  );
});

test("a failure has the phase of its fix too, and --quiet would print none", async () => {
  const timed = await svc(["debug", "--from", FAILED, "--timing"]);
  expect(phasesOf(timed.stderr)).toContain("fix");
  const quiet = await svc(["debug", "--from", FAILED, "--timing", "--quiet"]);
  expect([quiet.exitCode, quiet.stdout]).toEqual([2, ""]);
  expect(quiet.stderr).toContain("--timing and --quiet cannot be used together.");
});

test("a phase that throws has its line, and a step tells whose it is", async () => {
  const lines: string[] = [];
  let now = 5;
  const clock = { monotonicMilliseconds: () => now };
  const timing = openTiming({ write: (text) => lines.push(text), clock });
  const step = timing.stepOf("ab12".repeat(16), async (_name, action) => action());
  const failure = new Error("no");
  const failing = step("fetch", () => {
    now += 2;
    throw failure;
  });
  expect(await failing.catch((error: unknown) => error)).toBe(failure);
  expect(await timing.phase("report", () => 3)).toBe(3);
  timing.end();
  expect(lines).toEqual([
    "     0.0 ms      +5.0 ms  start",
    "     5.0 ms      +2.0 ms  fetch of ab12ab12…",
    "     7.0 ms      +0.0 ms  report",
    "     0.0 ms      +7.0 ms  total",
  ]);
});
