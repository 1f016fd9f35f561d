// Reads the value of a contract's data from its LedgerEntry.

import { ENTRY_TYPE } from "../reader/keys.ts";
import { SCV } from "../reader/scval-type.ts";
import { decode, encode } from "../reader/value.ts";
import { dataOfEntry } from "../values/value-parts.ts";

/** Returns an ScVal, or null if the entry is not contract data or cannot be read. */
export function dataValueOf(entryXdr: string): string | null {
  const data = dataOfEntry(entryXdr);
  return data?.type === ENTRY_TYPE.contractData ? encode("ScVal", data.contractData.val) : null;
}

/** Returns the keys and values (ScVals) of a contract's storage within its instance. */
export function instanceStorageOf(valueXdr: string): (readonly [string, string])[] {
  try {
    const value = decode("ScVal", valueXdr);
    if (value.type !== SCV.instance) return [];
    const { storage } = value.instance;
    return (storage ?? []).map(({ key, val }) => [encode("ScVal", key), encode("ScVal", val)]);
  } catch {
    return [];
  }
}
