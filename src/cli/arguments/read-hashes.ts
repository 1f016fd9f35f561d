// The transactions of svc debug: hashes on the command line, or with `-` one per line on standard
// input, where # begins a comment. Each is investigated once.

import { nearestWord } from "../../base/errors/did-you-mean.ts";
import { SvcError, usageError } from "../../base/errors/errors.ts";
import type { Shell } from "../shell.ts";
import { readStdin } from "./read-input.ts";

const STDIN = "-";
/** Each investigation stays in memory until the report is written. */
const MAXIMUM_HASHES = 1000;
const MAXIMUM_STDIN_BYTES = 1024 * 1024;

export interface GivenHashes {
  /** Lower-case, in the given order, without repetitions; empty when none was given. */
  readonly hashes: readonly string[];
  /** At most one hash on the command line: the report is not a list. */
  readonly single: boolean;
}

/** Throws HASH_INVALID, and USAGE with the flag that a word was probably meant to be. */
export async function readHashes(
  shell: Shell,
  words: readonly string[],
  flagNames: readonly string[],
): Promise<GivenHashes> {
  if (words.includes(STDIN) && words.length > 1)
    throw usageError(
      "`-` reads all hashes from standard input and cannot be combined with hashes on the command " +
        "line.",
      "Remove `-`, or remove the hashes.",
    );
  if (words[0] === STDIN) return { hashes: distinct(await hashesOfStdin(shell)), single: false };
  const hashes = words.map((word, index) => {
    const near = index === 0 ? null : nearestWord(word, flagNames);
    if (near !== null)
      throw usageError(`Unexpected argument "${word}".`, `Did you mean --${near}?`);
    return parseTransactionHash(word);
  });
  return { hashes: distinct(hashes), single: words.length <= 1 };
}

function distinct(hashes: readonly string[]): string[] {
  const found = [...new Set(hashes)];
  if (found.length <= MAXIMUM_HASHES) return found;
  throw usageError(
    `${found.length} hashes were given; the limit is ${MAXIMUM_HASHES} for each run.`,
    "Split the hashes over several runs.",
  );
}

async function hashesOfStdin(shell: Shell): Promise<string[]> {
  const limit = { maximumBytes: MAXIMUM_STDIN_BYTES, remedy: "Write one hash per line." };
  const lines = new TextDecoder().decode(await readStdin(shell, limit)).split("\n");
  const hashes = lines.flatMap((line, index) => {
    const written = line.replace(/#.*/s, "").trim();
    return written === "" ? [] : parseTransactionHash(written, `line ${index + 1} of the input`);
  });
  if (hashes.length > 0) return hashes;
  throw usageError("Standard input has no hash.", "Write one hash per line.");
}

const LENGTH = 64;

/**
 * Lower-case. `place`: where the text is, when not on the command line.
 * Throws HASH_INVALID with what the text looks like instead.
 */
export function parseTransactionHash(text: string, place?: string): string {
  if (/^[0-9a-f]{64}$/i.test(text)) return text.toLowerCase();
  const where = place === undefined ? "" : ` (${place})`;
  throw new SvcError("HASH_INVALID", {
    message: `"${text.slice(0, 100)}"${where} is not a transaction hash: ${problemOf(text)}.`,
    remedy: "Pass the 64 hexadecimal characters of the hash.",
    details: { given: text.slice(0, 100) },
  });
}

function problemOf(text: string): string {
  if (/^0x/i.test(text)) return "it has a 0x prefix";
  if (/^[GCMT][A-Z2-7]{55,68}$/.test(text)) return "it looks like a Stellar address";
  if (text.length !== LENGTH) return `it has ${text.length} characters, not ${LENGTH}`;
  return "it has characters that are not hexadecimal";
}
