// Contract code must have the hash that its key names. An entry whose code has another hash is
// forged.

import { indexOfBytes, sameBytes } from "../../base/bytes.ts";
import { ofTexts } from "../../base/recently-used.ts";
import { HASH_SIZE, sha256 } from "./hash.ts";
import { ENTRY_TYPE, keyBytesOfEntry, typeOfEntryBytes } from "./keys.ts";
import { uint32At } from "./words.ts";

const TYPE_SIZE = 4;
/** Base64 characters that include the entry's last-modified ledger and its type. */
const HEAD_CHARACTERS = 12;
/**
 * Entries are read again and again as the same strings. This is room for some hundred codes of the
 * usual size.
 */
const remembered = ofTexts<boolean>(2 ** 23);

/**
 * `entryXdr` is a LedgerEntry that has been read before. Returns true for entries of other types.
 */
export function hasItsHash(entryXdr: string): boolean {
  const head = Uint8Array.fromBase64(entryXdr.slice(0, HEAD_CHARACTERS));
  if (typeOfEntryBytes(head) !== ENTRY_TYPE.contractCode) return true;
  return remembered.of(entryXdr, isWhatItsKeySays);
}

function isWhatItsKeySays(entryXdr: string): boolean {
  const entry = Uint8Array.fromBase64(entryXdr);
  const hash = keyBytesOfEntry(entry).subarray(TYPE_SIZE);
  const data = 2 * TYPE_SIZE;
  const codeAt = data + indexOfBytes(entry.subarray(data), hash) + HASH_SIZE;
  const length = uint32At(entry, codeAt);
  const code = entry.subarray(codeAt + TYPE_SIZE, codeAt + TYPE_SIZE + length);
  return sameBytes(hash, sha256(code));
}
