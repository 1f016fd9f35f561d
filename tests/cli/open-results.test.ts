// A cluster runs a piece again elsewhere when the disk of its results is full, and stops all pieces
// when the path is wrong: these have different exit codes.

import { expect, test } from "bun:test";
import { chmodSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { openResults } from "../../src/command/open-results.ts";
import type { InputShell } from "../../src/command/shell.ts";
import { exitCodeOf } from "../../src/error-catalogue.ts";
import { failureOf } from "../support/failure.ts";
import { inTemporaryDirectory } from "./run-svc.ts";

function shellIn(workingDirectory: string): InputShell {
  const facts = { workingDirectory, environment: {} } as InputShell["facts"];
  return { facts, signal: new AbortController().signal } as InputShell;
}

test("a full disk ends with the code for another try", () =>
  inTemporaryDirectory(async (directory) => {
    symlinkSync("/dev/full", join(directory, "piece-1-of-4.json"));
    const store = await openResults(shellIn(directory), ".", { mustExist: false });
    const failure = await failureOf(store.write("piece-1-of-4.json", "{}"));
    expect([failure.code, exitCodeOf(failure)]).toEqual(["RESULTS_DISK_FAILED", 4]);
    expect(failure.message).toContain("is full or fails (ENOSPC)");
    await store.write("piece-2-of-4.json", "{}");
    expect(await store.read("piece-2-of-4.json")).toBe("{}");
  }));

test("a path that nobody can write ends with the code of a wrong setting", () =>
  inTemporaryDirectory(async (directory) => {
    mkdirSync(join(directory, "results"));
    chmodSync(join(directory, "results"), 0o500);
    // Root may write everywhere but below what is no directory.
    const path = process.getuid?.() === 0 ? "/dev/null/results" : "results";
    const store = await openResults(shellIn(directory), path, { mustExist: false });
    const failure = await failureOf(store.write("piece-1-of-4.json", "{}"));
    expect([failure.code, exitCodeOf(failure)]).toEqual(["OUTPUT_UNWRITABLE", 3]);
  }));
