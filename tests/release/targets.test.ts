// The table of platforms, as far as it can be checked without a build.

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { TARGETS, targetOfThisMachine } from "../../scripts/release/targets.ts";
import { runTool } from "../support/tools.ts";

const ROOT = resolve(import.meta.dir, "../..");
const BUILD = [process.execPath, join(ROOT, "scripts", "build-binaries.ts")];

test("--list prints every platform and marks this machine's", () => {
  const { exitCode, text } = runTool([...BUILD, "--list"]);
  expect(exitCode).toBe(0);
  expect(
    text
      .trim()
      .split("\n")
      .map((line) => line.split(" ")[0]),
  ).toEqual([
    "linux-x64",
    "linux-x64-musl",
    "linux-arm64",
    "linux-arm64-musl",
    "darwin-x64",
    "darwin-arm64",
    "windows-x64",
  ]);
  const mine = targetOfThisMachine();
  expect(mine).toMatchObject({ platform: process.platform, architecture: process.arch });
  expect(text).toMatch(new RegExp(`^${mine?.name} .*\\(this machine\\)$`, "m"));
});

test("a platform that is not in the table, and an unknown flag, end the build", () => {
  const unknown = runTool([...BUILD, "--only", "plan9-x64"]);
  expect(unknown.exitCode).toBe(1);
  expect(unknown.text).toContain("no target plan9-x64; there are linux-x64, ");
  expect(runTool([...BUILD, "--onyl", "linux-x64"]).exitCode).toBe(1);
});

test("no two platforms share a name, a compiler's target or an executable of Bun", () => {
  for (const field of ["name", "bun", "bunPackage", "zig"] as const)
    expect(new Set(TARGETS.map((target) => target[field])).size).toBe(TARGETS.length);
});

test.each(TARGETS.map(({ bunPackage }) => bunPackage))("package-lock.json pins %s", (name) => {
  const lock = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8"));
  expect(lock.packages[`node_modules/${name}`]).toMatchObject({
    version: Bun.version,
    integrity: expect.stringMatching(/^sha512-/),
  });
});
