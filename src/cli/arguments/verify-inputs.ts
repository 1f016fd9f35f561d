// What svc verify is given: ledger files, or one ledger, or a range of ledgers.

import { existsSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { SvcError } from "../../base/errors/errors.ts";

export type VerifyInputs =
  | {
      readonly kind: "files";
      readonly paths: readonly string[];
      /** Files of given directories that are not called as ledger files are. */
      readonly passedOver: readonly string[];
    }
  | { readonly kind: "range"; readonly first: number; readonly last: number };

const MAXIMUM_LEDGER = 0xffffffff;
const RANGE = /^(\d{1,10})(?:(?:-|\.\.)(\d{1,10}))?$/;

const PATTERN = /[*?[\]{}]/;
/** stellar-core's streams, and SEP-54's batches. */
const LEDGER_FILE = /\.xdr(?:\.(?:gz|zst|zstd))?$/i;

/**
 * A word that names a file is a file, whatever it looks like; a pattern stands for the files that
 * fit it, a directory for the ledger files in it, by name, and for all of them when none is called
 * as one. Throws USAGE, FILE_UNREADABLE.
 */
export function parseVerifyInputs(
  words: readonly string[],
  workingDirectory: string,
): VerifyInputs {
  const [first = ""] = words;
  const range = RANGE.exec(first);
  if (words.length === 1 && range !== null && !existsSync(resolve(workingDirectory, first)))
    return parseRange(first, range[1] ?? "", range[2]);
  const found = words.map((word) => filesOf(word, workingDirectory));
  return {
    kind: "files",
    paths: found.flatMap(({ paths }) => paths),
    passedOver: found.flatMap(({ passedOver }) => passedOver),
  };
}

function filesOf(word: string, workingDirectory: string) {
  const path = resolve(workingDirectory, word);
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isDirectory()) {
    const all = matching("**/*", path, word);
    const ledgers = all.filter((name) => LEDGER_FILE.test(name));
    if (ledgers.length === 0) return { paths: all, passedOver: [] };
    return { paths: ledgers, passedOver: all.filter((name) => !LEDGER_FILE.test(name)) };
  }
  const isFile = found !== undefined || !PATTERN.test(word);
  return { paths: isFile ? [path] : matching(word, workingDirectory, word), passedOver: [] };
}

function matching(pattern: string, directory: string, word: string): string[] {
  const paths = [...new Bun.Glob(pattern).scanSync({ cwd: directory, absolute: true })].sort();
  if (paths.length > 0) return paths;
  throw new SvcError("FILE_UNREADABLE", {
    message: `No file fits "${word}".`,
    remedy: "Name ledger files, a directory of them, or a pattern that fits some.",
  });
}

function parseRange(word: string, from: string, to: string | undefined): VerifyInputs {
  const first = Number(from);
  const last = to === undefined ? first : Number(to);
  if (first >= 1 && last >= first && last <= MAXIMUM_LEDGER) return { kind: "range", first, last };
  throw new SvcError("USAGE", {
    message: `"${word}" is not a range of ledgers.`,
    remedy: "Write the first ledger before the last, as in svc verify 100-200.",
  });
}
