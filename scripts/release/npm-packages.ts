// Writes the npm packages of a release: one wrapper, and one package for each platform with its
// programs. npm installs only the package of the machine, because the wrapper names them as optional
// dependencies with a system, a processor and a C library. No package has a script that runs when it
// is installed.

import { basename } from "node:path";
import packageFile from "../../package.json";
import type { Target } from "./targets.ts";
import { type ArchivedFile, writeTarGz } from "./write-archive.ts";

/**
 * The scope of the packages. Whoever publishes them chooses it, because a scope of the public
 * registry belongs to somebody.
 */
export const SCOPE = process.env.SVC_NPM_SCOPE ?? "@svc-debugger";
const WRAPPER = `${SCOPE}/svc`;

/** The files of an archive that a package of a platform has. */
const PROGRAMS = /^(svc|svc-sim|svc-sim-recording)(\.exe)?$|^pkcs11\.node$|^svc\.html$/;
const TEXTS = /^(LICENSE|THIRD-PARTY-LICENSES\.txt)$/;

/** Names the file of the wrapper. */
export function wrapperFile(version: string): string {
  return `svc-${version}-npm.tgz`;
}

/** Names the file of a platform's package. */
export function platformFile(version: string, { name }: Target): string {
  return `svc-${version}-npm-${name}.tgz`;
}

/** Names the file of the package for programs in JavaScript. */
export function libraryFile(version: string): string {
  return `svc-${version}-npm-library.tgz`;
}

/** Writes the package for programs from its files, of which one is its manifest. */
export function writeLibraryPackage(files: readonly ArchivedFile[], unixSeconds: number): Buffer {
  return writeTarGz(
    files.map((file) => ({ ...file, path: `package/${file.path}` })),
    unixSeconds,
  );
}

/** Writes the package of a platform from the files of its archive. */
export function writePlatformPackage(
  target: Target,
  archived: readonly ArchivedFile[],
  unixSeconds: number,
): Buffer {
  const { platform, architecture, libc } = target;
  const files = archived.filter(({ path }) => PROGRAMS.test(path) || TEXTS.test(path));
  const manifest = {
    ...common(nameOf(target), `svc for ${target.name}`),
    os: [platform],
    cpu: [architecture],
    ...(libc === null ? {} : { libc: [libc] }),
    files: files.map(({ path }) => path),
    // A package without an entry point is otherwise taken for one with index.js.
    main: "package.json",
    preferUnplugged: true,
  };
  return packed(manifest, files, unixSeconds);
}

/** Writes the wrapper, whose `svc` starts the program of the machine's package. */
export function writeWrapperPackage(
  targets: readonly Target[],
  texts: { readonly license: Buffer; readonly readme: Buffer },
  unixSeconds: number,
): Buffer {
  const manifest = {
    ...common(WRAPPER, packageFile.description),
    bin: { svc: "bin/svc.js", "stellar-svc": "bin/svc.js" },
    engines: { node: ">=18" },
    files: ["bin"],
    optionalDependencies: Object.fromEntries(
      targets.map((target) => [nameOf(target), packageFile.version]),
    ),
  };
  const script = Buffer.from(LAUNCHER.replace("@SCOPE@", SCOPE));
  const files = [
    { path: "bin/svc.js", bytes: script, executable: true },
    { path: "LICENSE", bytes: texts.license, executable: false },
    { path: "README.md", bytes: texts.readme, executable: false },
  ];
  return packed(manifest, files, unixSeconds);
}

function nameOf({ name }: Target): string {
  return `${SCOPE}/${name}`;
}

function common(name: string, description: string) {
  const { version, license } = packageFile;
  return { name, version, description, license };
}

/** npm expects all files below `package/`. */
function packed(manifest: object, files: readonly ArchivedFile[], unixSeconds: number): Buffer {
  const bytes = Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`);
  const all = [{ path: "package.json", bytes, executable: false }, ...files];
  return writeTarGz(
    all.map((file) => ({ ...file, path: `package/${file.path}` })),
    unixSeconds,
  );
}

/** Says whether a file of a release is an npm package. */
export function isNpmPackage(name: string): boolean {
  return /^svc-[\d.]+-npm(-[\w-]+)?\.tgz$/.test(basename(name));
}

/** Runs under every Node from version 18 on, so it is written in CommonJS. */
const LAUNCHER = `#!/usr/bin/env node
// Starts the svc of this machine's package, with the arguments, the streams and the signals of this process.
"use strict";
const { spawn } = require("node:child_process");
const { existsSync } = require("node:fs");
const { constants } = require("node:os");
const { dirname, join } = require("node:path");

const { platform, arch } = process;
const names = { linux: "linux", darwin: "darwin", win32: "windows" };
const isMusl = () => {
  const { header } = process.report.getReport();
  return header.glibcVersionRuntime === undefined;
};
const name = \`\${names[platform] ?? platform}-\${arch}\${platform === "linux" && isMusl() ? "-musl" : ""}\`;

function findProgram() {
  try {
    const folder = dirname(require.resolve(\`@SCOPE@/\${name}/package.json\`));
    return join(folder, platform === "win32" ? "svc.exe" : "svc");
  } catch {
    process.stderr.write(
      \`svc: the package @SCOPE@/\${name} is not installed.\\n\` +
        "Install again without --no-optional (--omit=optional). If there is no such package, svc does not support this platform.\\n",
    );
    process.exit(3);
  }
}

// Bun, which svc is built with, needs /proc, and its own text does not say so.
if (platform === "linux" && !existsSync("/proc/self/exe")) {
  process.stderr.write("svc: /proc is not mounted here, and svc cannot start without it.\\n");
  process.exit(3);
}
const child = spawn(findProgram(), process.argv.slice(2), { stdio: "inherit", windowsHide: false });
const signals = ["SIGINT", "SIGTERM", "SIGHUP"];
for (const signal of signals) process.on(signal, () => child.kill(signal));
child.on("error", (error) => {
  process.stderr.write(\`svc: \${error.message}\\n\`);
  process.exitCode = 3;
});
child.on("exit", (code, signal) => {
  process.exitCode = code ?? 128 + (constants.signals[signal] ?? 0);
  // The loader exits with 127 if it does not find a library of the program.
  if (code === 127 && platform === "linux" && isMusl())
    process.stderr.write("svc: a library is missing. On Alpine run: apk add libstdc++\\n");
});
`;
