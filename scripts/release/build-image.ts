// Builds the container image of a platform: the files of its archive, with Debian's C library.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Image, type ImageArchitecture, readImageFiles, writeOciImage } from "./oci-image.ts";
import { ROOT } from "./paths.ts";
import type { Target } from "./targets.ts";
import type { ArchivedFile } from "./write-archive.ts";

/** GCC's copyright file is in the package that its libraries depend on. */
const LIBRARY_PACKAGES = ["libc6", "libgcc-s1", "libstdc++6", "gcc-14-base"];
/** Copyright files refer to texts of licenses that are in this one. */
const LICENSE_PACKAGE = "base-files";
const LICENSE_TEXTS = "usr/share/common-licenses";
export const IMAGE_PACKAGES = [...LIBRARY_PACKAGES, LICENSE_PACKAGE];
const OF_TARGETS: Readonly<Record<string, readonly [ImageArchitecture, machine: string]>> = {
  "linux-x64": ["amd64", "x86_64"],
  "linux-arm64": ["arm64", "aarch64"],
};

/** The architecture in the image of a platform; null if it has none. */
export function imageArchitecture({ name }: Target): ImageArchitecture | null {
  return OF_TARGETS[name]?.[0] ?? null;
}

/**
 * Returns null for a platform without an image. Vendors' PKCS#11 modules are for Linux and glibc. `bill` is
 * the bill of materials of the image, in CycloneDX.
 */
export async function buildImage(
  { name }: Target,
  archived: readonly ArchivedFile[],
  unixSeconds: number,
  bill?: Buffer,
): Promise<Image | null> {
  const made = OF_TARGETS[name];
  if (made === undefined) return null;
  const [architecture, machine] = made;
  const folders = LIBRARY_PACKAGES.map((name) => debianPackage(architecture, name));
  const libraries = folders.map((folder) => join(folder, "usr", "lib", `${machine}-linux-gnu`));
  const owners = folders.flatMap(copyrightsIn);
  const copyrights = [
    ...owners,
    ...licenseTextsOf(owners, debianPackage(architecture, LICENSE_PACKAGE)),
  ];
  const files = await readImageFiles({ architecture, archived, libraries, copyrights, bill });
  return writeOciImage(architecture, files, unixSeconds);
}

/** The copyright files of a package, as files of the image. */
function copyrightsIn(folder: string): ArchivedFile[] {
  const names = [...new Bun.Glob("usr/share/doc/*/copyright").scanSync(folder)].sort();
  return names.map((path) => ({
    path,
    bytes: readFileSync(join(folder, path)),
    executable: false,
  }));
}

/** The texts of the licenses to which copyright files refer. Throws if one is not in the package. */
export function licenseTextsOf(
  copyrights: readonly ArchivedFile[],
  folder: string,
): ArchivedFile[] {
  const reference = new RegExp(`${LICENSE_TEXTS}/(\\w[\\w.-]*\\w)`, "g");
  const names = copyrights.flatMap(({ bytes }) =>
    [...bytes.toString().matchAll(reference)].map(([, name = ""]) => name),
  );
  return [...new Set(names)].sort().map((name) => {
    const path = `${LICENSE_TEXTS}/${name}`;
    return { path, bytes: readFileSync(join(folder, path)), executable: false };
  });
}

/** Unpacks the package into the cache. Returns the directory. */
function debianPackage(architecture: string, name: string): string {
  const command = [join(ROOT, "release", "debian-package"), architecture, name];
  const { exitCode, stdout } = Bun.spawnSync(command, { stdio: ["ignore", "pipe", 2] });
  if (exitCode !== 0) throw new Error(`${command.join(" ")} ended with exit code ${exitCode}`);
  return stdout.toString().trim();
}
