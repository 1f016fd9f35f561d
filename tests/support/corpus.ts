// Ledgers, streams and sessions that are next to the repository and not in it. Tests that need them
// are skipped where they are missing.

import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

const ROOT = resolve(import.meta.dir, "../../../shared/corpus");

export function corpusPath(...parts: readonly string[]): string {
  return join(ROOT, ...parts);
}

export function hasCorpus(...parts: readonly string[]): boolean {
  return existsSync(corpusPath(...parts));
}

export function readCorpusJson(...parts: readonly string[]): unknown {
  return readJson(corpusPath(...parts));
}

/** JSON, compressed with zstd if the name ends so. */
export function readJson(path: string): unknown {
  const bytes = readFileSync(path);
  const text = path.endsWith(".zst") ? Bun.zstdDecompressSync(bytes) : bytes;
  return JSON.parse(Buffer.from(text).toString("utf8"));
}
