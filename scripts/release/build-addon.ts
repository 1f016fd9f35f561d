// Builds pkcs11.node, the native half of pkcs11js, without node-gyp (which would download headers):
// its three C++ files, the headers of node-api-headers, one compiler call.

import { statSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./paths.ts";

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
  ["-std=c++17", "-O2", "-fPIC", "-fvisibility=hidden", "-fno-exceptions", "-fno-rtti"],
  ["-DNAPI_DISABLE_CPP_EXCEPTIONS", "-DBUILDING_NODE_EXTENSION", "-DNODE_GYP_MODULE_NAME=pkcs11"],
  ["-I", join(PACKAGE, "includes"), "-I", HEADERS],
].flat();

const LINK_FLAGS: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  // libstdc++ goes into it: the machine it runs on need not have one.
  linux: ["-shared", "-s", "-Wl,--gc-sections", "-static-libstdc++", "-static-libgcc"],
  darwin: ["-shared", "-undefined", "dynamic_lookup"],
};

/** This machine's own; null without a C++ compiler. */
export function addonTargetOfThisMachine(): AddonTarget | null {
  const compiler = process.env.CXX?.split(" ") ?? ["c++"];
  const found = Bun.which(compiler[0] ?? "") !== null;
  return found ? { platform: process.platform, compiler } : null;
}

/** Writes `output`, unless it is newer than what it is made from. Throws when it cannot. */
export function buildAddon({ platform, compiler }: AddonTarget, output: string): void {
  const built = statSync(output, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (INPUTS.every((path) => statSync(path).mtimeMs < built)) return;
  const linkFlags = LINK_FLAGS[platform];
  if (linkFlags === undefined) throw new Error(`pkcs11.node cannot be linked for ${platform} yet`);
  const command = [...compiler, ...FLAGS, ...SOURCES, ...linkFlags, "-o", output];
  const { exitCode } = Bun.spawnSync(command, { cwd: ROOT, stdio: ["ignore", 2, 2] });
  if (exitCode !== 0) throw new Error(`${compiler.join(" ")} ended with exit code ${exitCode}`);
}
