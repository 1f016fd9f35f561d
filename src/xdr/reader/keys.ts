// Slices LedgerKeys and LedgerEntries in place. An entry's key is one or two slices of the entry,
// so nothing is decoded to find it. The layouts of keys are in Stellar-ledger-entries.x, LedgerKey.

import { concatBytes } from "../../base/bytes.ts";
import { decodeAccountKey } from "../../base/text/strkey.ts";
import { decodeBase64, readBase64, XdrCursor } from "./cursor.ts";
import { HASH_SIZE, sha256 } from "./hash.ts";
import { memberNames } from "./schema.ts";
import { invalidXdr, shapeOf, unknownXdr, xdrSource } from "./shape.ts";
import { setUint32, uint32At, uint32s } from "./words.ts";

const ledgerKey = shapeOf("LedgerKey");
const ledgerEntry = shapeOf("LedgerEntry");
const scAddress = shapeOf("ScAddress");
const scVal = shapeOf("ScVal");
const trustLineAsset = shapeOf("TrustLineAsset");

/** Values of LedgerEntryType. */
export const ENTRY_TYPE = {
  account: 0,
  trustline: 1,
  offer: 2,
  data: 3,
  claimableBalance: 4,
  liquidityPool: 5,
  contractData: 6,
  contractCode: 7,
  configSetting: 8,
  ttl: 9,
} as const;

const TEMPORARY = 0;
const TYPE_SIZE = 4;
const ACCOUNT_SIZE = 36;

/** Settings by the protocol that introduced them. The delta settings are never stored. */
const SETTING_IDS_SINCE: readonly (readonly [number, readonly number[]])[] = [
  [20, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13]],
  [23, [14, 15, 16]],
  [26, [17, 19]],
];

/** Returns the LedgerKey of a LedgerEntry. */
export function keyOfEntry(entryXdr: string): string {
  return readBase64(entryXdr, "LedgerEntry", (cursor) => {
    const entry = cursor.take(ledgerEntry);
    return keyBytesOfEntry(entry).toBase64();
  });
}

/** Returns the LedgerKey of an account from its address (G…). */
export function accountKeyOf(address: string): string {
  const key = decodeAccountKey(address) ?? new Uint8Array(32);
  return concatBytes([uint32s(ENTRY_TYPE.account, 0), key]).toBase64();
}

/** Returns the TTL LedgerKey of a contract data or contract code LedgerKey. */
export function ttlKeyOf(keyXdr: string): string {
  return ttlKeyBytesOf(wholeKey(keyXdr)).toBase64();
}

/** Returns the type of a LedgerKey, one of ENTRY_TYPE. */
export function typeOfKey(keyXdr: string): number {
  return typeOfKeyBytes(wholeKey(keyXdr));
}

/** True for contract data and contract code, the entries that have a TTL. */
export function isSorobanKey(keyXdr: string): boolean {
  return isSorobanType(typeOfKey(keyXdr));
}

/** True only for temporary contract data. */
export function isTemporaryKey(keyXdr: string): boolean {
  return isTemporaryKeyBytes(wholeKey(keyXdr));
}

/** Returns `liveUntilLedgerSeq` of a TTL LedgerEntry. */
export function liveUntilOf(ttlEntryXdr: string): number {
  return readBase64(ttlEntryXdr, "TTL entry", (cursor) => {
    const entry = cursor.take(ledgerEntry);
    return liveUntilOfBytes(entry);
  });
}

/** Returns the last-modified ledger of a LedgerEntry: its first four bytes. */
export function lastModifiedOf(entryXdr: string): number {
  return uint32At(decodeBase64(entryXdr.slice(0, 8), "LedgerEntry"), 0);
}

/**
 * True if two LedgerEntries are equal except for the ledger that last modified them, their first
 * bytes.
 */
export function sameData(left: string | null, right: string | null): boolean {
  if (left === null || right === null) return left === right;
  const data = (xdr: string) => Uint8Array.fromBase64(xdr).subarray(4).toBase64();
  return left === right || data(left) === data(right);
}

/** Returns the name `CONFIG_SETTING_…` of a CONFIG_SETTING LedgerEntry or LedgerKey. */
export function settingName(entryOrKeyXdr: string): string {
  return readBase64(entryOrKeyXdr, "CONFIG_SETTING", (cursor) => {
    // A key starts with its type, an entry with its last-modified ledger. A setting's key is
    // exactly eight bytes long, and no entry is that short.
    const isKey = cursor.source.end === 2 * TYPE_SIZE;
    cursor.at = isKey ? 0 : TYPE_SIZE;
    const type = cursor.int32();
    if (type !== ENTRY_TYPE.configSetting) throw invalidXdr("CONFIG_SETTING", 0, `type ${type}`);
    const name = settingNameOfId(cursor.int32());
    cursor.at = 0;
    cursor.skip(isKey ? ledgerKey : ledgerEntry);
    return name;
  });
}

/** Returns the LedgerKey of the setting `CONFIG_SETTING_…`, or null if there is no such setting. */
export function settingKeyNamed(name: string): string | null {
  for (const id of memberNames("ConfigSettingId").keys()) {
    if (settingNameOfId(id) === name) return settingKeyBytes(id).toBase64();
  }
  return null;
}

/** True for the LedgerKey of a CONFIG_SETTING entry. */
export function isSettingKey(keyXdr: string): boolean {
  return typeOfKeyBytes(wholeKey(keyXdr)) === ENTRY_TYPE.configSetting;
}

/** Returns the LedgerKeys of all settings that exist in that protocol. */
export function settingKeys(protocol: number): string[] {
  return settingIds(protocol).map((id) => settingKeyBytes(id).toBase64());
}

