// Changes and creates LedgerEntries, from base64 to base64. A function returns null if the entry
// does not have the type that the change is for.

import { decodeBase64 } from "../reader/cursor.ts";
import { ENTRY_TYPE } from "../reader/keys.ts";
import { SCV } from "../reader/scval-type.ts";
import { decode, encode, type Value } from "../reader/value.ts";
import { setUint32 } from "../reader/words.ts";
import { compareScVals } from "../values/map-order.ts";
import { voidValue } from "../values/value-parts.ts";

/** Sets the balance of an account or a trustline. `stroops` is an int64. */
export function withBalance(entryXdr: string, stroops: string): string | null {
  const entry = decode("LedgerEntry", entryXdr);
  const balance = BigInt(stroops);
  const { data } = entry;
  if (data.type === ENTRY_TYPE.account)
    return encode("LedgerEntry", {
      ...entry,
      data: { ...data, account: { ...data.account, balance } },
    });
  if (data.type === ENTRY_TYPE.trustline)
    return encode("LedgerEntry", {
      ...entry,
      data: { ...data, trustLine: { ...data.trustLine, balance } },
    });
  return null;
}

/** `keyXdr` is a key of contract data, and `valueXdr` is an ScVal. */
export function contractDataEntry(
  keyXdr: string,
  valueXdr: string,
  lastModifiedLedger: number,
): string | null {
  const key = decode("LedgerKey", keyXdr);
  if (key.type !== ENTRY_TYPE.contractData) return null;
  const val = decode("ScVal", valueXdr);
  const contractData = { ...key.contractData, ext: { v: 0 as const }, val };
  return encode("LedgerEntry", {
    lastModifiedLedgerSeq: lastModifiedLedger,
    data: { type: ENTRY_TYPE.contractData, contractData },
    ext: { v: 0 },
  });
}

/** A map of XDR, or the storage of a contract's instance. */
export type MapFields = readonly { readonly key: ScVal; readonly val: ScVal }[];

type ScVal = Value<"ScVal">;

/**
 * A contract's instance with this value (an ScVal) under a key of its storage; without the key if
 * `valueXdr` is null. Null if the key is not there already, or has no known place.
 */
export function withStored(
  instanceEntryXdr: string,
  storedKeyXdr: string,
  valueXdr: string | null,
): string | null {
  const entry = decode("LedgerEntry", instanceEntryXdr);
  const { data } = entry;
  if (data.type !== ENTRY_TYPE.contractData) return null;
  const { contractData } = data;
  if (contractData.val.type !== SCV.instance) return null;
  const { instance } = contractData.val;
  const storage = withField(instance.storage ?? [], storedKeyXdr, valueXdr);
  if (storage === null) return null;
  const val = { ...contractData.val, instance: { ...instance, storage } };
  return encode("LedgerEntry", {
    ...entry,
    data: { ...data, contractData: { ...contractData, val } },
  });
}

/** The value (an ScVal) under a key of the instance's storage; null if it has no such key. */
export function storedValue(instanceEntryXdr: string, storedKeyXdr: string): string | null {
  const { data } = decode("LedgerEntry", instanceEntryXdr);
  const val = data.type === ENTRY_TYPE.contractData ? data.contractData.val : null;
  const fields = (val?.type === SCV.instance && val.instance.storage) || [];
  const field = fields.find(({ key }) => encode("ScVal", key) === storedKeyXdr);
  return field === undefined ? null : encode("ScVal", field.val);
}

/** The same of the fields of a map. */
export function withField(
  fields: MapFields,
  keyXdr: string,
  valueXdr: string | null,
): MapFields | null {
  const at = fields.findIndex(({ key }) => encode("ScVal", key) === keyXdr);
  const field = fields[at];
  if (valueXdr === null) return field === undefined ? null : fields.toSpliced(at, 1);
  const val = decode("ScVal", valueXdr);
  if (field !== undefined) return fields.with(at, { ...field, val });
  const key = decode("ScVal", keyXdr);
  const place = placeAmong(
    key,
    fields.map((each) => each.key),
  );
  return place === null ? null : fields.toSpliced(place, 0, { key, val });
}

