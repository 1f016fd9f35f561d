// Builds pkcs11.node, the native half of pkcs11js, without node-gyp (which would download headers):
// its three C++ files, the headers of node-api-headers, one compiler call.

import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ZIG_CXX } from "./cross-toolchain.ts";
import { CACHE, ROOT } from "./paths.ts";
import type { Target } from "./targets.ts";

export interface AddonTarget {
  readonly platform: NodeJS.Platform;
  /** The compiler with whatever selects its target: `["c++"]`, or `["zig", "c++", "-target", …]`. */
  readonly compiler: readonly string[];
}

const PACKAGE = join(ROOT, "node_modules", "pkcs11js");
const HEADERS = join(ROOT, "node_modules", "node-api-headers", "include");
// The others are included by main.cpp.
const SOURCES = ["dl.cpp", "common.cpp", "main.cpp"].map((name) => join(PACKAGE, "src", name));
const INPUTS = [...SOURCES, import.meta.path];

const FLAGS = [
  // zig writes debug information, with this machine's paths, unless told not to.
  ["-std=c++17", "-O2", "-g0", "-fPIC", "-fvisibility=hidden", "-fno-exceptions", "-fno-rtti"],
  ["-DNAPI_DISABLE_CPP_EXCEPTIONS", "-DBUILDING_NODE_EXTENSION", "-DNODE_GYP_MODULE_NAME=pkcs11"],
  ["-I", join(PACKAGE, "includes"), "-I", HEADERS],
].flat();

const LINK_FLAGS: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  // libstdc++ goes into it: the machine it runs on need not have one.
  linux: ["-shared", "-s", "-Wl,--gc-sections", "-static-libstdc++", "-static-libgcc"],
  darwin: ["-shared", "-undefined", "dynamic_lookup", "-Wl,-S,-install_name,@rpath/pkcs11.node"],
  win32: ["-shared", "-s"],
};

/** This machine's own; null without a C++ compiler. */
export function addonTargetOfThisMachine(): AddonTarget | null {
  const compiler = process.env.CXX?.split(" ") ?? ["c++"];
  const found = Bun.which(compiler[0] ?? "") !== null;
  return found ? { platform: process.platform, compiler } : null;
}

/** The one of a release, by zig. Returns its path. */
export function buildReleaseAddon({ name, platform, zig }: Target): string {
  const output = join(CACHE, "addons", name, "pkcs11.node");
  mkdirSync(dirname(output), { recursive: true });
  // libc++ is static in all that zig links; what says so of libstdc++ only earns a warning.
  const compiler = [...ZIG_CXX, "-target", zig, "-w"];
  buildAddon({ platform, compiler }, output);
  return output;
}

/** Writes `output`, unless it is newer than what it is made from. Throws when it cannot. */
export function buildAddon({ platform, compiler }: AddonTarget, output: string): void {
  const built = statSync(output, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (INPUTS.every((path) => statSync(path).mtimeMs < built)) return;
  const linkFlags = LINK_FLAGS[platform];
  if (linkFlags === undefined) throw new Error(`pkcs11.node cannot be linked for ${platform} yet`);
  const sources = platform === "win32" ? [...SOURCES, writeImports(dirname(output))] : SOURCES;
  const command = [...compiler, ...FLAGS, ...sources, ...linkFlags, "-o", output];
  const { exitCode } = Bun.spawnSync(command, { cwd: ROOT, stdio: ["ignore", 2, 2] });
  if (exitCode !== 0) throw new Error(`${compiler.join(" ")} ended with exit code ${exitCode}`);
}

/**
 * On Windows an addon names the program whose functions it calls, and that would be node.exe. So the
 * pointers that an import library would fill are defined here, and filled from the program that runs.
 */
function writeImports(directory: string): string {
  const listed = ["js_native_api", "node_api"].flatMap((name) =>
    readFileSync(join(HEADERS, "..", "def", `${name}.def`), "utf8").match(/\bnapi_\w+/g),
  );
  // The one list holds the other.
  const names = [...new Set(listed)];
  const lines = [
    "#include <windows.h>",
    'extern "C" {',
    ...names.map((name) => `FARPROC __imp_${name};`),
    "BOOL WINAPI DllMain(HINSTANCE, DWORD reason, LPVOID) {",
    "  if (reason != DLL_PROCESS_ATTACH) return TRUE;",
    "  HMODULE program = GetModuleHandleW(nullptr);",
    ...names.map((name) => `  __imp_${name} = GetProcAddress(program, "${name}");`),
    "  return TRUE;",
    "}",
    "}",
  ];
  const path = join(directory, "imports.cpp");
  writeFileSync(path, `${lines.join("\n")}\n`);
  return path;
}
