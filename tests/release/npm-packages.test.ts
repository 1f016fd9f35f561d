// The packages for npm, installed by npm itself without a registry: the wrapper starts the program of
// this machine's package, and passes arguments, streams and the exit code on.

import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { version } from "../../package.json";
import {
  isNpmPackage,
  platformFile,
  wrapperFile,
  writePlatformPackage,
  writeWrapperPackage,
} from "../../scripts/release/npm-packages.ts";
import { TARGETS, targetOfThisMachine } from "../../scripts/release/targets.ts";
import { needs } from "../support/needs.ts";

setDefaultTimeout(120_000);

const SCRATCH = mkdtempSync(join(tmpdir(), "svc-npm-"));
afterAll(() => rmSync(SCRATCH, { recursive: true }));

const target = targetOfThisMachine();
const npm = needs(
  "npm and a platform with a release",
  Bun.which("npm") !== null && Bun.which("node") !== null && target?.suffix === "",
);
const TEXTS = { license: Buffer.from("license"), readme: Buffer.from("readme") };

function manifestOf(archive: Buffer) {
  const file = join(SCRATCH, "manifest.tgz");
  writeFileSync(file, archive);
  const { stdout } = Bun.spawnSync(["tar", "-xzOf", file, "package/package.json"]);
  return JSON.parse(stdout.toString());
}

test("the wrapper has each platform as an optional dependency, and nothing runs at installation", () => {
  const wrapper = manifestOf(writeWrapperPackage(TARGETS, TEXTS, 0));
  expect(wrapper.scripts).toBeUndefined();
  const packages = TARGETS.map((each) => manifestOf(writePlatformPackage(each, [], 0)));
  expect(wrapper.optionalDependencies).toEqual(
    Object.fromEntries(packages.map(({ name }) => [name, version])),
  );
  for (const [index, { platform, architecture, libc }] of TARGETS.entries()) {
    const { os, cpu, scripts, ...rest } = packages[index];
    expect([os, cpu, scripts]).toEqual([[platform], [architecture], undefined]);
    expect(rest.libc).toEqual(libc === null ? undefined : [libc]);
  }
  const names = TARGETS.map((each) => platformFile(version, each));
  for (const name of [...names, wrapperFile(version)]) expect(isNpmPackage(name)).toBe(true);
});

npm.test("npm installs both, and svc gets its arguments and gives its exit code", () => {
  if (target === null) throw new Error("no release for this machine");
  const program = '#!/bin/sh\necho "program of $0: $*"\nexit 7\n';
  const archived = [
    { path: "svc", bytes: Buffer.from(program), executable: true },
    { path: "docs/ci.md", bytes: Buffer.from(""), executable: false },
  ];
  const project = join(SCRATCH, "project");
  mkdirSync(project);
  writeFileSync(join(project, "package.json"), '{ "name": "project", "private": true }\n');
  writeFileSync(join(project, "wrapper.tgz"), writeWrapperPackage([target], TEXTS, 0));
  writeFileSync(join(project, "platform.tgz"), writePlatformPackage(target, archived, 0));
  const environment = { PATH: process.env.PATH, HOME: SCRATCH };
  const run = (...words: string[]) => Bun.spawnSync(words, { cwd: project, env: environment });
  const quiet = ["--offline", "--no-audit", "--no-fund"];
  const installed = run("npm", "install", ...quiet, "./platform.tgz", "./wrapper.tgz");
  expect([installed.exitCode, installed.exitCode === 0 || installed.stderr.toString()]).toEqual([
    0,
    true,
  ]);
  const ran = run(join(project, "node_modules/.bin/svc"), "debug", "a b");
  expect([ran.exitCode, ran.stdout.toString()]).toEqual([7, expect.stringContaining("debug a b")]);
});
