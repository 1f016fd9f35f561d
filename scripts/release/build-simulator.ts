// Builds svc-sim with cargo: for this machine with its own compiler, and for a release with the
// compilers of release/prepare. cargo reads .cargo/config.toml from its working directory, so it
// runs in the crate's directory.

import { join } from "node:path";
import {
  CARGO_ZIGBUILD,
  crossEnvironment,
  ensureStandardLibrary,
  linkFlags,
} from "./cross-toolchain.ts";
import { CARGO_TARGET_DIRECTORY, CRATE } from "./paths.ts";
import type { Target } from "./targets.ts";

export interface SimulatorBuild {
  readonly features: readonly string[];
  /** A profile of Cargo.toml. */
  readonly profile: "release" | "quick";
}

/** Returns the path of the program in cargo's target directory. */
export function buildSimulator(target: Target, { features, profile }: SimulatorBuild): string {
  cargo(["cargo", "build", "--profile", profile, "--locked", ...features], process.env);
  return join(CARGO_TARGET_DIRECTORY, profile, `svc-sim${target.suffix}`);
}

/** The profile of Cargo.toml for releases. */
const PROFILE = "dist";

/**
 * Builds svc-sim for a release, with the names of its functions. Returns the path of the program,
 * which the next build overwrites.
 */
export function buildReleaseSimulator(target: Target, features: readonly string[] = []): string {
  ensureStandardLibrary(target);
  const command = [CARGO_ZIGBUILD, "rustc", "--profile", PROFILE, "--locked", "--bin", "svc-sim"];
  const last = ["--target", target.rust, "--", ...linkFlags(target)];
  cargo([...command, ...features, ...last], crossEnvironment(target));
  return join(CARGO_TARGET_DIRECTORY, target.rust, PROFILE, `svc-sim${target.suffix}`);
}

function cargo(command: readonly string[], environment: Record<string, string | undefined>): void {
  const { exitCode } = Bun.spawnSync([...command], {
    cwd: CRATE,
    env: { ...environment, CARGO_TARGET_DIR: CARGO_TARGET_DIRECTORY },
    stdio: ["ignore", "inherit", "inherit"],
  });
  if (exitCode !== 0) throw new Error(`${command.join(" ")} ended with exit code ${exitCode}`);
}
