// Builds svc and svc-sim, for this machine or as a release for all platforms.
//
//   bun scripts/build-binaries.ts [--quick]                         dist/ for this machine
//   bun scripts/build-binaries.ts --program NAME [--program NAME …] only these programs in dist/
//   bun scripts/build-binaries.ts --release                         dist/release/: every platform
//   bun scripts/build-binaries.ts --only NAME [--only NAME …]       only these platforms
//   bun scripts/build-binaries.ts --local                           dist/local/: a release of dist/
//   bun scripts/build-binaries.ts --image                           dist/image/: the image of dist/
//   bun scripts/build-binaries.ts --module [--quick]                dist/: both modules, svc.html, library/
//   bun scripts/build-binaries.ts --library                         dist/library/ that only explains
//   bun scripts/build-binaries.ts --list                            the platforms
//
// svc uses dist/svc-sim-recording for simulations. It is svc-sim with hosts that record.
//
// dist/local/ has all files of a release under their names, so that what installs them can be tried. The
// programs for other platforms are scripts that only print a version. The image of dist/ is for tests of containers. It has the programs of this machine instead of
// those of a release, and everything else as in a release.
//
// A release and the module are built on Linux x64 with the compilers that release/prepare downloads.

import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import { version as VERSION } from "../package.json";
import { noteProfile } from "./ensure-built.ts";
import { addonTargetOfThisMachine, buildAddon } from "./release/build-addon.ts";
import { buildImage, imageArchitecture } from "./release/build-image.ts";
import { buildModule, type Modules } from "./release/build-module.ts";
import { buildPackage } from "./release/build-package.ts";
import { buildPage } from "./release/build-page.ts";
import {
  type BrowserFiles,
  buildRelease,
  builtFor,
  readBrowserFiles,
} from "./release/build-release.ts";
import { buildShell } from "./release/build-shell.ts";
import { buildSimulator } from "./release/build-simulator.ts";
import { readDocuments } from "./release/documents.ts";
import { DIST, ROOT } from "./release/paths.ts";
import { PAGE } from "./release/release-files.ts";
import { TARGETS, type Target, targetOfThisMachine } from "./release/targets.ts";
import type { ArchivedFile } from "./release/write-archive.ts";

const FLAGS = {
  list: { type: "boolean" },
  release: { type: "boolean" },
  image: { type: "boolean" },
  library: { type: "boolean" },
  module: { type: "boolean" },
  local: { type: "boolean" },
  only: { type: "string", multiple: true },
  program: { type: "string", multiple: true },
  quick: { type: "boolean" },
} as const;

/** The programs in the order in which they are built, and how long a first build takes. */
const PROGRAMS: readonly Program[] = [
  {
    name: "svc-sim",
    features: [],
    what: "the contract hosts of eleven protocols; the first time five to six minutes on two idle cores",
  },
  {
    name: "svc-sim-recording",
    features: ["--features", "recording"],
    what: "the same hosts once more, as `svc simulate` needs them; as long again",
  },
  { name: "svc", features: null, what: "seconds" },
];

interface Program {
  readonly name: string;
  /** cargo's arguments for a program in Rust; null for svc itself. */
  readonly features: readonly string[] | null;
  readonly what: string;
}

const COMMAND = "bun scripts/build-binaries.ts";

await main();

async function main(): Promise<void> {
  const { values: flags } = parseArgs({ args: process.argv.slice(2), options: FLAGS });
  if (flags.list === true) process.stdout.write(renderTargets());
  else if (flags.only !== undefined)
    await buildRelease(
      flags.only.map(targetNamed),
      builtFor(`${COMMAND} ${flags.only.map((name) => `--only ${name}`).join(" ")}`),
    );
  else if (flags.release === true) await buildRelease(TARGETS, builtFor(`${COMMAND} --release`));
  else if (flags.local === true) await writeReleaseOfThisMachine();
  else if (flags.image === true) await writeImageOfThisMachine();
  else if (flags.library === true) await buildPackage(join(DIST, "library"), null);
  else if (flags.module === true)
    await buildForBrowsers(flags.quick === true ? "quick" : "release");
  else await buildForThisMachine(flags);
}

interface Choice {
  /** The names of the programs to build; all without them. */
  readonly program?: readonly string[];
  /** The build takes less time, but contracts run slower. */
  readonly quick?: boolean;
}

async function buildForThisMachine({ program: names, quick = false }: Choice): Promise<void> {
  const target = targetOfThisMachine();
  if (target === null)
    throw new Error(`no target for ${process.platform} ${process.arch}; see --list`);
  mkdirSync(DIST, { recursive: true });
  const programs = names === undefined ? PROGRAMS : names.map(programNamed);
  const profile = quick ? "quick" : "release";
  if (programs.some(({ features }) => features !== null)) noteProfile(profile);
  for (const [index, { name, features, what }] of programs.entries()) {
    // cargo itself counts the crates of one program, on a terminal.
    process.stderr.write(`[${index + 1}/${programs.length}] ${name}: ${what}\n`);
    const output = join(DIST, `${name}${target.suffix}`);
    if (features === null)
      await buildShell({ target, base: null, output, addon: buildAddonOfThisMachine() });
    else replaceFile(buildSimulator(target, { features, profile }), output);
  }
}

