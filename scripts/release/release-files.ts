// Names all files of a release. The build refuses to write another set, and the tests let everything
// that installs find its archive among these names.

import { archiveNames, hasSymbols, imageNames, symbolsName } from "./file-names.ts";
import { libraryFile, platformFile, wrapperFile } from "./npm-packages.ts";
import type { Target } from "./targets.ts";
import { debianFile } from "./write-deb.ts";

/** The name of the page, next to the archives and in each of them. */
export const PAGE = "svc.html";
export const INSTALL_SCRIPTS = ["install.sh", "install.ps1"] as const;
/** The manifests of package managers that have the address of the release in them. */
export const MANIFESTS = ["svc.rb", "flake.nix", "svc-debugger.json"] as const;

/** The parts that a release may lack. */
export interface OptionalParts {
  /** The page and the package for programs. */
  readonly browserFiles: boolean;
  /** The manifests, which need the address of the release. */
  readonly manifests: boolean;
  /** The programs with the names of their functions, which a release of one machine does not have. */
  readonly symbols: boolean;
}

/**
 * Returns the names in SHA256SUMS, sorted. Only SHA256SUMS and its signature, SHA256SUMS.sig, are not
 * among them.
 */
export function releaseFiles(
  version: string,
  targets: readonly Target[],
  { browserFiles, manifests, symbols }: OptionalParts = {
    browserFiles: true,
    manifests: true,
    symbols: true,
  },
): string[] {
  const ofTargets = targets.flatMap((target) => {
    const debian = debianFile(version, target);
    // An image and a package for Debian are for the same platforms: Linux with glibc.
    const forGlibc = debian === null ? [] : [debian, ...Object.values(imageNames(version, target))];
    return [
      archiveNames(version, target).archive,
      platformFile(version, target),
      ...(symbols && hasSymbols(target) ? [symbolsName(version, target)] : []),
      ...forGlibc,
    ];
  });
  const hasWindows = targets.some(({ platform }) => platform === "win32");
  return [
    ...ofTargets,
    wrapperFile(version),
    ...(browserFiles ? [PAGE, libraryFile(version)] : []),
    ...(manifests ? MANIFESTS.filter((name) => hasWindows || name !== "svc-debugger.json") : []),
    ...INSTALL_SCRIPTS,
    `svc-${version}.vsix`,
    billOfMaterialsFile(version),
    provenanceFile(version),
  ].sort();
}

export function billOfMaterialsFile(version: string): string {
  return `svc-${version}.cdx.json`;
}

export function provenanceFile(version: string): string {
  return `svc-${version}.provenance.json`;
}
