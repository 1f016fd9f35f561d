// Replaces ledger entries in the state just before the transaction.

import { keyNamer } from "../../explain/naming/named-values.ts";
import type { OverriddenEntry, StoredInInstance } from "../../model/overrides.ts";
import type { SnapshotEntry } from "../../model/snapshot.ts";
import type { ContractLookup } from "../../xdr/contract/contract-specs.ts";
import { dataKeyOf, showDataKey } from "../../xdr/contract/key-typed.ts";
import {
  contractDataEntry,
  storedValue,
  withBalance,
  withStored,
} from "../../xdr/ledger/patch-entry.ts";
import { xdrOfJson } from "../../xdr/reader/from-json.ts";
import {
  ENTRY_TYPE,
  isSettingKey,
  isSorobanKey,
  lastModifiedOf,
  settingName,
  typeOfKey,
} from "../../xdr/reader/keys.ts";
import { describeEntry, describeKey } from "../../xdr/values/value.ts";
import { contractDataKeys } from "../../xdr/values/value-parts.ts";
import {
  BY_USER,
  type Draft,
  entryInDraft,
  lookupOf,
  overrideEntry,
  overrideImpossible,
  setSetting,
} from "./variant-draft.ts";

/** From this protocol on, archived entries leave the live state. */
export const EVICTION_PROTOCOL = 23;

/** Throws OVERRIDE_IMPOSSIBLE. */
export function overrideEntries(draft: Draft, overridden: readonly OverriddenEntry[]): void {
  for (const each of overridden) {
    if (isSettingKey(each.keyXdr)) overrideSetting(draft, each);
    else overrideOne(draft, each);
  }
}

function overrideSetting(draft: Draft, { field, keyXdr, change }: OverriddenEntry): void {
  if (change.kind !== "entry")
    throw overrideImpossible(field, "a network setting needs a complete entry");
  const name = settingName(keyXdr);
  setSetting(draft, { name, entryXdr: change.entryXdr, provenance: BY_USER });
  draft.changed.push({
    kind: "setting",
    what: describeKey(keyXdr),
    before: "the ledger's",
    after: "overridden",
  });
}

function overrideOne(draft: Draft, overridden: OverriddenEntry): void {
  const { keyXdr } = overridden;
  const held = entryInDraft(draft, keyXdr);
  const entry = overriddenEntry(draft, overridden, held);
  const lookup = lookupOf(draft);
  overrideEntry(draft, entry);
  const { change } = overridden;
  const inWords = change.kind === "stored" ? storedInWords(keyXdr, change) : stateInWords;
  draft.changed.push({
    kind: "entry",
    what:
      change.kind === "stored"
        ? storedName(keyXdr, change, lookup)
        : keyNamer(null, lookup)(keyXdr),
    before: held === null ? "unknown" : inWords(held),
    after: inWords(entry),
  });
}

function storedName(keyXdr: string, { storedKeyXdr }: StoredInInstance, lookup: ContractLookup) {
  const { contract } = dataKeyOf(keyXdr);
  const key = showDataKey(storedKeyXdr, lookup(contract)?.spec ?? null);
  return `data ${key} in the instance of contract ${contract}`;
}

/** The key that the value would have as an entry of its own, whose value reads the same. */
function keyOfStored(instanceKeyXdr: string, { storedKeyXdr }: StoredInInstance): string {
  const { contract } = dataKeyOf(instanceKeyXdr);
  const [persistent] = contractDataKeys(xdrOfJson("ScVal", { address: contract }), storedKeyXdr);
  return persistent as string;
}

function storedInWords(keyXdr: string, stored: StoredInInstance) {
  return ({ entryXdr }: SnapshotEntry): string => {
    const valueXdr = entryXdr === null ? null : storedValue(entryXdr, stored.storedKeyXdr);
    const alone = valueXdr && contractDataEntry(keyOfStored(keyXdr, stored), valueXdr, 1);
    return alone ? describeEntry(alone) : "absent";
  };
}

