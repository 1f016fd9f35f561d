// The overrides that change one value of a term alone: an argument, a fact of the ledger, or a
// number in a stored entry.

import { NO_OVERRIDES, type OverriddenChange, type Overrides } from "../../model/overrides.ts";
import type { SnapshotEntry } from "../../model/snapshot.ts";
import type { Origin, Term, WhyProof } from "../../model/why.ts";
import { dataKeyOf } from "../../xdr/contract/key-typed.ts";
import { ownCall } from "../../xdr/envelope/created-contracts.ts";
import {
  type MapFields,
  placeAmong,
  storedValue,
  withField,
  withStored,
} from "../../xdr/ledger/patch-entry.ts";
import { ENTRY_TYPE, typeOfKey } from "../../xdr/reader/keys.ts";
import { SCV } from "../../xdr/reader/scval-type.ts";
import { decode, encode, utf8, type Value } from "../../xdr/reader/value.ts";
import { instanceKeyOfContract, integerValue, typeNameOf } from "../../xdr/values/value-parts.ts";
import type { Replayable } from "../run/run-variant.ts";
import { rootOfTerm } from "./boundaries.ts";

/** The contract call that has a value. */
type Within = Pick<Origin, "contract" | "function" | "outermost">;

export interface Change {
  readonly overrides: Overrides;
  /** The changed term, if it is in another contract call. */
  readonly named: Pick<WhyProof, "term" | "within">;
}

/** A number of the type that a value has, or of another one. */
interface WantedNumber {
  readonly number: bigint;
  readonly type?: string | undefined;
}

/** An ScVal. */
interface WantedValue {
  readonly valueXdr: string;
}

/** Null if the value cannot be changed alone, or cannot have such a number. */
export function changeOfValue(
  term: Term,
  to: WantedNumber | WantedValue,
  replayed: Replayable,
  { outermost, ...within }: Within,
  isElsewhere = false,
): Change | null {
  const { origin } = term;
  if (origin !== undefined && term.kind !== "written")
    return changeOfValue(origin.term, to, replayed, origin, true);
  const { contract, function: called } = within;
  const named = isElsewhere ? { term, within: { contract, function: called } } : { term };
  const isNumber = "number" in to;
  const ofLedger =
    isNumber && term.kind === "ledger" ? LEDGER[term.name ?? ""]?.(to.number) : undefined;
  if (ofLedger !== undefined) return { overrides: { ...NO_OVERRIDES, ledger: ofLedger }, named };
  const value = isNumber ? numberLike(term.valueXdr ?? "", to) : decode("ScVal", to.valueXdr);
  const { whole, path } = rootOfTerm(term);
  if (value === null) return null;
  if (whole.kind === "storage") {
    const entries = storedChange(whole, path, value, replayed, contract);
    return entries && { overrides: { ...NO_OVERRIDES, entries }, named };
  }
  const call = outermost ? ownCall(replayed.envelope) : null;
  if (call === null || call.contract !== contract || call.function !== called) return null;
  const argumentXdr = whole.kind === "argument" ? call.argumentsXdr[whole.index ?? -1] : undefined;
  if (argumentXdr === undefined) return null;
  const argument = changedAt(decode("ScVal", argumentXdr), path, value);
  if (argument === null) return null;
  const changed = new Map([[`${whole.index}`, { xdr: encode("ScVal", argument) }]]);
  return { overrides: { ...NO_OVERRIDES, arguments: changed }, named };
}

/** The facts of the ledger that a run can change. A number that a fact cannot have gives none. */
const LEDGER: Readonly<Record<string, (number: bigint) => Overrides["ledger"] | undefined>> = {
  time: (number) => (number < 0n ? undefined : { closeTimeUnixSeconds: `${number}` }),
  sequence: (number) =>
    number < 1n || number > 0xffff_ffffn ? undefined : { sequence: Number(number) },
};

