// Builds pkcs11.node, the native half of pkcs11js, without node-gyp, which would download
// headers. One call of a compiler builds its three C++ files with the headers of node-api-headers.

import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ZIG_CXX } from "./cross-toolchain.ts";
import { CACHE, ROOT } from "./paths.ts";
import type { Target } from "./targets.ts";

export interface AddonTarget {
  readonly platform: NodeJS.Platform;
  /** The compiler with the flags for its target: `["c++"]`, or `["zig", "c++", "-target", …]`. */
  readonly compiler: readonly string[];
}

const PACKAGE = join(ROOT, "node_modules", "pkcs11js");
const HEADERS = join(ROOT, "node_modules", "node-api-headers", "include");
// main.cpp includes the others.
const SOURCES = ["dl.cpp", "common.cpp", "main.cpp"].map((name) => join(PACKAGE, "src", name));
const INPUTS = [...SOURCES, import.meta.path];

const FLAGS = [
  // zig otherwise writes debug information with this machine's paths.
  ["-std=c++17", "-O2", "-g0", "-fPIC", "-fvisibility=hidden", "-fno-exceptions", "-fno-rtti"],
  ["-DNAPI_DISABLE_CPP_EXCEPTIONS", "-DBUILDING_NODE_EXTENSION", "-DNODE_GYP_MODULE_NAME=pkcs11"],
  ["-I", join(PACKAGE, "includes"), "-I", HEADERS],
].flat();

const LINK_FLAGS: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  // libstdc++ is linked statically: the user's machine may not have it.
  linux: ["-shared", "-s", "-Wl,--gc-sections", "-static-libstdc++", "-static-libgcc"],
  darwin: ["-shared", "-undefined", "dynamic_lookup", "-Wl,-S,-install_name,@rpath/pkcs11.node"],
  win32: ["-shared", "-s"],
};

/** Returns the target for this machine, or null if there is no C++ compiler. */
export function addonTargetOfThisMachine(): AddonTarget | null {
  const compiler = process.env.CXX?.split(" ") ?? ["c++"];
  const found = Bun.which(compiler[0] ?? "") !== null;
  return found ? { platform: process.platform, compiler } : null;
}

/** Builds the addon of a release with zig. Returns its path. */
export function buildReleaseAddon({ name, platform, zig }: Target): string {
  const output = join(CACHE, "addons", name, "pkcs11.node");
  mkdirSync(dirname(output), { recursive: true });
  // zig always links libc++ statically; the flag for libstdc++ would only cause a warning.
  const compiler = [...ZIG_CXX, "-target", zig, "-w"];
  buildAddon({ platform, compiler }, output);
  return output;
}

/** Writes `output`, unless it is newer than its sources. Throws if the build fails. */
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
 * Writes a source file with the functions of Node-API. An addon on Windows contains the name of the
 * program whose functions it calls, which would be node.exe. Therefore this file defines the
 * pointers that an import library would fill, and fills them from the running program.
 */
function writeImports(directory: string): string {
  const listed = ["js_native_api", "node_api"].flatMap((name) =>
    readFileSync(join(HEADERS, "..", "def", `${name}.def`), "utf8").match(/\bnapi_\w+/g),
  );
  // One list contains the other.
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