function overriddenEntry(
  draft: Draft,
  overridden: OverriddenEntry,
  held: SnapshotEntry | null,
): SnapshotEntry {
  const { field, keyXdr } = overridden;
  const isSoroban = isSorobanOrRefused(overridden);
  const entryXdr = entryXdrOf(draft, overridden, held);
  const ttl =
    entryXdr === null || !isSoroban
      ? { liveUntilLedger: null, archived: false }
      : ttlOf(draft, overridden, held);
  const provenance = { ...BY_USER, detail: field };
  return {
    keyXdr,
    entryXdr,
    ...ttl,
    codeCached: held?.codeCached ?? null,
    provenance,
    ttlProvenance: ttl.liveUntilLedger === null ? null : provenance,
  };
}

function isSorobanOrRefused({ field, keyXdr, liveUntilLedger, archived }: OverriddenEntry) {
  if (typeOfKey(keyXdr) === ENTRY_TYPE.ttl)
    throw overrideImpossible(field, "a TTL is overridden with `liveUntilLedger` of its entry");
  const isSoroban = isSorobanKey(keyXdr);
  if (!isSoroban && (liveUntilLedger !== null || archived !== null))
    throw overrideImpossible(field, `${describeKey(keyXdr)} has no TTL`);
  return isSoroban;
}

/** LedgerEntry; null if the entry is removed. */
function entryXdrOf(
  draft: Draft,
  { field, keyXdr, change }: OverriddenEntry,
  held: SnapshotEntry | null,
): string | null {
  const known = held?.entryXdr ?? null;
  const before = draft.ledger.sequence - 1;
  switch (change.kind) {
    case "entry":
      return change.entryXdr;
    case "removed":
      return null;
    case "value": {
      const modified = known === null ? before : lastModifiedOf(known);
      const made = contractDataEntry(keyXdr, change.valueXdr, modified);
      if (made === null) throw overrideImpossible(field, "only contract data has a value");
      return made;
    }
    case "stored": {
      const name = describeKey(keyXdr);
      if (known === null) throw overrideImpossible(field, `the state of ${name} is unknown`);
      const changed = withStored(known, change.storedKeyXdr, change.valueXdr);
      if (changed !== null) return changed;
      const why = change.valueXdr === null ? "has no such key" : "has no place for such a key";
      throw overrideImpossible(field, `the storage of ${name} ${why}`);
    }
    default: {
      const name = describeKey(keyXdr);
      if (known === null)
        throw overrideImpossible(field, `the state of ${name} is unknown; pass its complete entry`);
      if (change.kind === "same") return known;
      const patched = withBalance(known, change.stroops);
      if (patched === null) throw overrideImpossible(field, `${name} has no balance`);
      return patched;
    }
  }
}

function ttlOf(
  { ledger }: Draft,
  { liveUntilLedger, archived }: OverriddenEntry,
  held: SnapshotEntry | null,
): Pick<SnapshotEntry, "liveUntilLedger" | "archived"> {
  const isArchived = archived ?? (liveUntilLedger === null && held?.archived === true);
  if (!isArchived) {
    const kept = held?.archived === true ? null : (held?.liveUntilLedger ?? null);
    return { liveUntilLedger: liveUntilLedger ?? kept, archived: false };
  }
  if (ledger.protocolVersion >= EVICTION_PROTOCOL) return { liveUntilLedger: null, archived: true };
  return { liveUntilLedger: ledger.sequence - 1, archived: false };
}

function stateInWords({ entryXdr, liveUntilLedger, archived }: SnapshotEntry): string {
  if (entryXdr === null) return "absent";
  const live = archived
    ? ", archived"
    : liveUntilLedger === null
      ? ""
      : `, live until ledger ${liveUntilLedger}`;
  return `${describeEntry(entryXdr)}${live}`;
}