/** The entry with another value at the end of the path; null if the entry has no value there. */
function storedChange(
  whole: Term,
  path: readonly Term[],
  value: ScVal,
  { snapshot }: Replayable,
  within: string | null,
): Overrides["entries"] | null {
  const { keyXdr: stored, durability: kind } = whole;
  const instance = kind === "instance" && within !== null ? instanceKeyOfContract(within) : null;
  const entry = snapshot.entries.find((each) =>
    instance === null ? isEntry(each, whole, within) : each.keyXdr === instance,
  );
  if (entry === undefined || entry.entryXdr === null) return null;
  const { keyXdr } = entry;
  const whichStored = instance === null ? null : (stored ?? "");
  const change = changedData(entry.entryXdr, whichStored, path, value);
  return change && [{ field: "value", keyXdr, change, liveUntilLedger: null, archived: null }];
}

/** `stored`: the key in the storage of an instance; null for an entry of its own. */
function changedData(
  entryXdr: string,
  stored: string | null,
  path: readonly Term[],
  value: ScVal,
): OverriddenChange | null {
  const before = decode("LedgerEntry", entryXdr);
  if (before.data.type !== ENTRY_TYPE.contractData) return null;
  const { contractData } = before.data;
  if (stored === null) {
    const val = changedAt(contractData.val, path, value);
    if (val === null) return null;
    const data = { ...before.data, contractData: { ...contractData, val } };
    return { kind: "entry", entryXdr: encode("LedgerEntry", { ...before, data }) };
  }
  const held = storedValue(entryXdr, stored);
  const val = held === null ? null : changedAt(decode("ScVal", held), path, value);
  return val ? storedInInstance(entryXdr, stored, encode("ScVal", val)) : null;
}

/** Null if the instance has no such key to remove, or the key has no known place. */
function storedInInstance(
  instanceXdr: string,
  storedKeyXdr: string,
  valueXdr: string | null,
): OverriddenChange | null {
  const entryXdr = withStored(instanceXdr, storedKeyXdr, valueXdr);
  return entryXdr === null ? null : { kind: "entry", entryXdr, stored: { storedKeyXdr, valueXdr } };
}

/**
 * An entry of a contract with this value (an ScVal), or without the entry. Null: the run knows
 * nothing of that key.
 */
export function changeOfEntry(
  term: Term,
  valueXdr: string | null,
  { snapshot, record }: Replayable,
  contract: string | null,
): Change | null {
  const { keyXdr: stored = "", durability } = term;
  if (contract === null) return null;
  if (durability === "instance") return storedOrNot(term, stored, valueXdr, { snapshot }, contract);
  const known = snapshot.entries.find((entry) => isEntry(entry, term, contract));
  if (known === undefined || (known.entryXdr === null) === (valueXdr === null)) return null;
  const change =
    valueXdr === null ? ({ kind: "removed" } as const) : ({ kind: "value", valueXdr } as const);
  const liveUntilLedger = valueXdr === null ? null : record.ledger.sequence + LIVES_FOR;
  const { keyXdr } = known;
  const entries = [{ field: "value", keyXdr, change, liveUntilLedger, archived: null }];
  return { overrides: { ...NO_OVERRIDES, entries }, named: { term } };
}

/** The number of ledgers for which an entry lives that a run adds. */
const LIVES_FOR = 1_000;

export function isEntry(
  { keyXdr }: SnapshotEntry,
  { keyXdr: stored, durability: kind }: Term,
  within: string | null,
): boolean {
  if (typeOfKey(keyXdr) !== ENTRY_TYPE.contractData) return false;
  const { contract, key, durability } = dataKeyOf(keyXdr);
  return contract === within && key === stored && durability === kind;
}

/**
 * A contract's instance that has this stored under a key, or nothing. Null: it is so already, or the
 * key has no known place.
 */
function storedOrNot(
  term: Term,
  stored: string,
  valueXdr: string | null,
  { snapshot }: Pick<Replayable, "snapshot">,
  contract: string,
): Change | null {
  const instance = instanceKeyOfContract(contract);
  const entry = snapshot.entries.find(({ keyXdr }) => keyXdr === instance);
  if (instance === null || !entry?.entryXdr) return null;
  if ((storedValue(entry.entryXdr, stored) === null) === (valueXdr === null)) return null;
  const change = storedInInstance(entry.entryXdr, stored, valueXdr);
  if (change === null) return null;
  const entries = [
    { field: "value", keyXdr: instance, change, liveUntilLedger: null, archived: null },
  ];
  return { overrides: { ...NO_OVERRIDES, entries }, named: { term } };
}