/** The place of a value among others in their order; null if that is unknown. */
export function placeAmong(value: ScVal, others: readonly ScVal[]): number | null {
  const orders = others.map((other) => compareScVals(other, value));
  if (orders.includes(null)) return null;
  const at = orders.findIndex((order) => (order ?? 0) > 0);
  return at === -1 ? others.length : at;
}

/** Makes a contract's instance run the code with that hash (hex). Its storage stays. */
export function withExecutable(instanceEntryXdr: string, wasmHash: string): string | null {
  const entry = decode("LedgerEntry", instanceEntryXdr);
  const { data } = entry;
  if (data.type !== ENTRY_TYPE.contractData) return null;
  const { contractData } = data;
  if (contractData.val.type !== SCV.instance) return null;
  const executable = { type: 0, wasmHash: Uint8Array.fromHex(wasmHash) } as const;
  const val = { ...contractData.val, instance: { ...contractData.val.instance, executable } };
  return encode("LedgerEntry", {
    ...entry,
    data: { ...data, contractData: { ...contractData, val } },
  });
}

/** Makes a contract's instance run the code of another instance. */
export function withExecutableOf(instanceEntryXdr: string, otherXdr: string): string | null {
  const [entry, other] = [instanceEntryXdr, otherXdr].map((xdr) => decode("LedgerEntry", xdr));
  const [data, otherData] = [entry?.data, other?.data];
  if (data?.type !== ENTRY_TYPE.contractData || otherData?.type !== ENTRY_TYPE.contractData)
    return null;
  const [{ val }, { val: otherVal }] = [data.contractData, otherData.contractData];
  if (val.type !== SCV.instance || otherVal.type !== SCV.instance) return null;
  const instance = { ...val.instance, executable: otherVal.instance.executable };
  const contractData = { ...data.contractData, val: { ...val, instance } };
  return entry === undefined
    ? null
    : encode("LedgerEntry", { ...entry, data: { ...data, contractData } });
}

/**
 * Returns the smallest LedgerEntry that a key can have: contract data with a void value, or an
 * empty account or trustline. Returns null for contract code, which its hash determines, and for
 * other types.
 */
export function smallestEntry(keyXdr: string, lastModifiedLedger: number): string | null {
  const key = decode("LedgerKey", keyXdr);
  const nothing = { balance: 0n, flags: 0, ext: { v: 0 } } as const;
  const written = { lastModifiedLedgerSeq: lastModifiedLedger, ext: { v: 0 } } as const;
  switch (key.type) {
    case ENTRY_TYPE.contractData:
      return contractDataEntry(keyXdr, voidValue(), lastModifiedLedger);
    case ENTRY_TYPE.account: {
      const account = { ...EMPTY_ACCOUNT, ...nothing, ...key.account };
      return encode("LedgerEntry", { ...written, data: { type: key.type, account } });
    }
    case ENTRY_TYPE.trustline: {
      const trustLine = { limit: 1n, ...nothing, ...key.trustLine };
      return encode("LedgerEntry", { ...written, data: { type: key.type, trustLine } });
    }
    default:
      return null;
  }
}

const EMPTY_ACCOUNT = {
  seqNum: 0n,
  numSubEntries: 0,
  inflationDest: null,
  homeDomain: new Uint8Array(),
  thresholds: new Uint8Array(4),
  signers: [],
};

/** Sets the ledger of the last modification. */
export function modifiedIn(entryXdr: string, ledger: number): string {
  const entry = decodeBase64(entryXdr, "LedgerEntry").slice();
  setUint32(entry, 0, ledger);
  return entry.toBase64();
}

/** Returns the LedgerKey of the contract code with that hash (hex). */
export function contractCodeKey(wasmHash: string): string {
  const contractCode = { hash: Uint8Array.fromHex(wasmHash) };
  return encode("LedgerKey", { type: ENTRY_TYPE.contractCode, contractCode });
}

/** Returns a ContractCode LedgerEntry as uploads before protocol 21 wrote it (CAP-54). */
export function withoutCostInputs(codeEntryXdr: string): string {
  const entry = decode("LedgerEntry", codeEntryXdr);
  if (entry.data.type !== ENTRY_TYPE.contractCode) return codeEntryXdr;
  const contractCode = { ...entry.data.contractCode, ext: { v: 0 as const } };
  return encode("LedgerEntry", { ...entry, data: { ...entry.data, contractCode } });
}
