// Contract code is what its hash says: an entry whose code has another hash than its key is forged.

import { indexOfBytes, sameBytes } from "../../base/bytes.ts";
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
  const entry = Uint8Array.fromBase64(entryXdr);
  if (typeOfEntryBytes(entry) !== ENTRY_TYPE.contractCode) return true;
  const hash = keyBytesOfEntry(entry).subarray(TYPE_SIZE);
  const data = 2 * TYPE_SIZE;
  const codeAt = data + indexOfBytes(entry.subarray(data), hash) + HASH_SIZE;
  const length = uint32At(entry, codeAt);
  const code = entry.subarray(codeAt + TYPE_SIZE, codeAt + TYPE_SIZE + length);
  const found = sameBytes(hash, sha256(code));
  if (remembered.size === MAXIMUM_REMEMBERED) remembered.clear();
  remembered.set(entryXdr, found);
  return found;
}
