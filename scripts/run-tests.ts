// `npm test`: builds svc and svc-sim where they are outdated, runs the tests of both languages, and
// prints the failures once more at the end, because a log of CI is often cut to its last lines.
// The last line is `N passed, N failed`, with the number of skipped tests if there are any.
// The exit code is not 0 after a failure. With SVC_NO_SKIPS=1, as in .ci/run, a skipped test is a
// failure too: CI must not pass because data is missing.
// Tests that need what a plain clone has not are skipped, and named by what they need
// (tests/support/needs.ts).

import { availableParallelism } from "node:os";
import { ensureCoreTestBuilt } from "../tests/support/core-streams.ts";
import { hasCorpus } from "../tests/support/corpus.ts";
import { builtProfile, ensureBuilt } from "./ensure-built.ts";
import { CARGO_TARGET_DIRECTORY, CRATE, ROOT } from "./release/paths.ts";

/** The number of tests that were skipped, by what they needed. */
const wanted = new Map<string, number>();

/** The output of the runners about each failed test, which is printed again at the end. */
const failures: string[] = [];

interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/**
 * A minute is long enough for a busy machine, and a test that hangs fails. Each file runs by itself
 * and starts processes of its own, so that more than a few at a time gain nothing.
 */
const WORKERS = Math.min(availableParallelism(), 4);
const BUN_FLAGS = ["--timeout", "60000", `--parallel=${WORKERS}`];

if (hasCorpus("core-streams")) ensureCoreTestBuilt();
else ensureBuilt();
const bun = await run([process.execPath, "test", ...BUN_FLAGS], ROOT, countBun);
const replaying = await cargoTest();
const recording = await cargoTest("--features", "recording", "--test", "recording");
const all = [bun, replaying, recording];
const passed = total("passed");
const failed = total("failed");
const skipped = total("skipped");
for (const failure of failures.slice(0, 20)) process.stdout.write(`\n${failure}\n`);
for (const [what, count] of wanted) process.stdout.write(`\n${count} skipped: they need ${what}`);
process.stdout.write(
  `\n${passed} passed, ${failed} failed${skipped === 0 ? "" : `, ${skipped} skipped`}\n`,
);
const skipsFail = process.env.SVC_NO_SKIPS === "1";
process.exitCode = failed > 0 || (skipsFail && skipped > 0) ? 1 : 0;

function total(part: keyof Counts): number {
  return all.reduce((sum, counts) => sum + counts[part], 0);
}

function cargoTest(...more: string[]): Promise<Counts> {
  const command = ["cargo", "test", "--profile", builtProfile(), "--locked", ...more];
  return run(command, CRATE, countCargo);
}

/**
 * Prints the output and counts the tests in it. A runner that fails without a failed test counts as
 * one.
 */
async function run(
  command: string[],
  cwd: string,
  count: (text: string) => Counts,
): Promise<Counts> {
  const child = Bun.spawn(command, {
    cwd,
    env: { ...process.env, CARGO_TARGET_DIR: CARGO_TARGET_DIRECTORY },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const texts = await Promise.all([
    passThrough(child.stdout, process.stdout),
    passThrough(child.stderr, process.stderr),
  ]);
  const exitCode = await child.exited;
  const counts = count(texts.join("\n"));
  for (const text of texts) failures.push(...failuresIn(text));
  if (exitCode === 0 || counts.failed > 0) return counts;
  return { ...counts, failed: 1 };
}

async function passThrough(
  stream: ReadableStream<Uint8Array>,
  sink: NodeJS.WriteStream,
): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of stream) {
    sink.write(chunk);
    text += decoder.decode(chunk, { stream: true });
  }
  return text;
}

/**
 * Returns the lines that end with a failed test of Bun or cargo, with at most 40 lines for each,
 * because a test's output stands before its name.
 */
function failuresIn(text: string): string[] {
  const lines = text.split("\n");
  return lines.flatMap((line, index) => {
    if (/^test .* \.\.\. FAILED$/.test(line)) return [line];
    if (!line.startsWith("(fail)")) return [];
    const before = lines.slice(Math.max(0, index - 40), index);
    const start = before.findLastIndex((one) => /^\((pass|skip|fail)\)/.test(one)) + 1;
    return [[...before.slice(start), line].map((one) => one.slice(0, 400)).join("\n")];
  });
}

/** Reads ` 12 pass`, ` 0 fail`, ` 3 skip` and ` 1 todo` at the end of `bun test`. */
function countBun(text: string): Counts {
  const last = (word: string) => {
    const found = [...text.matchAll(new RegExp(`^\\s*(\\d+) ${word}$`, "gm"))].at(-1);
    return Number(found?.[1] ?? 0);
  };
  const failed = last("fail") + last("error") + last("errors");
  for (const [, what = ""] of text.matchAll(/^\(skip\) .*\[needs (.+?)\]/gm))
    wanted.set(what, (wanted.get(what) ?? 0) + 1);
  return { passed: last("pass"), failed, skipped: last("skip") + last("todo") };
}

/**
 * Reads `test result: ok. 12 passed; 0 failed; 1 ignored; …`, which each test program prints once.
 */
function countCargo(text: string): Counts {
  let [passed, failed, skipped] = [0, 0, 0];
  for (const found of text.matchAll(
    /^test result: .*?(\d+) passed; (\d+) failed; (\d+) ignored/gm,
  )) {
    passed += Number(found[1]);
    failed += Number(found[2]);
    skipped += Number(found[3]);
  }
  return { passed, failed, skipped };
}
