// Names the directories of builds. Caches are outside the checkout, so that a fresh checkout
// does not compile ten contract hosts again.

import { homedir } from "node:os";
import { join, resolve } from "node:path";

export const ROOT = resolve(import.meta.dir, "../..");
export const DIST = join(ROOT, "dist");
/** The directory with the archives, checksums, bill of materials and provenance. */
export const RELEASE_DIST = join(DIST, "release");
export const CRATE = join(ROOT, "src", "svc-sim");

export const CACHE = join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "svc");

export const CARGO_TARGET_DIRECTORY = process.env.CARGO_TARGET_DIR ?? join(CACHE, "cargo-target");
export const CARGO_HOME = process.env.CARGO_HOME ?? join(homedir(), ".cargo");
export const BUN_CACHE = join(CACHE, "bun");
/** The output of release/prepare, with the folders rust/ and zig/. */
export const CROSS_TOOLCHAIN = process.env.SVC_CROSS_TOOLCHAIN ?? join(CACHE, "cross");
