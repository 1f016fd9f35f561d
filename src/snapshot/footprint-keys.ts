// The keys of a transaction's footprint, with what the fold needs of each.

import type { SorobanFootprint } from "../xdr/envelope/envelope-facts.ts";
import { decodeBase64 } from "../xdr/reader/cursor.ts";
import {
  ENTRY_TYPE,
  isSorobanType,
  isTemporaryKeyBytes,
  ttlKeyBytesOf,
  typeOfKeyBytes,
} from "../xdr/reader/keys.ts";

export interface FootprintKey {
  readonly keyXdr: string;
  /** The LedgerEntryType. */
  readonly type: number;
  readonly readOnly: boolean;
  readonly temporary: boolean;
  /** The LedgerKey of its TTL entry; null for classic entries. */
  readonly ttlKeyXdr: string | null;
}

/** Read-only keys, then read-write keys. */
export function footprintKeys(footprint: SorobanFootprint): FootprintKey[] {
  return [
    ...footprint.readOnly.map((keyXdr) => footprintKey(keyXdr, true)),
    ...footprint.readWrite.map((keyXdr) => footprintKey(keyXdr, false)),
  ];
}

/** Keys that no transaction has to name. */
export function keysNamed(keysXdr: readonly string[]): FootprintKey[] {
  return keysXdr.map((keyXdr) => footprintKey(keyXdr, true));
}

/** The key of a network setting as the rules see it: an entry that is read and has no TTL. */
export function settingKey(keyXdr: string): FootprintKey {
  const type = ENTRY_TYPE.configSetting;
  return { keyXdr, type, readOnly: true, temporary: false, ttlKeyXdr: null };
}

function footprintKey(keyXdr: string, readOnly: boolean): FootprintKey {
  const key = decodeBase64(keyXdr, "LedgerKey");
  const type = typeOfKeyBytes(key);
  return {
    keyXdr,
    type,
    readOnly,
    temporary: isTemporaryKeyBytes(key),
    ttlKeyXdr: isSorobanType(type) ? ttlKeyBytesOf(key).toBase64() : null,
  };
}
