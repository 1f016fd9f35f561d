// Compares two states of one ledger entry field by field: within a map, a vector, an instance's
// storage, an account or a trustline.

import { isJsonObject } from "../../base/json-object.ts";
import { neutralise, withoutBackticks } from "../../base/text/neutralise.ts";
import type { ChangedField } from "../../model/explanation.ts";
import { ENTRY_TYPE } from "../reader/keys.ts";
import { SCV } from "../reader/scval-type.ts";
import { toJson } from "../reader/to-json.ts";
import { decode, encode, type Value } from "../reader/value.ts";
import { showStroops, showValue } from "./value.ts";
import { dataOfEntry, integerOfValue } from "./value-parts.ts";

type ScVal = Value<"ScVal">;
type ScMapEntry = Value<"ScMapEntry">;

/** The depth below which a value is compared and shown as one. */
const MAXIMUM_DEPTH = 24;

/** A changed field, with the numbers that it had. */
export interface FieldDifference extends ChangedField {
  /** The numbers of a contract's value; null for every other value. */
  readonly numbers: readonly [before: bigint | null, after: bigint | null];
}

/** Returns an empty list if the entries are equal, or have no fields to compare. */
export function entryDifference(beforeXdr: string, afterXdr: string): ChangedField[] {
  return fieldDifferences(beforeXdr, afterXdr).map(withoutNumbers);
}

/** The same fields, with their numbers. */
export function fieldDifferences(beforeXdr: string, afterXdr: string): FieldDifference[] {
  const before = dataOfEntry(beforeXdr);
  const after = dataOfEntry(afterXdr);
  if (before?.type === ENTRY_TYPE.contractData && after?.type === ENTRY_TYPE.contractData)
    return valueDifference(before.contractData.val, after.contractData.val, "", 0);
  if (before?.type === ENTRY_TYPE.account && after?.type === ENTRY_TYPE.account)
    return plainDifference(
      toJson("AccountEntry", before.account),
      toJson("AccountEntry", after.account),
      "",
    );
  if (before?.type === ENTRY_TYPE.trustline && after?.type === ENTRY_TYPE.trustline)
    return plainDifference(
      toJson("TrustLineEntry", before.trustLine),
      toJson("TrustLineEntry", after.trustLine),
      "",
    );
  return [];
}

/** The ledger of the last change, before everything else of a LedgerEntry. */
const LAST_MODIFIED_SIZE = 4;

/** True if only the ledger of the last change differs between two states of an entry. */
export function isWrittenUnchanged(beforeXdr: string, afterXdr: string): boolean {
  const [before, after] = [beforeXdr, afterXdr].map((xdr) =>
    Uint8Array.fromBase64(xdr).subarray(LAST_MODIFIED_SIZE).toBase64(),
  );
  return before === after;
}

/** Compares two ScVals. The field is empty if the whole value changed. */
export function scValDifference(beforeXdr: string, afterXdr: string): ChangedField[] {
  try {
    const [before, after] = [decode("ScVal", beforeXdr), decode("ScVal", afterXdr)];
    return valueDifference(before, after, "", 0).map(withoutNumbers);
  } catch {
    return [];
  }
}

function valueDifference(
  before: ScVal,
  after: ScVal,
  field: string,
  depth: number,
): FieldDifference[] {
  if (encode("ScVal", before) === encode("ScVal", after)) return [];
  const whole = [differenceOf(field, before, after)];
  if (depth > MAXIMUM_DEPTH) return whole;
  if (before.type === SCV.map && after.type === SCV.map)
    return mapDifference(before.map ?? [], after.map ?? [], field, depth);
  if (before.type === SCV.vec && after.type === SCV.vec) {
    const [old, now] = [before.vec ?? [], after.vec ?? []];
    if (old.length !== now.length) return whole;
    return old.flatMap((value, i) =>
      valueDifference(value, now[i] as ScVal, `${field}[${i}]`, depth + 1),
    );
  }
  if (before.type === SCV.instance && after.type === SCV.instance) {
    const [old, now] = [before.instance, after.instance];
    const [was, is] = [withoutStorage(before), withoutStorage(after)];
    const storage = mapDifference(old.storage ?? [], now.storage ?? [], "storage", depth);
    const code = { field: "code", before: was, after: is, numbers: NO_NUMBERS };
    return was === is ? storage : [code, ...storage];
  }
  return whole;
}

function mapDifference(
  before: readonly ScMapEntry[],
  after: readonly ScMapEntry[],
  field: string,
  depth: number,
): FieldDifference[] {
  const now = new Map(after.map(({ key, val }) => [encode("ScVal", key), val]));
  const nameOf = (key: ScVal) => `${field}${field === "" ? "" : "."}${show(key)}`;
  const changedFields = before.flatMap(({ key, val }) => {
    const xdr = encode("ScVal", key);
    const next = now.get(xdr);
    now.delete(xdr);
    if (next !== undefined) return valueDifference(val, next, nameOf(key), depth + 1);
    return [differenceOf(nameOf(key), val, null)];
  });
  const added = after
    .filter(({ key }) => now.has(encode("ScVal", key)))
    .map(({ key, val }) => differenceOf(nameOf(key), null, val));
  return [...changedFields, ...added];
}

const NO_NUMBERS = [null, null] as const;

function withoutNumbers({ numbers: _, ...field }: FieldDifference): ChangedField {
  return field;
}

/** Null stands for a field that does not exist. */
function differenceOf(field: string, before: ScVal | null, after: ScVal | null): FieldDifference {
  return {
    field,
    before: before && show(before),
    after: after && show(after),
    numbers: [before && numberOf(before), after && numberOf(after)],
  };
}

function numberOf(value: ScVal): bigint | null {
  return integerOfValue(encode("ScVal", value));
}

function show(value: ScVal): string {
  return showValue(encode("ScVal", value));
}

/** Shows the code of an instance in words. */
function withoutStorage({ instance }: Extract<ScVal, { instance: unknown }>): string {
  return show({ type: SCV.instance, instance: { ...instance, storage: null } });
}

/** The amounts of accounts and trustlines that are in stroops. */
const STROOPS: ReadonlySet<string> = new Set(["balance", "limit", "buying", "selling"]);

/** Compares the leaves of the JSON form (SEP-51) of classic entries, by name. */
function plainDifference(before: unknown, after: unknown, field: string): FieldDifference[] {
  if (isJsonObject(before) && isJsonObject(after)) {
    const names = new Set([...Object.keys(before), ...Object.keys(after)]);
    return [...names].flatMap((name) =>
      plainDifference(before[name], after[name], field === "" ? name : `${field}.${name}`),
    );
  }
  const [old, now] = [leaf(before, field), leaf(after, field)];
  if (old === now) return [];
  return [{ field: field.replaceAll("_", " "), before: old, after: now, numbers: NO_NUMBERS }];
}

function leaf(value: unknown, field: string): string | null {
  if (value === undefined) return null;
  const name = field.slice(field.lastIndexOf(".") + 1);
  if (STROOPS.has(name) && typeof value === "string") return showStroops(BigInt(value));
  return withoutBackticks(neutralise(typeof value === "string" ? value : JSON.stringify(value)));
}
