// A contract's storage at a moment: the entries before the transaction, and everything that was
// written since and not undone by then. svc-sim's journal records when each call was undone.

import type { RecordedCall } from "../model/travel.ts";
import type { StorageKey } from "../xdr/contract/key-typed.ts";
import { dataKeyOf, showDataKey } from "../xdr/contract/key-typed.ts";
import { showTyped } from "../xdr/contract/value-typed.ts";
import { dataValueOf, instanceStorageOf } from "../xdr/ledger/data-entry.ts";
import type { Recording } from "./recording.ts";

export interface StoredValue extends StorageKey {
  readonly key: string;
  /** An ScVal; null if the entry does not exist. */
  readonly before: string | null;
  readonly now: string | null;
  /** The moment before the last write. */
  readonly changedAt: number | null;
}

const WRITES: ReadonlySet<string> = new Set(["put_contract_data", "del_contract_data"]);
const READS: ReadonlySet<string> = new Set(["get_contract_data", "has_contract_data"]);

export interface RecordedAccess extends StorageKey {
  readonly call: RecordedCall;
  readonly writes: boolean;
  /** An ScVal; null if the entry was deleted, or only read. */
  readonly value: string | null;
}

/** Returns the accesses in order. A call comes before the calls that it made. */
export function storageAccesses({ trace }: Recording): RecordedAccess[] {
  const inOrder = trace.calls.toSorted((left, right) => left.moment - right.moment);
  return inOrder.flatMap((call) => {
    const writes = WRITES.has(call.function);
    const contract = trace.frames[call.frame]?.contract ?? null;
    const [key, second, third] = call.argumentsXdr;
    if ((!writes && !READS.has(call.function)) || contract === null || !key) return [];
    const puts = call.function === "put_contract_data";
    const durability = (puts ? third : second) ?? null;
    return [
      {
        call,
        contract,
        keyXdr: key,
        durability: durability === null ? "" : showTyped(durability, null, null).toLowerCase(),
        writes,
        value: puts ? (second ?? null) : null,
      },
    ];
  });
}

/** True if the effects of the call were undone by `moment`. */
export function isUndone({ undoneAt }: RecordedCall, moment: number): boolean {
  return undoneAt !== null && undoneAt <= moment;
}

export function storageAt(recording: Recording, contract: string, moment: number): StoredValue[] {
  const spec = recording.lookup(contract)?.spec ?? null;
  const values = new Map<string, StoredValue>();
  const note = (keyXdr: string, durability: string, before: string | null) =>
    values.set(`${durability} ${keyXdr}`, {
      contract,
      keyXdr,
      key: showDataKey(keyXdr, spec, 200),
      durability,
      before,
      now: before,
      changedAt: null,
    });
  for (const { keyXdr, entryXdr } of recording.entries) {
    const parts = partsOf(keyXdr);
    if (parts === null || parts.contract !== contract) continue;
    const value = entryXdr === null ? null : dataValueOf(entryXdr);
    const inside = value === null ? [] : instanceStorageOf(value);
    for (const [key, stored] of inside) note(key, "instance", stored);
    // A nonce belongs to the host, and contracts cannot reach it.
    if (!parts.isInstance && !parts.isNonce) note(parts.key, parts.durability, value);
  }
  for (const access of storageAccesses(recording)) {
    const { call, keyXdr, durability, writes, value } = access;
    if (access.contract !== contract || !writes || call.moment >= moment || call.failed) continue;
    if (isUndone(call, moment)) continue;
    const id = `${durability} ${keyXdr}`;
    if (!values.has(id)) note(keyXdr, durability, null);
    const known = values.get(id);
    if (known) values.set(id, { ...known, now: value, changedAt: call.moment });
  }
  return [...values.values()];
}

/** Discriminants of an ScVal. */
const INSTANCE_KEY = 20;
const NONCE_KEY = 21;

function partsOf(keyXdr: string) {
  try {
    const parts = dataKeyOf(keyXdr);
    const kind = new DataView(Uint8Array.fromBase64(parts.key).buffer).getInt32(0);
    return { ...parts, isInstance: kind === INSTANCE_KEY, isNonce: kind === NONCE_KEY };
  } catch {
    // The key is not one of contract data.
    return null;
  }
}
