// Provides the compilers for other platforms, which release/prepare downloads: Debian's rustc
// and cargo with the source of Rust's library, and zig as C compiler and linker. The library is
// compiled once for each platform, to the directory in which rustc searches it. Therefore crates
// build as if it came with rustc.

import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CARGO_HOME, CARGO_TARGET_DIRECTORY, CROSS_TOOLCHAIN } from "./paths.ts";
import { MACOS, type Target } from "./targets.ts";

export const RUST = join(CROSS_TOOLCHAIN, "rust");
const ZIG = join(CROSS_TOOLCHAIN, "zig", "bin");
export const LIBRARIES = join(RUST, "usr", "lib", "x86_64-linux-gnu");

export const CARGO_ZIGBUILD = join(ZIG, "cargo-zigbuild");
/** The command that runs zig as a C++ compiler. */
export const ZIG_CXX = [join(ZIG, "python3"), "-m", "ziglang", "c++"];

/** Returns the versions of the tools by their names, for the provenance. */
export function crossToolVersions(): Readonly<Record<string, string>> {
  // A release of this machine's own programs needs no toolchain.
  if (!existsSync(CARGO_ZIGBUILD)) return {};
  const environment = { ...process.env, LD_LIBRARY_PATH: LIBRARIES };
  const version = (...command: string[]) =>
    Bun.spawnSync(command, { env: environment }).stdout.toString().trim();
  return {
    rustc: version(join(RUST, "usr", "bin", "rustc"), "--version"),
    cargo: version(join(RUST, "usr", "bin", "cargo"), "--version"),
    "cargo-zigbuild": version(CARGO_ZIGBUILD, "--version"),
    zig: version(join(ZIG, "python3"), "-m", "ziglang", "version"),
  };
}

/** Throws if release/prepare did not run. */
export function crossEnvironment(target: Target): Record<string, string | undefined> {
  const needed = ["rustc", "rust-objcopy"].map((name) => join(RUST, "usr", "bin", name));
  const missing = [...needed, CARGO_ZIGBUILD].find((path) => !existsSync(path));
  if (missing !== undefined)
    throw new Error(`${missing} is missing; run release/prepare, which downloads the compilers`);
  return {
    ...process.env,
    PATH: [ZIG, join(RUST, "usr", "bin"), process.env.PATH].join(":"),
    LD_LIBRARY_PATH: LIBRARIES,
    MACOSX_DEPLOYMENT_TARGET: MACOS,
    CARGO_ENCODED_RUSTFLAGS: rustFlags(target).join("\x1f"),
    // zig drops the names of functions, too, if it is to drop what a debugger reads.
    CARGO_PROFILE_DIST_STRIP: "none",
  };
}

/**
 * Returns the program without the names of its functions, which are a sixth of the file, or only
 * without what a debugger reads, which has paths of this machine. A panic has its file and line
 * without both.
 */
export function stripped(program: Buffer, what: "--strip-all" | "--strip-debug"): Buffer {
  const scratch = mkdtempSync(join(tmpdir(), "svc-strip-"));
  try {
    const [whole, rest] = [join(scratch, "whole"), join(scratch, "rest")];
    writeFileSync(whole, program);
    const command = [join(RUST, "usr", "bin", "rust-objcopy"), what, whole, rest];
    const environment = { ...process.env, LD_LIBRARY_PATH: LIBRARIES };
    const { exitCode } = Bun.spawnSync(command, { env: environment, stdio: ["ignore", 2, 2] });
    if (exitCode !== 0) throw new Error(`${command.join(" ")} ended with exit code ${exitCode}`);
    return readFileSync(rest);
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

/** Returns further flags of rustc, which only the program itself needs. */
export function linkFlags({ platform }: Target): string[] {
  if (platform !== "win32") return [];
  // Debian's rustc links a part of MinGW's libssp that zig does not have and nothing uses.
  const folder = join(CROSS_TOOLCHAIN, "windows");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "libssp_nonshared.a"), "!<arch>\n");
  return ["-L", `native=${folder}`];
}

/** The note beside a library that has the bitcode for the profile `dist`. */
const BITCODE = "has-bitcode";

/** Compiles Rust's library for the platform if this was not done before. */
export function ensureStandardLibrary(target: Target): void {
  const environment = crossEnvironment(target);
  const library = join(RUST, "usr", "lib", "rustlib", target.rust, "lib");
  const done = join(library, BITCODE);
  if (existsSync(done)) return;
  const scratch = mkdtempSync(join(tmpdir(), "svc-std-"));
  try {
    const built = compileStandardLibrary(target, environment, scratch);
    // rustc refuses to choose between two libraries, and no crate fits another one than its own.
    rmSync(library, { recursive: true, force: true });
    rmSync(join(CARGO_TARGET_DIRECTORY, target.rust), { recursive: true, force: true });
    mkdirSync(library, { recursive: true });
    for (const name of readdirSync(built))
      if (name.endsWith(".rlib") && !name.startsWith("libnothing"))
        copyFileSync(join(built, name), join(library, name));
    writeFileSync(done, "");
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

/** Builds an empty crate. Returns the directory of the libraries. */
function compileStandardLibrary(
  target: Target,
  environment: Record<string, string | undefined>,
  scratch: string,
): string {
  const init = Bun.spawnSync(
    ["cargo", "init", "--quiet", "--lib", "--vcs=none", "--name=nothing"],
    {
      cwd: scratch,
      env: environment,
      stdio: ["ignore", 2, 2],
    },
  );
  if (init.exitCode !== 0) throw new Error("cargo init failed");
  const command = [CARGO_ZIGBUILD, "zigbuild", "--release", "-Zbuild-std=std,panic_unwind"];
  const build = Bun.spawnSync([...command, "--target", target.rust], {
    cwd: scratch,
    env: {
      ...environment,
      RUSTC_BOOTSTRAP: "1",
      CARGO_TARGET_DIR: join(scratch, "target"),
      // Optimization at link time needs it, and cargo leaves it out where no such program is built.
      CARGO_ENCODED_RUSTFLAGS: [...rustFlags(target), "-Cembed-bitcode=yes"].join("\x1f"),
    },
    stdio: ["ignore", 2, 2],
  });
  if (build.exitCode !== 0)
    throw new Error(`Rust's library cannot be compiled for ${target.rust} (${build.exitCode})`);
  return join(scratch, "target", target.rust, "release", "deps");
}

/** The output must not contain paths of this machine. */
function rustFlags(target: Target): string[] {
  const flags = [
    `--remap-path-prefix=${CARGO_HOME}=/cargo`,
    `--remap-path-prefix=${RUST}=/toolchain`,
  ];
  // zig has musl's start files.
  if (target.rust.endsWith("musl")) flags.push("-Clink-self-contained=no");
  return flags;
}
