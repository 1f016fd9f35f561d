// Lists the platforms of a release. Each row is one archive.

export interface Target {
  readonly name: string;
  readonly platform: NodeJS.Platform;
  readonly architecture: NodeJS.Architecture;
  /** The C library. Null on systems other than Linux. */
  readonly libc: "glibc" | "musl" | null;
  /** Bun's name for the platform. The npm package of its executable is `bunPackage`. */
  readonly bun: Bun.Build.CompileTarget;
  readonly bunPackage: string;
  /** Rust's target for svc-sim. */
  readonly rust: string;
  /** zig's target for C++, with the oldest supported system. */
  readonly zig: string;
  readonly suffix: "" | ".exe";
  readonly archive: "tar.gz" | "zip";
}

/** The oldest macOS that Bun runs on. */
export const MACOS = "13.0";

const MACHINES = { x64: "x86_64", arm64: "aarch64" } as const;
const BUN_MACHINES = { x64: "x64", arm64: "aarch64" } as const;

export const TARGETS: readonly Target[] = [
  linux("x64", "glibc"),
  linux("x64", "musl"),
  linux("arm64", "glibc"),
  linux("arm64", "musl"),
  darwin("x64"),
  darwin("arm64"),
  {
    name: "windows-x64",
    platform: "win32",
    architecture: "x64",
    libc: null,
    bun: "bun-windows-x64",
    bunPackage: "@oven/bun-windows-x64",
    rust: "x86_64-pc-windows-gnu",
    zig: "x86_64-windows-gnu",
    suffix: ".exe",
    archive: "zip",
  },
];

/** Returns null on a machine for which there is no release. */
export function targetOfThisMachine(): Target | null {
  const mine = TARGETS.filter(
    ({ platform, architecture }) => platform === process.platform && architecture === process.arch,
  );
  return mine.find(({ libc }) => libc === null || libc === libcOfThisMachine()) ?? null;
}

/** Node's report has the version of glibc, or no version if the system has another library. */
function libcOfThisMachine(): "glibc" | "musl" {
  const { header } = process.report.getReport() as { header: { glibcVersionRuntime?: string } };
  return header.glibcVersionRuntime === undefined ? "musl" : "glibc";
}

function linux(architecture: "x64" | "arm64", libc: "glibc" | "musl"): Target {
  const machine = MACHINES[architecture];
  const musl = libc === "musl" ? "-musl" : "";
  return {
    name: `linux-${architecture}${musl}`,
    platform: "linux",
    architecture,
    libc,
    bun: `bun-linux-${architecture}${musl}` as Bun.Build.CompileTarget,
    bunPackage: `@oven/bun-linux-${BUN_MACHINES[architecture]}${musl}`,
    // svc-sim is linked statically, so that one program works with both libraries. It is as fast
    // as a build for glibc.
    rust: `${machine}-unknown-linux-musl`,
    // 2.17 is the oldest glibc that Bun runs on.
    zig: libc === "musl" ? `${machine}-linux-musl` : `${machine}-linux-gnu.2.17`,
    suffix: "",
    archive: "tar.gz",
  };
}

function darwin(architecture: "x64" | "arm64"): Target {
  const machine = MACHINES[architecture];
  return {
    name: `darwin-${architecture}`,
    platform: "darwin",
    architecture,
    libc: null,
    bun: `bun-darwin-${architecture}`,
    bunPackage: `@oven/bun-darwin-${BUN_MACHINES[architecture]}`,
    rust: `${machine}-apple-darwin`,
    zig: `${machine}-macos.${MACOS}`,
    suffix: "",
    archive: "tar.gz",
  };
}
