// The words of `svc rehearse`: new builds of contracts, and the calls to run them on.

import { statSync } from "node:fs";
import { relative, resolve } from "node:path";
import { usageError } from "../base/errors/errors.ts";
import { ifVisible } from "../base/files/read-file.ts";
import { isDemoWord } from "../command/demo-capsules.ts";
import { filesOfWords, isManyFiles } from "../command/ledger-files.ts";

export interface TrafficWords {
  readonly builds: readonly { readonly contract: string; readonly file: string }[];
  /** Hashes or URLs, or `-`. */
  readonly hashes: readonly string[];
  readonly capsules: readonly string[];
  readonly ledgerFiles: readonly string[];
  /** Files in directories whose names are not those of ledger files. */
  readonly skipped: readonly string[];
  readonly range: { readonly first: number; readonly last: number } | null;
}

const BUILD = /^([^=]+)=(.+)$/;
const RANGE = /^(\d{1,10})(?:(?:-|\.\.)(\d{1,10}))?$/;
const CAPSULE_FILE = /\.(?:json|html)$/i;

/** Throws USAGE, FILE_UNREADABLE. `isSearched`: the calls are looked for, so that none need be given. */
export function readTraffic(
  words: readonly string[],
  workingDirectory: string,
  isSearched: boolean,
): TrafficWords {
  const statOf = (word: string) => ifVisible(() => statSync(resolve(workingDirectory, word)));
  const isFile = (word: string) => isDemoWord(word) || statOf(word)?.isFile() === true;
  const builds = words.flatMap((word) => {
    const [, contract, file] = isFile(word) ? [] : (BUILD.exec(word) ?? []);
    return contract === undefined || file === undefined ? [] : [{ contract, file }];
  });
  if (builds.length === 0) throw usageError("There is no new build.", "Write it as `C…=new.wasm`.");
  const others = words.filter((word) => isFile(word) || !BUILD.test(word));
  if (isSearched && others.length > 0)
    throw usageError("--last looks for the calls itself.", "Remove the other calls, or `--last`.");
  if (others.length === 0 && !isSearched)
    throw usageError(
      "There are no calls to run it on.",
      "Pass --last N, hashes, - for standard input, capsules, ledger files, or a range such as 100-200.",
    );
  const isFileOrMany = (word: string) =>
    isFile(word) || (!URL.canParse(word) && isManyFiles(word, workingDirectory));
  const { files, skipped } = filesIn(others.filter(isFileOrMany), workingDirectory);
  const contractWords = others.filter((word) => !isFileOrMany(word));
  // A pipe or a device: its content could be read only once.
  const special = contractWords.find((word) => (statOf(word) ?? null) !== null);
  if (special !== undefined)
    throw usageError(
      `${special} is not a regular file.`,
      "Pass files. For hashes, `-` reads standard input.",
    );
  const ranges = contractWords.filter((word) => RANGE.test(word));
  if (ranges.length > 1)
    throw usageError("Several ranges of ledgers are given.", "Pass one range.");
  return {
    builds,
    hashes: contractWords.filter((word) => !RANGE.test(word)),
    capsules: files.filter(isCapsule),
    ledgerFiles: files
      .filter((word) => !isCapsule(word))
      .map((word) => resolve(workingDirectory, word)),
    skipped,
    range: rangeOf(ranges[0]),
  };
}

/** The files that the words mean, each once. A capsule keeps the name that is typed. */
function filesIn(words: readonly string[], workingDirectory: string) {
  const capsules = words.filter((word) => isCapsule(word) && !isManyFiles(word, workingDirectory));
  const others = words.filter((word) => !capsules.includes(word));
  const { paths, skipped } = filesOfWords(others, workingDirectory);
  const shown = (path: string) => (isCapsule(path) ? relative(workingDirectory, path) : path);
  return { files: [...new Set([...capsules, ...paths.map(shown)])], skipped };
}

function isCapsule(word: string): boolean {
  return isDemoWord(word) || CAPSULE_FILE.test(word);
}

function rangeOf(word: string | undefined): TrafficWords["range"] {
  const [, from, to] = RANGE.exec(word ?? "") ?? [];
  if (from === undefined) return null;
  const first = Number(from);
  const last = to === undefined ? first : Number(to);
  if (first >= 1 && last >= first) return { first, last };
  throw usageError(
    `"${word}" is not a range of ledgers.`,
    "Write the first ledger before the last.",
  );
}
