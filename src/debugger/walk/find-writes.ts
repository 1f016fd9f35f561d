// The transactions that last wrote the stored values that decided a failure. Only what a ledger's
// meta shows counts: the value that a transaction left is the one that the failed transaction read.

import type { FoundWhy } from "../../explain/explain.ts";
import type { LedgerReader } from "../../ledgers/ledger-reader.ts";
import type { SnapshotEntry } from "../../model/snapshot.ts";
import type { FoundWrite, Term, Why, WhyCondition } from "../../model/why.ts";
import { type EarlierChange, earlierChanges } from "../../snapshot/gather/earlier-changes.ts";
import { dataKeyOf } from "../../xdr/contract/key-typed.ts";
import { dataValueOf, instanceStorageOf } from "../../xdr/ledger/data-entry.ts";
import { ENTRY_TYPE, sameData, typeOfKey } from "../../xdr/reader/keys.ts";
import {
  elementsOf,
  instanceKeyOfContract,
  isSymbol,
  mapOf,
  voidValue,
} from "../../xdr/values/value-parts.ts";
import type { Replayable } from "../run/run-variant.ts";
import { rootOfTerm } from "./boundaries.ts";
import { callOf, likeness } from "./earlier-call.ts";

/** The maximum number of earlier transactions to look at. */
const MAXIMUM_TRANSACTIONS = 64;
/** More writes than these are not named. */
const MAXIMUM_WRITES = 3;

/** A stored value that decided. */
interface StoredPlace extends Pick<FoundWrite, "of" | "term" | "contract"> {
  readonly entry: SnapshotEntry;
  /**
   * Reads the part of the entry that decided, as a text: equal parts have equal texts. Null if
   * nothing is stored.
   */
  readonly read: (entryXdr: string | null) => string | null;
}

/** Empty if nothing that was stored decided, or if no ledger that was read shows its write. */
export async function findWrites(
  ledgers: LedgerReader | null,
  replayed: Pick<Replayable, "record" | "envelope" | "snapshot">,
  why: FoundWhy,
  options: { readonly signal: AbortSignal },
): Promise<readonly FoundWrite[]> {
  const { record, envelope, snapshot } = replayed;
  const open = new Set(placesOf(why, snapshot.entries).slice(0, MAXIMUM_WRITES));
  const writes: FoundWrite[] = [];
  if (ledgers === null || open.size === 0) return writes;
  const entries = [...new Set([...open].map(({ entry }) => entry))];
  let count = 0;
  for await (const change of earlierChanges(ledgers, record, { ...snapshot, entries }, options)) {
    count += 1;
    if (count > MAXIMUM_TRANSACTIONS) break;
    for (const place of open) {
      const write = writeIn(change, place);
      if (write === null) continue;
      // An earlier write is not the last one.
      open.delete(place);
      if (write === "unknown") continue;
      const call = callOf(change, record.networkPassphrase);
      writes.push({
        of: place.of,
        term: place.term,
        contract: place.contract,
        ...write,
        transactionHash: change.transactionHash,
        ledger: change.ledger,
        applicationOrder: change.applicationOrder,
        call: call && { contract: call.contract, function: call.function },
        repeats: likeness(call, envelope),
      });
    }
    if (open.size === 0) break;
  }
  return writes;
}

/** Null if the transaction left the value as it was. */
function writeIn(
  { before, after, leftXdr }: EarlierChange,
  { entry: { keyXdr }, read }: StoredPlace,
): Pick<FoundWrite, "beforeXdr" | "afterXdr"> | "unknown" | null {
  const [past, then] = [before.get(keyXdr), after.get(keyXdr)];
  if (past === undefined || then === undefined) return null;
  // The state may come from a node that has a later one.
  const left = leftXdr(keyXdr);
  if (left === undefined || !sameData(left, then.entryXdr)) return "unknown";
  const [beforeXdr, afterXdr] = [read(past.entryXdr), read(then.entryXdr)];
  return beforeXdr === afterXdr ? null : { beforeXdr, afterXdr };
}

