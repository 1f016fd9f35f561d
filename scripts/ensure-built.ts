// Builds dist/ when it is missing or older than its sources, so that tests never run old binaries.

import { statSync } from "node:fs";
import { join, resolve } from "node:path";

const ROOT = resolve(import.meta.dir, "..");
const SUFFIX = process.platform === "win32" ? ".exe" : "";

export const SVC_BINARY = join(ROOT, "dist", `svc${SUFFIX}`);
export const SIMULATOR_BINARY = join(ROOT, "dist", `svc-sim${SUFFIX}`);
/** The build takes as long as that of svc-sim, so tests that need it are skipped without it. */
export const RECORDING_BINARY = join(ROOT, "dist", `svc-sim-recording${SUFFIX}`);
const CORE_TEST_BINARY = join(ROOT, "dist", `svc-sim-core-test${SUFFIX}`);

interface Helper {
  readonly path: string;
  readonly skip: string;
}

const HELPERS: readonly Helper[] = [
  { path: RECORDING_BINARY, skip: "--skip-recording" },
  { path: CORE_TEST_BINARY, skip: "--skip-core-test" },
];

const SHELL_SOURCES = [
  "src/**/*.ts",
  "package-lock.json",
  "scripts/build-binaries.ts",
  "scripts/release/build-shell.ts",
];
const SIMULATOR_SOURCES = [
  "src/svc-sim/src/**/*",
  "src/svc-sim/Cargo.{toml,lock}",
  "src/svc-sim/build.rs",
];

/** svc and svc-sim. Throws when the build fails. */
export function ensureBuilt(): void {
  build([]);
}

/** Also the two other builds of svc-sim, which only some tests need. */
export function ensureAllBuilt(): void {
  build(HELPERS);
}

function build(helpers: readonly Helper[]): void {
  const stale = helpers.filter(({ path }) => isStale(path, SIMULATOR_SOURCES));
  const simulatorStale = isStale(SIMULATOR_BINARY, SIMULATOR_SOURCES);
  const shellStale = isStale(SVC_BINARY, SHELL_SOURCES);
  if (!simulatorStale && !shellStale && stale.length === 0) return;
  const skips =
    simulatorStale || stale.length > 0
      ? HELPERS.filter((helper) => !stale.includes(helper)).map(({ skip }) => skip)
      : ["--skip-sim"];
  const command = [process.execPath, "scripts/build-binaries.ts", ...skips];
  const { exitCode } = Bun.spawnSync(command, { cwd: ROOT, stdio: ["ignore", 2, 2] });
  if (exitCode !== 0) throw new Error(`the build ended with exit code ${exitCode}`);
}

function isStale(output: string, patterns: readonly string[]): boolean {
  const built = statSync(output, { throwIfNoEntry: false })?.mtimeMs;
  if (built === undefined) return true;
  for (const pattern of patterns)
    for (const path of new Bun.Glob(pattern).scanSync({ cwd: ROOT }))
      if (statSync(join(ROOT, path)).mtimeMs > built) return true;
  return false;
}
