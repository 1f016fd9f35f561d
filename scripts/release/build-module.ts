// Builds svc-sim as a WebAssembly module, with the compilers that release/prepare downloads. rustc
// has no library for this target in which a panic unwinds, as the hosts need. It is compiled once,
// as part of the whole library, because build scripts of crates try the compiler and must find it.

import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LIBRARIES, RUST } from "./cross-toolchain.ts";
import { CARGO_HOME, CARGO_TARGET_DIRECTORY, CRATE } from "./paths.ts";

const TARGET = "wasm32-unknown-unknown";
const PROGRAMS = join(RUST, "usr", "bin");

/** Says whether release/prepare has downloaded what `buildModule` needs. */
export function canBuildModule(): boolean {
  return existsSync(join(PROGRAMS, "wasm-ld"));
}

/** The modules: the one that replays, and the one that simulates. */
export type ModuleName = "svc-sim" | "svc-sim-recording";

/** Returns the path of the module. Throws if release/prepare did not run. */
export function buildModule(name: ModuleName, profile: "release" | "quick"): string {
  if (!canBuildModule())
    throw new Error("the compiler of the module is missing; run release/prepare --module");
  ensureLibrary();
  const command = ["build", "--profile", profile, "--locked", "--target", TARGET];
  const features = name === "svc-sim-recording" ? ["--features", "recording"] : [];
  cargo(join(CRATE, "wasm"), [...command, ...features], {
    ...environment(),
    CARGO_TARGET_DIR: CARGO_TARGET_DIRECTORY,
  });
  // Both builds have one name in the directory of cargo.
  const directory = join(CARGO_TARGET_DIRECTORY, TARGET, profile);
  const module = join(directory, `${name}.wasm`);
  copyFileSync(join(directory, "svc_sim_wasm.wasm"), module);
  return module;
}

/** The paths of both modules. */
export interface Modules {
  readonly module: string;
  readonly recordingModule: string;
}

/** Builds both, one after the other. Throws if release/prepare did not run. */
export function buildModules(profile: "release" | "quick"): Modules {
  return {
    module: buildModule("svc-sim", profile),
    recordingModule: buildModule("svc-sim-recording", profile),
  };
}

function ensureLibrary(): void {
  const library = join(RUST, "usr", "lib", "rustlib", TARGET, "lib");
  if (existsSync(library)) return;
  const scratch = mkdtempSync(join(tmpdir(), "svc-std-"));
  try {
    const built = compileLibrary(scratch);
    mkdirSync(library, { recursive: true });
    for (const name of readdirSync(built))
      if (name.endsWith(".rlib")) copyFileSync(join(built, name), join(library, name));
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

/** Returns the directory of the libraries. */
function compileLibrary(scratch: string): string {
  const source = join(RUST, "usr", "lib", "rustlib", "src", "rust", "library");
  cpSync(source, join(scratch, "library"), { recursive: true, dereference: true });
  const target = join(scratch, "target");
  const features = ["--features", "panic-unwind"];
  const command = ["build", "--release", "-p", "sysroot", ...features, "--target", TARGET];
  cargo(join(scratch, "library"), command, {
    ...environment("-Copt-level=z", "-Cembed-bitcode=yes", "-Zforce-unstable-if-unmarked"),
    // Debian's source is of the same release as its compiler.
    RUSTC_BOOTSTRAP: "1",
    CARGO_TARGET_DIR: target,
  });
  return join(target, TARGET, "release", "deps");
}

function environment(...more: readonly string[]): Record<string, string | undefined> {
  const flags = [
    "-Cpanic=unwind",
    "-Clinker=wasm-ld",
    "-Clinker-flavor=wasm-ld",
    // The output must not contain paths of this machine.
    `--remap-path-prefix=${CARGO_HOME}=/cargo`,
    `--remap-path-prefix=${RUST}=/toolchain`,
  ];
  return {
    ...process.env,
    PATH: [PROGRAMS, process.env.PATH].join(":"),
    LD_LIBRARY_PATH: LIBRARIES,
    CARGO_ENCODED_RUSTFLAGS: [...flags, ...more].join("\x1f"),
  };
}

function cargo(
  directory: string,
  args: readonly string[],
  environment: Record<string, string | undefined>,
): void {
  const { exitCode } = Bun.spawnSync(["cargo", ...args], {
    cwd: directory,
    env: environment,
    stdio: ["ignore", "inherit", "inherit"],
  });
  if (exitCode !== 0) throw new Error(`cargo ${args.join(" ")} ended with exit code ${exitCode}`);
}
