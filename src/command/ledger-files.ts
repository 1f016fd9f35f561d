// The ledger files that words of a command line mean: files, directories and patterns.

import { statSync } from "node:fs";
import { resolve } from "node:path";
import { SvcError } from "../base/errors/errors.ts";
import { ifVisible } from "../base/files/read-file.ts";
import type { Log } from "../base/terminal/log.ts";

export interface FilesOfWords {
  readonly paths: readonly string[];
  /** Files in directories whose names are not those of ledger files. */
  readonly skipped: readonly string[];
}

const PATTERN = /[*?[\]{}]/;
/** The names of stellar-core's streams and SEP-54 batches. */
const LEDGER_FILE = /\.xdr(?:\.(?:gz|zst|zstd))?$/i;

/**
 * The files of the words. A word that is the path of a file means that file. A pattern means the
 * files that match it. A directory means the files in it that have the name of a ledger file, or
 * all files if none has. Throws FILE_UNREADABLE.
 */
export function filesOfWords(words: readonly string[], workingDirectory: string): FilesOfWords {
  const inputs = words.map((word) => filesOf(word, workingDirectory));
  const all = inputs.flatMap(({ paths }) => paths);
  return {
    paths: [...Map.groupBy(all, fileOf).values()].map(([path = ""]) => path),
    skipped: inputs.flatMap(({ skipped }) => skipped),
  };
}

/** Says whether the word is the path of a directory, or a pattern of files. */
export function isManyFiles(word: string, workingDirectory: string): boolean {
  const status = ifVisible(() => statSync(resolve(workingDirectory, word)));
  return status === null ? PATTERN.test(word) : status.isDirectory();
}

export function warnOfSkipped({ log }: { readonly log: Log }, skipped: readonly string[]): void {
  const [first, ...more] = skipped;
  if (first === undefined) return;
  const others = more.length === 0 ? "" : ` and ${more.length} more`;
  log.warn(`Skipped ${first}${others}: the name is not *.xdr, *.xdr.gz or *.xdr.zst.`);
}

/** The identity of a file: one for all of its names. */
function fileOf(path: string): string {
  const status = ifVisible(() => statSync(path, { bigint: true }));
  return status === null ? path : `${status.dev}:${status.ino}`;
}

function filesOf(word: string, workingDirectory: string): FilesOfWords {
  const path = resolve(workingDirectory, word);
  const status = ifVisible(() => statSync(path));
  if (status?.isDirectory()) {
    const all = matching("**/*", path, word);
    const ledgers = all.filter((name) => LEDGER_FILE.test(name));
    if (ledgers.length === 0) return { paths: all, skipped: [] };
    return { paths: ledgers, skipped: all.filter((name) => !LEDGER_FILE.test(name)) };
  }
  if (status?.isFile() === false) throw notRegular(path);
  const isFile = status !== null || !PATTERN.test(word);
  return { paths: isFile ? [path] : matching(word, workingDirectory, word), skipped: [] };
}

function matching(pattern: string, directory: string, word: string): string[] {
  const paths = [...new Bun.Glob(pattern).scanSync({ cwd: directory, absolute: true })].sort();
  if (paths.length > 0) return paths;
  throw new SvcError("FILE_UNREADABLE", {
    message: `No file matches "${word}".`,
    remedy: "Pass ledger files, a directory of ledger files, or a pattern that matches some.",
  });
}

/** The bytes of a FIFO can be read only once, and a FIFO may have no writer. */
function notRegular(path: string): SvcError {
  return new SvcError("FILE_UNREADABLE", {
    message: `${path} is not a regular file; svc reads each ledger file more than once.`,
    remedy: "Write the ledgers to a file, and pass that.",
    details: { file: path },
  });
}