/** Null: the key is there already, or is not, or has no known place. */
function withKey(fields: MapFields, keyXdr: string, valueXdr: string | null): MapFields | null {
  const isThere = fields.some(({ key }) => encode("ScVal", key) === keyXdr);
  return isThere === (valueXdr !== null) ? null : withField(fields, keyXdr, valueXdr);
}

interface ChangedWhole {
  readonly whole: Term;
  readonly wholeXdr: string;
  /** The value under the key; null for an element, or without the key. */
  readonly valueXdr: string | null;
}

/**
 * The map or vector that a `key` is about, with that key or element, or without it. A map has a
 * value there that it has elsewhere, or one of `values`. None: it is so already, or is unknown.
 */
export function changesOfKey(
  { keyXdr = "", name, of: [whole] = [] }: Term,
  isThere: boolean,
  values: readonly string[],
): ChangedWhole[] {
  if (whole?.valueXdr === undefined) return [];
  const known = decode("ScVal", whole.valueXdr);
  const made = (changed: ScVal, valueXdr: string | null) => {
    return { whole, wholeXdr: encode("ScVal", changed), valueXdr };
  };
  if (name === "element") {
    if (known.type !== SCV.vec || !known.vec) return [];
    const others = known.vec.filter((element) => encode("ScVal", element) !== keyXdr);
    const element = decode("ScVal", keyXdr);
    if (isThere === others.length < known.vec.length) return [];
    if (!isThere) return [made({ ...known, vec: others }, null)];
    const at = placeAmong(element, others) ?? others.length;
    return [made({ ...known, vec: others.toSpliced(at, 0, element) }, null)];
  }
  if (known.type !== SCV.map || !known.map) return [];
  const { map } = known;
  const own = map.map(({ val }) => encode("ScVal", val));
  const all = isThere ? [...new Set([...own, ...values])] : [null];
  return all.flatMap((valueXdr) => {
    const changed = withKey(map, keyXdr, valueXdr);
    return changed === null ? [] : [made({ ...known, map: changed }, valueXdr)];
  });
}

type ScVal = Value<"ScVal">;

/** The value with another one at the end of the path; null if it has none there. */
function changedAt(whole: ScVal, [next, ...path]: readonly Term[], value: ScVal): ScVal | null {
  if (next === undefined) return value;
  if (next.kind === "element") {
    const elements = (whole.type === SCV.vec && whole.vec) || [];
    const at = next.index ?? -1;
    const changed = elements[at] && changedAt(elements[at], path, value);
    return changed ? { type: SCV.vec, vec: elements.with(at, changed) } : null;
  }
  const { name, keyXdr } = next;
  const isNext = (key: ScVal) =>
    name === undefined
      ? encode("ScVal", key) === keyXdr
      : key.type === SCV.symbol && utf8(key.sym) === name;
  const fields = (whole.type === SCV.map && whole.map) || [];
  const map = changedField(fields, isNext, path, value);
  return map && { type: SCV.map, map };
}

function changedField(
  fields: MapFields,
  isKey: (key: ScVal) => boolean,
  path: readonly Term[],
  value: ScVal,
): MapFields | null {
  const at = fields.findIndex(({ key }) => isKey(key));
  const field = fields[at];
  const val = field && changedAt(field.val, path, value);
  return val ? fields.with(at, { ...field, val }) : null;
}

/** Null if the type has no such number. */
function numberLike(valueXdr: string, { number, type }: WantedNumber): ScVal | null {
  const name = type ?? typeNameOf(valueXdr) ?? "";
  if (name === "bool") return { type: SCV.bool, b: number === 1n };
  const xdr = integerValue(name, number);
  return xdr === null ? null : decode("ScVal", xdr);
}
