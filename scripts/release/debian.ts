// The packages of Debian with the libraries in the image and the texts of their licenses, as release/debian-packages pins them.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Component } from "./components.ts";
import type { ImageArchitecture } from "./oci-image.ts";
import { ROOT } from "./paths.ts";

export interface DebianPackage {
  readonly architecture: ImageArchitecture;
  readonly name: string;
  readonly version: string;
  readonly sha256: string;
}

/** The SPDX expressions of the libraries. Their copyright files are in the image. */
const LICENSES: Readonly<Record<string, string>> = {
  "base-files": "GPL-2.0-or-later",
  "gcc-14-base": "GPL-3.0-or-later WITH GCC-exception-3.1",
  libc6: "LGPL-2.1-or-later",
  "libgcc-s1": "GPL-3.0-or-later WITH GCC-exception-3.1",
  "libstdc++6": "GPL-3.0-or-later WITH GCC-exception-3.1",
};
const LINE = /^(amd64|arm64) (\S+) (\S+) ([0-9a-f]{64})$/;

/** Returns the packages of all architectures. */
export function readDebianPackages(): DebianPackage[] {
  const lines = readFileSync(join(ROOT, "release", "debian-packages"), "utf8").split("\n");
  return lines.flatMap((line) => {
    if (line === "" || line.startsWith("#")) return [];
    const [, architecture, name = "", version = "", sum = ""] = LINE.exec(line) ?? [];
    if (sum === "" || !(architecture === "amd64" || architecture === "arm64"))
      throw new Error(`release/debian-packages: "${line}" is not a package`);
    return { architecture, name, version, sha256: sum };
  });
}

/** Returns the packages as parts of a release. */
export function debianComponents(packages: readonly DebianPackage[]): Component[] {
  return packages.map(({ architecture, name, version, sha256: hex }) => ({
    ecosystem: "deb",
    architecture,
    name,
    version,
    license: LICENSES[name] ?? "",
    hash: { algorithm: "SHA-256", hex },
    licenseTexts: [],
  }));
}