/** The stored values among the terms of the conditions that decided. */
function placesOf({ why, proof }: FoundWhy, entries: readonly SnapshotEntry[]): StoredPlace[] {
  const reason = proof?.reason;
  const calls: Pick<Why, "contract" | "conditions">[] = [
    ...(reason ? [reason] : []),
    { ...why, conditions: [...why.conditions, ...(why.because ?? [])] },
  ];
  const places = calls.flatMap(({ contract, conditions }) =>
    conditions.flatMap((condition) => placesIn(condition, contract, entries)),
  );
  const seen = new Set<string>();
  return places.filter(({ of, term, contract, entry }) => {
    const id = `${of} ${contract} ${entry.keyXdr} ${term.keyXdr} ${term.kind} ${term.name}`;
    return !seen.has(id) && seen.add(id);
  });
}

function placesIn(
  { relation, terms }: WhyCondition,
  contract: string | null,
  entries: readonly SnapshotEntry[],
): StoredPlace[] {
  const [first] = terms;
  const isPresence = relation === "absent" || relation === "present";
  if (isPresence && first?.kind === "entry") {
    const entry = storedIn(first, contract, entries);
    const read = valueReader(first);
    if (entry === null || contract === null) return [];
    const exists = (xdr: string | null) => (read(xdr) === null ? null : voidValue());
    return [{ of: "entry", term: first, contract, entry, read: exists }];
  }
  if (isPresence && first?.kind === "key") return elementPlace(first, contract, entries);
  return terms.flatMap((term) => valuePlaces(term, contract, entries));
}

/** A key of a stored map, or an element of a stored vector. */
function elementPlace(
  term: Term,
  contract: string | null,
  entries: readonly SnapshotEntry[],
): StoredPlace[] {
  const { whole, path } = rootOfTerm(term.of?.[0] ?? term);
  const entry = whole.kind === "storage" ? storedIn(whole, contract, entries) : null;
  const read = valueReader(whole);
  const { keyXdr } = term;
  if (entry === null || contract === null || keyXdr === undefined) return [];
  const has = (xdr: string | null) => {
    const value = partOf(read(xdr), path);
    const keys =
      value === null ? [] : (elementsOf(value) ?? mapOf(value)?.map(([key]) => key) ?? []);
    return keys.includes(keyXdr) ? voidValue() : null;
  };
  return [{ of: "element", term, contract, entry, read: has }];
}

function valuePlaces(
  term: Term,
  contract: string | null,
  entries: readonly SnapshotEntry[],
): StoredPlace[] {
  const { origin } = term;
  if (origin !== undefined && term.kind !== "written")
    return valuePlaces(origin.term, origin.contract, entries);
  const { whole, path } = rootOfTerm(term);
  if (whole.kind !== "storage") {
    const parts = whole === term ? (term.of ?? []) : [whole];
    return parts.flatMap((part) => valuePlaces(part, contract, entries));
  }
  const entry = storedIn(whole, contract, entries);
  const read = valueReader(whole);
  if (entry === null || contract === null) return [];
  return [{ of: "value", term, contract, entry, read: (xdr) => partOf(read(xdr), path) }];
}

/** The entry in which a contract has a stored value; null if the snapshot has none. */
function storedIn(
  { keyXdr: stored, durability: kind }: Term,
  within: string | null,
  entries: readonly SnapshotEntry[],
): SnapshotEntry | null {
  if (within === null) return null;
  const instance = kind === "instance" ? instanceKeyOfContract(within) : null;
  const entry = entries.find(({ keyXdr }) => {
    if (instance !== null) return keyXdr === instance;
    if (typeOfKey(keyXdr) !== ENTRY_TYPE.contractData) return false;
    const { contract, key, durability } = dataKeyOf(keyXdr);
    return contract === within && key === stored && durability === kind;
  });
  return entry ?? null;
}

function valueReader({ keyXdr, durability }: Term): StoredPlace["read"] {
  return (entryXdr) => {
    const value = entryXdr === null ? null : dataValueOf(entryXdr);
    if (value === null || durability !== "instance") return value;
    return instanceStorageOf(value).find(([key]) => key === keyXdr)?.[1] ?? null;
  };
}

/** The part of a value at the end of the path; null if it has none there. */
function partOf(valueXdr: string | null, [next, ...path]: readonly Term[]): string | null {
  if (valueXdr === null || next === undefined) return valueXdr;
  if (next.kind === "element")
    return partOf(elementsOf(valueXdr)?.[next.index ?? -1] ?? null, path);
  const fields = mapOf(valueXdr) ?? [];
  const field = fields.find(([key]) =>
    next.name === undefined ? key === next.keyXdr : isSymbol(key, next.name),
  );
  return partOf(field?.[1] ?? null, path);
}
