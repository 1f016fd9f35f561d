// The hash as the user writes it: 64 hexadecimal characters, upper or lower case.

import { SvcError } from "../../base/errors/errors.ts";

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
