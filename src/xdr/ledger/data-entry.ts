// The value of a contract's data, from its LedgerEntry.

import { LedgerEntry, ScVal } from "@stellar/stellar-sdk/xdr";

/** ScVal; null when the entry is not contract data or cannot be read. */
export function dataValueOf(entryXdr: string): string | null {
  try {
    const { data } = LedgerEntry.fromXdr(entryXdr, "base64");
    return data.type === "contractData" ? data.contractData.val.toXdr("base64") : null;
  } catch {
    // Another stage reports the invalid entry.
    return null;
  }
}

/** A contract's storage within its instance: key and value, both ScVal. */
export function instanceStorageOf(valueXdr: string): (readonly [string, string])[] {
  try {
    const value = ScVal.fromXdr(valueXdr, "base64");
    if (value.type !== "scvContractInstance") return [];
    const { storage } = value.instance;
    return (storage ?? []).map(({ key, val }) => [key.toXdr("base64"), val.toXdr("base64")]);
  } catch {
    return [];
  }
}
