// What svc verify is given: ledger files, or one ledger, or a range of ledgers.

import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { SvcError } from "../base/errors.ts";

export type VerifyInputs =
  | { readonly kind: "files"; readonly paths: readonly string[] }
  | { readonly kind: "range"; readonly first: number; readonly last: number };

const MAXIMUM_LEDGER = 0xffffffff;
const RANGE = /^(\d{1,10})(?:(?:-|\.\.)(\d{1,10}))?$/;

/** A word that names a file is a file, whatever it looks like. Throws USAGE. */
export function parseVerifyInputs(
  words: readonly string[],
  workingDirectory: string,
): VerifyInputs {
  const [first = ""] = words;
  const range = RANGE.exec(first);
  if (words.length === 1 && range !== null && !existsSync(resolve(workingDirectory, first)))
    return parseRange(first, range[1] ?? "", range[2]);
  return { kind: "files", paths: words.map((word) => resolve(workingDirectory, word)) };
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
