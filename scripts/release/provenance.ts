// Describes the source and the tools of a release in an in-toto statement with a SLSA 1
// predicate. It is not signed itself: SHA256SUMS lists it, and is signed.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { crossToolVersions } from "./cross-toolchain.ts";
import type { DebianPackage } from "./debian.ts";
import { CRATE, ROOT } from "./paths.ts";

export interface Artefact {
  readonly name: string;
  readonly sha256: string;
}

/** The build of a release. */
export interface Build {
  readonly commit: string;
  readonly command: string;
  /** True if the compilers of release/prepare built the programs; false if they existed before. */
  readonly isCrossCompiled: boolean;
  /** The packages whose files are in the images. */
  readonly debian: readonly DebianPackage[];
}

export function renderProvenance(
  artefacts: readonly Artefact[],
  { commit, command, isCrossCompiled, debian }: Build,
): string {
  const lock = (path: string) => ({
    name: path.slice(ROOT.length + 1),
    digest: { sha256: sha256(readFileSync(path)) },
  });
  const statement = {
    _type: "https://in-toto.io/Statement/v1",
    subject: artefacts.map(({ name, sha256: digest }) => ({ name, digest: { sha256: digest } })),
    predicateType: "https://slsa.dev/provenance/v1",
    predicate: {
      buildDefinition: {
        buildType: "scripts/build-binaries.ts",
        externalParameters: { command },
        internalParameters: {
          tools: {
            bun: `${Bun.version} ${Bun.revision}`,
            ...(isCrossCompiled ? crossToolVersions() : {}),
          },
        },
        resolvedDependencies: [
          { name: "source", digest: { gitCommit: commit } },
          lock(join(ROOT, "package-lock.json")),
          lock(join(CRATE, "Cargo.lock")),
          ...(isCrossCompiled ? [lock(join(ROOT, "release", "compilers"))] : []),
          // The C libraries of the images, and the texts of their licenses.
          ...debian.map(({ architecture, name, version, sha256: sum }) => ({
            name: `debian ${name} ${version} ${architecture}`,
            digest: { sha256: sum },
          })),
        ],
      },
      runDetails: { builder: { id: "scripts/build-binaries.ts" } },
    },
  };
  return `${JSON.stringify(statement, null, 2)}\n`;
}

export function sha256(bytes: Buffer | string): string {
  return new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
}