function programNamed(name: string): Program {
  const program = PROGRAMS.find((candidate) => candidate.name === name);
  if (program !== undefined) return program;
  throw new Error(`no program ${name}; there are ${PROGRAMS.map((one) => one.name).join(", ")}`);
}

async function writeReleaseOfThisMachine(): Promise<void> {
  const target = targetOfThisMachine();
  if (target === null)
    throw new Error(`no target for ${process.platform} ${process.arch}; see --list`);
  const directory = join(DIST, "local");
  rmSync(directory, { recursive: true, force: true });
  const programs = async (each: Target) => {
    const files = each === target ? builtPrograms(DIST) : standIns(each);
    return { files, withSymbols: null };
  };
  const command = `${COMMAND} --local`;
  const forBrowsers = async () => builtBrowserFiles(DIST);
  const sources = { directory, programs, forBrowsers, isCrossCompiled: false, command };
  // An image has packages of Debian, which apt downloads.
  const canMakeImages = Bun.which("apt-get") !== null;
  const targets = TARGETS.filter(
    (each) => each === target || canMakeImages || imageArchitecture(each) === null,
  );
  for (const { name } of TARGETS.filter((each) => !targets.includes(each)))
    process.stderr.write(`There is no apt: the files of ${name} are left out.\n`);
  await buildRelease(targets, sources);
}

/** Returns scripts in place of the programs of a platform. Each prints the platform as its version. */
function standIns({ name, suffix }: Target): ArchivedFile[] {
  const script = Buffer.from(`#!/bin/sh\necho "svc ${VERSION} (a stand-in for ${name})"\n`);
  const file = (path: string, executable: boolean) => ({ path, bytes: script, executable });
  const programs = ["svc", "svc-sim", "svc-sim-recording"];
  return [...programs.map((each) => file(`${each}${suffix}`, true)), file("pkcs11.node", false)];
}

/** Returns what `--module` built before; null if it did not. */
function builtBrowserFiles(directory: string): BrowserFiles | null {
  if (existsSync(join(directory, PAGE)) && existsSync(join(directory, "library", "svc-sim.wasm")))
    return readBrowserFiles(directory);
  process.stderr.write(`dist/ has no ${PAGE}: it is not among these files.\n`);
  return null;
}

async function buildForBrowsers(profile: "quick" | "release"): Promise<void> {
  mkdirSync(DIST, { recursive: true });
  const module = join(DIST, "svc-sim.wasm");
  const recordingModule = join(DIST, "svc-sim-recording.wasm");
  replaceFile(buildModule("svc-sim", profile), module);
  replaceFile(buildModule("svc-sim-recording", profile), recordingModule);
  const modules: Modules = { module, recordingModule };
  await buildPage(modules, join(DIST, "svc.html"));
  await buildPackage(join(DIST, "library"), modules);
}

async function writeImageOfThisMachine(): Promise<void> {
  const target = targetOfThisMachine();
  const image =
    target && (await buildImage(target, programsOf(DIST), Math.floor(Date.now() / 1000)));
  if (!target || !image) throw new Error("there are images only for Linux with glibc");
  mkdirSync(join(DIST, "image"), { recursive: true });
  const put = (kind: string, bytes: Buffer) =>
    writeFileSync(join(DIST, "image", `svc-${VERSION}-${kind}`), bytes);
  put(`image-${target.name}.tar`, image.archive);
  put(`rootfs-${target.name}.tar.gz`, image.layer);
}

/** Returns the programs from the directory where they were built, as files of an archive. */
function builtPrograms(directory: string): ArchivedFile[] {
  const names = ["svc", "svc-sim", "svc-sim-recording", "pkcs11.node"];
  return names.map((path) => ({
    path,
    bytes: readFileSync(join(directory, path)),
    executable: path !== "pkcs11.node",
  }));
}

/** Returns the files of the image of this machine. */
function programsOf(directory: string): ArchivedFile[] {
  const file = (path: string, executable: boolean) => {
    return { path: basename(path), bytes: readFileSync(path), executable };
  };
  return [...builtPrograms(directory), file(join(ROOT, "LICENSE"), false), ...readDocuments()];
}

/** Returns null if there is no C++ compiler. Then svc cannot sign, but does everything else. */
function buildAddonOfThisMachine(): string | null {
  const target = addonTargetOfThisMachine();
  if (target === null) {
    process.stderr.write("No C++ compiler: svc is built without its PKCS#11 addon.\n");
    return null;
  }
  const output = join(DIST, "pkcs11.node");
  buildAddon(target, output);
  return output;
}

function targetNamed(name: string): Target {
  const target = TARGETS.find((candidate) => candidate.name === name);
  if (target !== undefined) return target;
  throw new Error(`no target ${name}; there are ${TARGETS.map((one) => one.name).join(", ")}`);
}

function renderTargets(): string {
  const mine = targetOfThisMachine();
  const rows = TARGETS.map(({ name, rust, archive }) => [
    name.padEnd(18),
    rust.padEnd(28),
    archive,
    name === mine?.name ? "  (this machine)" : "",
  ]);
  return `${rows.map((row) => row.join("")).join("\n")}\n`;
}

/**
 * Copies the file to a new name and renames it, so that a running svc-sim keeps its file and no
 * file is incomplete.
 */
function replaceFile(from: string, to: string): void {
  const temporary = `${to}.new`;
  rmSync(temporary, { force: true });
  copyFileSync(from, temporary);
  renameSync(temporary, to);
}