/** Returns the ConfigSettingIDs of all settings that exist in that protocol. */
function settingIds(protocol: number): number[] {
  return SETTING_IDS_SINCE.filter(([since]) => protocol >= since).flatMap(([, ids]) => ids);
}

export function settingKeyBytes(id: number): Uint8Array {
  const key = new Uint8Array(2 * TYPE_SIZE);
  setUint32(key, 0, ENTRY_TYPE.configSetting);
  setUint32(key, TYPE_SIZE, id);
  return key;
}

const settingNames = new Map<number, string>();

export function settingNameOfId(id: number): string {
  const known = settingNames.get(id);
  if (known !== undefined) return known;
  const name = memberNames("ConfigSettingId").get(id);
  if (name === undefined) throw unknownXdr("ConfigSettingID", 4, `no setting ${id}`);
  const written = name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
  settingNames.set(id, written);
  return written;
}

/** Returns the type of a LedgerEntry's data, as LedgerEntryType. */
export function typeOfEntryBytes(entry: Uint8Array): number {
  return uint32At(entry, TYPE_SIZE);
}

export function typeOfKeyBytes(key: Uint8Array): number {
  return uint32At(key, 0);
}

export function isSorobanType(type: number): boolean {
  return type === ENTRY_TYPE.contractData || type === ENTRY_TYPE.contractCode;
}

export function isTemporaryKeyBytes(key: Uint8Array): boolean {
  // The durability is the last field of a contract data key.
  return (
    typeOfKeyBytes(key) === ENTRY_TYPE.contractData && uint32At(key, key.length - 4) === TEMPORARY
  );
}

export function liveUntilOfBytes(ttlEntry: Uint8Array): number {
  if (typeOfEntryBytes(ttlEntry) !== ENTRY_TYPE.ttl) {
    throw invalidXdr("TTL entry", TYPE_SIZE, `type ${typeOfEntryBytes(ttlEntry)}`);
  }
  return uint32At(ttlEntry, 2 * TYPE_SIZE + HASH_SIZE);
}

export function ttlKeyBytesOf(key: Uint8Array): Uint8Array {
  const type = typeOfKeyBytes(key);
  if (!isSorobanType(type)) throw invalidXdr("LedgerKey", 0, `type ${type} has no TTL`);
  const ttlKey = new Uint8Array(TYPE_SIZE + HASH_SIZE);
  setUint32(ttlKey, 0, ENTRY_TYPE.ttl);
  ttlKey.set(sha256(key), TYPE_SIZE);
  return ttlKey;
}

/** Returns the key of an entry. The bytes must have been walked, and so checked, before. */
export function keyBytesOfEntry(entry: Uint8Array): Uint8Array {
  const data = 2 * TYPE_SIZE;
  const type = typeOfEntryBytes(entry);
  switch (type) {
    case ENTRY_TYPE.account:
      return entry.subarray(TYPE_SIZE, data + ACCOUNT_SIZE);
    case ENTRY_TYPE.trustline:
      return entry.subarray(
        TYPE_SIZE,
        trustLineAsset.skip(xdrSource(entry), data + ACCOUNT_SIZE, 0),
      );
    case ENTRY_TYPE.offer:
      return entry.subarray(TYPE_SIZE, data + ACCOUNT_SIZE + 8);
    case ENTRY_TYPE.data:
      return entry.subarray(TYPE_SIZE, data + ACCOUNT_SIZE + nameSize(entry, data + ACCOUNT_SIZE));
    case ENTRY_TYPE.claimableBalance:
      return entry.subarray(TYPE_SIZE, data + 4 + HASH_SIZE);
    case ENTRY_TYPE.liquidityPool:
    case ENTRY_TYPE.ttl:
      return entry.subarray(TYPE_SIZE, data + HASH_SIZE);
    case ENTRY_TYPE.configSetting:
      return entry.subarray(TYPE_SIZE, data + 4);
    case ENTRY_TYPE.contractData:
      return contractDataKey(entry, data);
    case ENTRY_TYPE.contractCode:
      return codeKeyBytes(entry, data);
    default:
      throw unknownXdr("LedgerEntry", TYPE_SIZE, `no type ${type}`);
  }
}

function nameSize(entry: Uint8Array, at: number): number {
  return 4 + ((uint32At(entry, at) + 3) & ~3);
}

/**
 * A ContractDataEntry has ext, contract, key, durability and value. Its key has no ext and no
 * value.
 */
function contractDataKey(entry: Uint8Array, data: number): Uint8Array {
  const cursor = new XdrCursor(xdrSource(entry), data + 4);
  cursor.skip(scAddress);
  cursor.skip(scVal);
  cursor.int32();
  return joinKey(entry, data + 4, cursor.at);
}

/** A ContractCodeEntry has ext (void or cost inputs), hash and code. Its key is the hash. */
function codeKeyBytes(entry: Uint8Array, data: number): Uint8Array {
  const costInputsSize = 4 + 10 * 4;
  const hash = data + 4 + (uint32At(entry, data) === 0 ? 0 : 4 + costInputsSize);
  return joinKey(entry, hash, hash + HASH_SIZE);
}

function joinKey(entry: Uint8Array, start: number, end: number): Uint8Array {
  const key = new Uint8Array(TYPE_SIZE + end - start);
  key.set(entry.subarray(TYPE_SIZE, 2 * TYPE_SIZE));
  key.set(entry.subarray(start, end), TYPE_SIZE);
  return key;
}

function wholeKey(keyXdr: string): Uint8Array {
  return readBase64(keyXdr, "LedgerKey", (cursor) => cursor.take(ledgerKey));
}
