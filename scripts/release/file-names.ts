// Names the files of a release. install.sh, the GitHub Action and the recipes find files by
// these names.

import type { Target } from "./targets.ts";

/** Names the archive with the programs, and the folder in it. */
export function archiveNames(version: string, target: Target) {
  const folder = `svc-${version}-${target.name}`;
  return { folder, archive: `${folder}.${target.archive}` };
}

/** Says whether the linker of the target keeps the names of functions. That of Windows keeps none. */
export function hasSymbols({ platform }: Target): boolean {
  return platform !== "win32";
}

/**
 * Names the archive of the programs in Rust with the names of their functions. It does not end in a
 * platform, because installers find theirs by that end.
 */
export function symbolsName(version: string, { name }: Target): string {
  return `svc-${version}-${name}-symbols.tar.gz`;
}

/** Names the image of a target and its root file system. Only some targets have them. */
export function imageNames(version: string, { name }: Target) {
  return {
    image: `svc-${version}-image-${name}.tar`,
    rootFileSystem: `svc-${version}-rootfs-${name}.tar.gz`,
  };
}
