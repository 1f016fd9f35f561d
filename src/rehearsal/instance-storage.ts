// The storage in a contract's instance, part by part: one entry has everything, so that two calls
// that change different parts change the same entry.

import { ENTRY_TYPE } from "../xdr/reader/keys.ts";
import { SCV } from "../xdr/reader/scval-type.ts";
import { decode, encode, type Value } from "../xdr/reader/value.ts";

type Storage = ReadonlyMap<string, Value<"ScVal">>;

/**
 * The instance with the storage of `was` in what an earlier call changed from `before` to `changed`
 * and what neither run of the compared call changed. The entry itself if it is no instance.
 */
export function withStorageOf(
  entryXdr: string,
  entries: { readonly was: string; readonly before: string; readonly changed: string },
): string {
  const is = storageOf(entryXdr);
  const [was, before, changed] = [entries.was, entries.before, entries.changed].map(storageOf);
  if (!is || !was || !before || !changed) return entryXdr;
  const same = (left: Storage, right: Storage, key: string) =>
    textAt(left, key) === textAt(right, key);
  const storage = new Map(is);
  for (const key of new Set([...changed.keys(), ...before.keys()])) {
    const isOfFirst = !same(before, changed, key);
    if (!isOfFirst || !same(is, changed, key) || !same(was, before, key)) continue;
    const value = was.get(key);
    if (value === undefined) storage.delete(key);
    else storage.set(key, value);
  }
  const wasInOrder = [...was.keys()].filter((key) => storage.has(key));
  const added = [...storage.keys()].filter((key) => !was.has(key));
  return withStorage(entryXdr, [...wasInOrder, ...added], storage);
}

function textAt(storage: Storage, key: string): string {
  const value = storage.get(key);
  return value === undefined ? "" : encode("ScVal", value);
}

/** Null if the entry is not an instance. */
function storageOf(entryXdr: string): Storage | null {
  if (entryXdr === "") return null;
  const { data } = decode("LedgerEntry", entryXdr);
  if (data.type !== ENTRY_TYPE.contractData) return null;
  const { val } = data.contractData;
  if (val.type !== SCV.instance) return null;
  return new Map((val.instance.storage ?? []).map((each) => [encode("ScVal", each.key), each.val]));
}

function withStorage(entryXdr: string, keys: readonly string[], storage: Storage): string {
  const entry = decode("LedgerEntry", entryXdr);
  const { data } = entry;
  if (data.type !== ENTRY_TYPE.contractData) return entryXdr;
  const { contractData } = data;
  if (contractData.val.type !== SCV.instance) return entryXdr;
  const { instance } = contractData.val;
  const parts = keys.map((key) => ({
    key: decode("ScVal", key),
    val: storage.get(key) as Value<"ScVal">,
  }));
  const isNone = instance.storage === null || instance.storage === undefined;
  const val = {
    ...contractData.val,
    instance: { ...instance, storage: isNone && parts.length === 0 ? instance.storage : parts },
  };
  return encode("LedgerEntry", {
    ...entry,
    data: { ...data, contractData: { ...contractData, val } },
  });
}
