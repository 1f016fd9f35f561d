// Which transactions svc debug was asked about: hashes on the command line, or one a line on
// standard input for `-`, where # begins a comment. Each is investigated once.

import { nearestWord } from "../../base/errors/did-you-mean.ts";
import { SvcError } from "../../base/errors/errors.ts";
import type { Shell } from "../shell.ts";
import { readStdin } from "./read-stdin.ts";
import { parseTransactionHash } from "./transaction-hash.ts";

const STDIN = "-";
/** Each investigation is kept whole until the report is written. */
const MAXIMUM_HASHES = 1000;
const MAXIMUM_STDIN_BYTES = 1024 * 1024;

export interface AskedHashes {
  /** Lower-case, in the order asked for, none twice; empty when none was given. */
  readonly hashes: readonly string[];
  /** One hash on the command line, or none: its report stands alone. */
  readonly single: boolean;
}

/** Throws HASH_INVALID, and USAGE with the flag that a stray word was probably meant for. */
export async function readAskedHashes(
  shell: Shell,
  words: readonly string[],
  flagNames: readonly string[],
): Promise<AskedHashes> {
  if (words.includes(STDIN) && words.length > 1)
    throw usage("- stands for all hashes, and others are given beside it.", "Give one or other.");
  if (words[0] === STDIN) return { hashes: distinct(await hashesOfStdin(shell)), single: false };
  const hashes = words.map((word, index) => {
    const near = index === 0 ? null : nearestWord(word, flagNames);
    if (near !== null) throw usage(`Unexpected argument "${word}".`, `Did you mean --${near}?`);
    return parseTransactionHash(word);
  });
  return { hashes: distinct(hashes), single: words.length <= 1 };
}

function distinct(hashes: readonly string[]): string[] {
  const found = [...new Set(hashes)];
  if (found.length <= MAXIMUM_HASHES) return found;
  throw usage(
    `${found.length} hashes were given, and at most ${MAXIMUM_HASHES} are taken at once.`,
    "Split them over several runs.",
  );
}

async function hashesOfStdin(shell: Shell): Promise<string[]> {
  const limit = { maximumBytes: MAXIMUM_STDIN_BYTES, remedy: "Give one hash a line." };
  const lines = new TextDecoder().decode(await readStdin(shell, limit)).split("\n");
  const hashes = lines.flatMap((line, index) => {
    const written = line.replace(/#.*/s, "").trim();
    return written === "" ? [] : parseTransactionHash(written, `line ${index + 1} of the input`);
  });
  if (hashes.length > 0) return hashes;
  throw usage("No hash came on standard input.", "Give one hash a line.");
}

function usage(message: string, remedy: string): SvcError {
  return new SvcError("USAGE", { message, remedy });
}
