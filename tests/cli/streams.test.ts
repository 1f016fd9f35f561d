// Stdout has only the report, for every reader; stderr is for people.

import { expect, test } from "bun:test";
import { join } from "node:path";
import { shellLine, svc } from "./run-svc.ts";

const EXAMPLE = join(import.meta.dir, "../fixtures/capsules/too-many-events.capsule.json");

test("a reader that has seen enough is a quiet end", async () => {
  const line = "svc --help | head -1; echo $PIPESTATUS";
  const { stdout, stderr } = await shellLine(line);
  expect(stdout.split("\n")[1]).toBe("0");
  expect(stderr).toBe("");
  const gone = await shellLine("svc version | true; echo $PIPESTATUS");
  expect([gone.stdout, gone.stderr]).toEqual(["0\n", ""]);
});

test("a reader that has seen enough hides no failed expectation", async () => {
  const words = `debug --from ${EXAMPLE} --fail-on tx-failed`;
  const { stdout } = await shellLine(`svc ${words} | true; echo $PIPESTATUS`);
  expect(stdout).toBe("7\n");
});

test("a full disk is reported once, with exit code 3, for a large document too", async () => {
  for (const words of ["version", "completion bash", `debug --from ${EXAMPLE} --json`]) {
    const { stdout, stderr } = await shellLine(`svc ${words} > /dev/full; echo $?`);
    expect(stdout).toBe("3\n");
    expect(stderr.match(/\[\w+\]/g)).toEqual(["[OUTPUT_UNWRITABLE]"]);
    expect(stderr.split("\n").length).toBe(3);
  }
});

test("with --json stdout is exactly one document, --quiet or not", async () => {
  for (const extra of [[], ["--quiet"], ["--verbose"]]) {
    const { exitCode, stdout } = await svc(["version", "--json", ...extra]);
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout).format).toBe(1);
  }
});

// --quiet once removed the details of --verbose from the report.
test("--quiet leaves the report as it was asked for", async () => {
  const words = ["debug", "--from", EXAMPLE, "--verbose"];
  const [loud, quiet] = [await svc(words), await svc([...words, "--quiet"])];
  expect(quiet.stdout).toContain("\nResources\n");
  expect(quiet.stdout).toBe(loud.stdout);
  expect(quiet.stderr).toBe("");
});

test("nothing is coloured into a pipe", async () => {
  const { stdout, stderr } = await svc(["version", "--sim-path", "/nowhere"], {
    environment: { FORCE_COLOR: "1", TERM: "xterm-256color" },
  });
  expect(stdout + stderr).not.toContain("\u001b");
});

// When the pipe was full, Bun.write started a long text again after 64 KiB.
test("a report longer than a pipe's buffer arrives once and completely", async () => {
  for (const reader of ["cat", "{ head -c 1; cat; }"]) {
    const line = `svc debug --from ${EXAMPLE} --json | ${reader}`;
    const { stdout } = await shellLine(line);
    expect(stdout.length).toBeGreaterThan(64 * 1024);
    expect(JSON.parse(stdout).verdict.kind).toBe("exact");
  }
});
