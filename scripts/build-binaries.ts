// Builds dist/svc-sim with cargo and dist/svc with Bun. One table of targets; for now this machine's.
//
//   bun scripts/build-binaries.ts [--list] [--skip-sim] [--skip-core-test]
//
// dist/svc-sim-core-test is svc-sim with the hosts of stellar-core's test builds: `svc verify` needs it
// for ledgers that stellar-core's own tests wrote, and nothing else does. It is not for releases.
//
// cargo's target directory is kept outside the checkout ($CARGO_TARGET_DIR, else
// ~/.cache/svc/cargo-target), so that a fresh checkout does not compile ten contract hosts again.

import { copyFileSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";

interface Target {
  readonly name: string;
  readonly platform: NodeJS.Platform;
  readonly architecture: NodeJS.Architecture;
  readonly bun: Bun.Build.CompileTarget;
  readonly suffix: "" | ".exe";
}

const TARGETS: readonly Target[] = [
  { name: "linux-x64", platform: "linux", architecture: "x64", bun: "bun-linux-x64", suffix: "" },
  {
    name: "linux-arm64",
    platform: "linux",
    architecture: "arm64",
    bun: "bun-linux-arm64",
    suffix: "",
  },
  {
    name: "darwin-x64",
    platform: "darwin",
    architecture: "x64",
    bun: "bun-darwin-x64",
    suffix: "",
  },
  {
    name: "darwin-arm64",
    platform: "darwin",
    architecture: "arm64",
    bun: "bun-darwin-arm64",
    suffix: "",
  },
  {
    name: "windows-x64",
    platform: "win32",
    architecture: "x64",
    bun: "bun-windows-x64",
    suffix: ".exe",
  },
];

const ROOT = resolve(import.meta.dir, "..");
const DIST = join(ROOT, "dist");
const CARGO_DIRECTORY = join(ROOT, "src", "svc-sim");
const CARGO_TARGET_DIRECTORY =
  process.env.CARGO_TARGET_DIR ?? join(homedir(), ".cache", "svc", "cargo-target");

const FLAGS = ["--list", "--skip-sim", "--skip-core-test"];

await main(process.argv.slice(2));

async function main(flags: readonly string[]): Promise<void> {
  const unknown = flags.find((flag) => !FLAGS.includes(flag));
  if (unknown !== undefined) throw new Error(`unknown flag ${unknown}; try ${FLAGS.join(", ")}`);
  const target = TARGETS.find(
    ({ platform, architecture }) => platform === process.platform && architecture === process.arch,
  );
  if (flags.includes("--list")) {
    for (const { name } of TARGETS)
      process.stdout.write(`${name}${name === target?.name ? " (this machine)" : ""}\n`);
    return;
  }
  if (target === undefined)
    throw new Error(`no target for ${process.platform} ${process.arch}; see --list`);
  mkdirSync(DIST, { recursive: true });
  if (!flags.includes("--skip-sim")) {
    buildSimulator(target, "svc-sim", []);
    if (!flags.includes("--skip-core-test"))
      buildSimulator(target, "svc-sim-core-test", ["--features", "core-test-build"]);
  }
  await buildShell(target);
}

/** cargo reads .cargo/config.toml from its working directory, so it runs in the crate's own. */
function buildSimulator(target: Target, name: string, features: readonly string[]): void {
  const { exitCode } = Bun.spawnSync(["cargo", "build", "--release", "--locked", ...features], {
    cwd: CARGO_DIRECTORY,
    env: { ...process.env, CARGO_TARGET_DIR: CARGO_TARGET_DIRECTORY },
    stdio: ["ignore", "inherit", "inherit"],
  });
  if (exitCode !== 0) throw new Error(`cargo build ended with exit code ${exitCode}`);
  const built = join(CARGO_TARGET_DIRECTORY, "release", `svc-sim${target.suffix}`);
  replaceFile(built, join(DIST, `${name}${target.suffix}`));
}

async function buildShell(target: Target): Promise<void> {
  const { version } = await Bun.file(join(ROOT, "package.json")).json();
  const result = await Bun.build({
    entrypoints: [join(ROOT, "src", "main.ts")],
    compile: {
      target: target.bun,
      outfile: join(DIST, `svc${target.suffix}`),
      // By default a compiled binary loads .env and runs bunfig.toml's preload from the directory
      // the user happens to be in, which would run somebody else's code.
      autoloadDotenv: false,
      autoloadBunfig: false,
    },
    minify: true,
    splitting: true,
    bytecode: true,
    format: "esm",
    define: {
      SVC_VERSION: JSON.stringify(version),
      SVC_COMMIT: JSON.stringify(commit()),
    },
  });
  for (const message of result.logs) process.stderr.write(`${message}\n`);
  if (!result.success) throw new Error("Bun.build failed");
}

/** Copies beside, then renames: a running svc-sim keeps its file, a reader never sees half of one. */
function replaceFile(from: string, to: string): void {
  const temporary = `${to}.new`;
  rmSync(temporary, { force: true });
  copyFileSync(from, temporary);
  renameSync(temporary, to);
}

function commit(): string {
  const git = (...words: string[]) => Bun.spawnSync(["git", ...words], { cwd: ROOT });
  const head = git("rev-parse", "--short=12", "HEAD");
  if (!head.success) return "unknown";
  const dirty = git("status", "--porcelain", "--untracked-files=no").stdout.length > 0;
  return head.stdout.toString().trim() + (dirty ? "-dirty" : "");
}
