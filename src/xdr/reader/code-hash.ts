// Contract code is what its hash says: an entry whose code has another hash than its key is forged.

import { HASH_SIZE, sha256 } from "./hash.ts";
import { ENTRY_TYPE, keyBytesOfEntry, typeOfEntryBytes } from "./keys.ts";
import { uint32At } from "./words.ts";

const TYPE_SIZE = 4;
/** Entries are read again and again, and are the same strings. */
const MAXIMUM_REMEMBERED = 1000;
const remembered = new Map<string, boolean>();

/** `entryXdr`: a LedgerEntry that has been read before. True for entries of other types. */
export function hasItsHash(entryXdr: string): boolean {
  const known = remembered.get(entryXdr);
  if (known !== undefined) return known;
  const entry = Buffer.from(entryXdr, "base64");
  if (typeOfEntryBytes(entry) !== ENTRY_TYPE.contractCode) return true;
  const hash = Buffer.from(keyBytesOfEntry(entry).subarray(TYPE_SIZE));
  const codeAt = entry.indexOf(hash, 2 * TYPE_SIZE) + HASH_SIZE;
  const length = uint32At(entry, codeAt);
  const code = entry.subarray(codeAt + TYPE_SIZE, codeAt + TYPE_SIZE + length);
  const found = hash.equals(sha256(code));
  if (remembered.size === MAXIMUM_REMEMBERED) remembered.clear();
  remembered.set(entryXdr, found);
  return found;
}
