// Lists the third-party software in a release: npm packages in svc, crates in svc-sim, and the
// runtimes of both.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import * as v from "valibot";
import { CRATE, ROOT } from "./paths.ts";

export interface Component {
  readonly ecosystem: "npm" | "cargo" | "generic" | "deb";
  /** The architecture of a Debian package. */
  readonly architecture?: string;
  readonly name: string;
  readonly version: string;
  /** An SPDX expression. */
  readonly license: string;
  /** The checksum of the package in its registry, or null if the registry has none. */
  readonly hash: { readonly algorithm: "SHA-512" | "SHA-256"; readonly hex: string } | null;
  /** The texts of the package's license files. The list is empty if it has none. */
  readonly licenseTexts: readonly string[];
}

const LockSchema = v.object({
  packages: v.record(
    v.string(),
    v.looseObject({
      version: v.optional(v.string()),
      integrity: v.optional(v.string()),
      license: v.optional(v.string()),
      dependencies: v.optional(v.record(v.string(), v.string())),
    }),
  ),
});

const MetadataSchema = v.object({
  packages: v.array(
    v.looseObject({
      id: v.string(),
      name: v.string(),
      version: v.string(),
      license: v.nullable(v.string()),
      manifest_path: v.string(),
      source: v.nullable(v.string()),
    }),
  ),
  resolve: v.object({
    root: v.string(),
    nodes: v.array(
      v.object({
        id: v.string(),
        deps: v.array(
          v.object({
            pkg: v.string(),
            dep_kinds: v.array(v.looseObject({ kind: v.nullable(v.string()) })),
          }),
        ),
      }),
    ),
  }),
});

type Metadata = v.InferOutput<typeof MetadataSchema>;

const LICENSE_FILE = /^(licen[cs]e|copying|copyright|notice|unlicense)/i;
/** Bun's packages contain neither its license nor those of the parts of WebKit in it. */
const BUN_LICENSES = ["bun.md", "LGPL-2.0.txt", "LGPL-2.1.txt"].map((name) =>
  join(ROOT, "release", "licenses", name),
);

/** Returns the components of all platforms, sorted by name. */
export function readComponents(): Component[] {
  const all = [...npmComponents(), ...crates(), bun()];
  return all.toSorted((one, other) => order(one).localeCompare(order(other), "en"));
}

/** Returns the dependencies in package.json and all that they need, without development tools. */
function npmComponents(): Component[] {
  const text = readFileSync(join(ROOT, "package-lock.json"), "utf8");
  const { packages } = v.parse(LockSchema, JSON.parse(text));
  const needed = new Set<string>();
  const visit = (from: string) => {
    for (const name of Object.keys(packages[from]?.dependencies ?? {})) {
      const path = installedPath(packages, from, name);
      if (needed.has(path)) continue;
      needed.add(path);
      visit(path);
    }
  };
  visit("");
  return [...needed].map((path) => {
    const { version = "", license = "", integrity = "" } = packages[path] ?? {};
    return {
      ecosystem: "npm",
      name: path.replace(/^.*node_modules\//, ""),
      version,
      license,
      hash: integrityHash(integrity),
      licenseTexts: licenseTexts(join(ROOT, path)),
    };
  });
}

/** Searches as Node does: first in the package's own node_modules, then in those above. */
function installedPath(packages: Readonly<Record<string, unknown>>, from: string, name: string) {
  for (let folder = from; ; folder = folder.replace(/(^|\/)node_modules\/(@[^/]+\/)?[^/]+$/, "")) {
    const path = `${folder === "" ? "" : `${folder}/`}node_modules/${name}`;
    if (Object.hasOwn(packages, path)) return path;
    if (folder === "") throw new Error(`package-lock.json does not have ${name}`);
  }
}

function crates(): Component[] {
  const command = ["cargo", "metadata", "--format-version=1", "--locked"];
  const { exitCode, stdout } = Bun.spawnSync(command, {
    cwd: CRATE,
    stdio: ["ignore", "pipe", 2],
  });
  if (exitCode !== 0) throw new Error(`cargo metadata ended with exit code ${exitCode}`);
  const { packages, resolve } = v.parse(MetadataSchema, JSON.parse(stdout.toString()));
  const needed = neededCrates(resolve);
  const checksums = crateChecksums();
  // A package without a source is part of this repository.
  return packages.flatMap(({ name, version, license, manifest_path, source, id }) => {
    if (source === null || !needed.has(id)) return [];
    const hex = checksums.get(`${name} ${version}`);
    return {
      ecosystem: "cargo" as const,
      name,
      version,
      license: (license ?? "").replace(/ *\/ *| +OR +/g, " OR "),
      hash: hex === undefined ? null : { algorithm: "SHA-256" as const, hex },
      licenseTexts: licenseTexts(dirname(manifest_path)),
    };
  });
}

/** Returns the crates that svc-sim needs, without the dependencies of its tests. */
function neededCrates({ root, nodes }: Metadata["resolve"]): Set<string> {
  const dependencies = new Map(nodes.map(({ id, deps }) => [id, deps]));
  const needed = new Set([root]);
  for (const id of needed)
    for (const { pkg, dep_kinds } of dependencies.get(id) ?? [])
      if (dep_kinds.some(({ kind }) => kind !== "dev")) needed.add(pkg);
  return needed;
}

function bun(): Component {
  return {
    ecosystem: "generic",
    name: "bun",
    version: Bun.version,
    license: "MIT AND LGPL-2.0-or-later AND LGPL-2.1-only",
    hash: null,
    licenseTexts: BUN_LICENSES.map((path) => readFileSync(path, "utf8")),
  };
}

function crateChecksums(): Map<string, string> {
  const lock = readFileSync(join(CRATE, "Cargo.lock"), "utf8");
  const entry = /name = "(.+)"\nversion = "(.+)"\nsource = ".+"\nchecksum = "([0-9a-f]{64})"/g;
  return new Map(
    [...lock.matchAll(entry)].map(([, name, version, hex]) => [`${name} ${version}`, hex ?? ""]),
  );
}

function integrityHash(integrity: string): Component["hash"] {
  const base64 = /^sha512-(.+)$/.exec(integrity)?.[1];
  if (base64 === undefined) return null;
  return { algorithm: "SHA-512", hex: Buffer.from(base64, "base64").toString("hex") };
}

function licenseTexts(directory: string): string[] {
  if (!existsSync(directory)) throw new Error(`${directory} is missing; run npm ci, cargo fetch`);
  const names = readdirSync(directory, { withFileTypes: true })
    .filter((entry) => entry.isFile() && LICENSE_FILE.test(entry.name))
    .map(({ name }) => name);
  return names.sort().map((name) => readFileSync(join(directory, name), "utf8"));
}

function order({ name, version, ecosystem }: Component): string {
  return `${name} ${version} ${ecosystem}`;
}
