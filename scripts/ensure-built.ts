// Builds dist/ when it is missing or older than its sources, so that tests never run old binaries.

import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

const ROOT = resolve(import.meta.dir, "..");
const SUFFIX = process.platform === "win32" ? ".exe" : "";

export const SVC_BINARY = join(ROOT, "dist", `svc${SUFFIX}`);
export const SIMULATOR_BINARY = join(ROOT, "dist", `svc-sim${SUFFIX}`);
export const RECORDING_BINARY = join(ROOT, "dist", `svc-sim-recording${SUFFIX}`);

export const MODULE = join(ROOT, "dist", "svc-sim.wasm");
export const RECORDING_MODULE = join(ROOT, "dist", "svc-sim-recording.wasm");

export const BROWSER_PAGE = join(ROOT, "dist", "svc.html");

const PROFILE = join(ROOT, "dist", "profile");

const SHELL_SOURCES = [
  "src/**/*.{ts,js,css,json}",
  "package-lock.json",
  "scripts/build-binaries.ts",
  "scripts/release/{build-shell,start-chunk}.ts",
];
const SIMULATOR_SOURCES = [
  "src/svc-sim/src/**/*",
  "src/svc-sim/Cargo.{toml,lock}",
  "src/svc-sim/build.rs",
];

/** Returns the profile of Cargo.toml in which dist/ was built. */
export function builtProfile(): "quick" | "release" {
  return existsSync(PROFILE) && readFileSync(PROFILE, "utf8") === "release" ? "release" : "quick";
}

export function noteProfile(profile: "quick" | "release"): void {
  writeFileSync(PROFILE, profile);
}

/** Builds those of the three programs that are outdated. Throws when the build fails. */
export function ensureBuilt(): void {
  const programs = [
    ...(isStale(SIMULATOR_BINARY, SIMULATOR_SOURCES) ? ["svc-sim"] : []),
    ...(isStale(RECORDING_BINARY, SIMULATOR_SOURCES) ? ["svc-sim-recording"] : []),
    ...(isStale(SVC_BINARY, SHELL_SOURCES) ? ["svc"] : []),
  ];
  if (programs.length > 0) build(programs, builtProfile());
}

/** Builds programs into dist/. Throws when the build fails. */
export function build(programs: readonly string[], profile: "quick" | "release"): void {
  const chosen = programs.flatMap((program) => ["--program", program]);
  runBuild(profile === "quick" ? [...chosen, "--quick"] : chosen);
}

const MODULE_SOURCES = [
  ...SIMULATOR_SOURCES,
  "src/svc-sim/wasm/{Cargo.toml,Cargo.lock,build.rs}",
  "src/svc-sim/wasm/**/*.rs",
];

/**
 * Builds the modules of svc-sim, which need the compiler that `release/prepare --module` downloads.
 * Throws when the build fails.
 */
export function ensureModulesBuilt(): void {
  if ([MODULE, RECORDING_MODULE].some((each) => isStale(each, MODULE_SOURCES)))
    runBuild(["--module", "--quick"]);
}

function runBuild(flags: readonly string[]): void {
  const command = [process.execPath, "scripts/build-binaries.ts", ...flags];
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
