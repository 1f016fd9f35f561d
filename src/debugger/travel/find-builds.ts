// Finds builds of contracts with debug information, for stepping: those that the user names, or
// those in a directory whose code and imports are the contract's. None of them is run. The lines of
// another build would be wrong, so other builds do not count.

import { readdir, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { compareBytes } from "../../base/bytes.ts";
import { wasmSections } from "../../base/files/wasm-file.ts";
import { counted } from "../../base/text/counted.ts";
import { customSections } from "../../xdr/contract/wasm-sections.ts";

/** The directory in which cargo builds contracts. */
export const TARGET = "target";
/** A workspace with dozens of contracts, each built in several profiles, has no more than these. */
const MOST_FILES = 200;
const MOST_DIRECTORIES = 200;
const MOST_BYTES = 64 * 1024 * 1024;
/** Directories of cargo itself. They have the same modules again, or none. */
const SKIPPED = new Set(["deps", "build", "incremental", "examples", ".fingerprint"]);
const [IMPORTS, CODE] = [2, 10];

export interface FoundBuilds {
  readonly wasm: readonly Uint8Array[];
  /** Sentences about what svc looked for and found. */
  readonly remarks: readonly string[];
}

/** `directory` is as the user named it. `codes` has the contracts' own code by hash. */
export async function findBuilds(
  {
    workingDirectory,
    directory,
  }: { readonly workingDirectory: string; readonly directory: string },
  codes: ReadonlyMap<string, Uint8Array>,
): Promise<FoundBuilds> {
  const withoutLines = [...codes].filter(([, own]) => !hasLines(own));
  if (withoutLines.length === 0) return { wasm: [], remarks: [] };
  const files = await wasmFiles(resolve(workingDirectory, directory));
  if (files === null) return { wasm: [], remarks: [] };
  const builds: { readonly file: string; readonly bytes: Uint8Array }[] = [];
  for (const file of files) {
    const bytes = await Bun.file(join(resolve(workingDirectory, directory), file))
      .bytes()
      .catch(() => null);
    if (bytes !== null && hasLines(bytes)) builds.push({ file, bytes });
  }
  const wasm: Uint8Array[] = [];
  const remarks = withoutLines.map(([hash, own]) => {
    const build = builds.find(({ bytes }) => isOfSameCode(bytes, own));
    const code = `wasm ${hash.slice(0, 8)}…`;
    if (build === undefined)
      return (
        `No build with debug information in ${directory} has the code of ${code} ` +
        `(${counted(files.length, "wasm file")} there, ${builds.length} with debug information): ` +
        "it is shown as its disassembly."
      );
    wasm.push(build.bytes);
    return `The lines of ${code} are those of ${join(directory, build.file)}, which has the same code.`;
  });
  return { wasm, remarks };
}

/** Paths relative to the directory, the shortest first; null if there is no such directory. */
async function wasmFiles(directory: string): Promise<string[] | null> {
  const paths: string[] = [];
  const open = [""];
  for (let at = 0; at < open.length && at < MOST_DIRECTORIES; at += 1) {
    const within = open[at] ?? "";
    const entries = await readdir(join(directory, within), { withFileTypes: true }).catch(
      () => null,
    );
    if (entries === null && at === 0) return null;
    for (const entry of entries ?? []) {
      const path = join(within, entry.name);
      if (entry.isDirectory() && !SKIPPED.has(entry.name)) open.push(path);
      if (!entry.isFile() || !entry.name.endsWith(".wasm") || paths.length >= MOST_FILES) continue;
      const { size } = await stat(join(directory, path)).catch(() => ({ size: MOST_BYTES + 1 }));
      if (size <= MOST_BYTES) paths.push(path);
    }
  }
  return paths;
}

function hasLines(wasm: Uint8Array): boolean {
  return customSections(wasm, ".debug_line").length > 0;
}

function isOfSameCode(build: Uint8Array, own: Uint8Array): boolean {
  const [theirs, ours] = [build, own].map((wasm) => wasmSections(wasm).sections);
  return [IMPORTS, CODE].every((id) => {
    const [their, our] = [theirs, ours].map((all) => all?.find((each) => each.id === id)?.content);
    return compareBytes(their ?? new Uint8Array(0), our ?? new Uint8Array(0)) === 0;
  });
}
