// Finds keys of one contract that differ only in a number: `[Block, 171487]` and `[Block, 171488]`.
// A contract that counts up in its state asks for the next key each time.

import { ENTRY_TYPE, typeOfKey } from "../reader/keys.ts";
import { toJson } from "../reader/to-json.ts";
import { decode, type Value } from "../reader/value.ts";

export interface NeighboringKeys {
  /** LedgerKeys: the one that was asked for, and the nearest one that exists instead. */
  readonly askedXdr: string;
  readonly neighborXdr: string;
  /** The numbers in which the two keys differ. */
  readonly accessedNumber: bigint;
  readonly neighbor: bigint;
}

/** Five minutes: a number that counts seconds moves this far while a transaction is valid. */
const FURTHEST = 300n;
/** SEP-51 names of the integers of an ScVal. */
const INTEGERS: ReadonlySet<string> = new Set([
  "u32",
  "i32",
  "u64",
  "i64",
  "u128",
  "i128",
  "u256",
  "i256",
  "timepoint",
  "duration",
]);

/** `askedXdr` are the possible keys. Returns null if no key is near enough. */
export function neighboringKeys(
  askedXdr: readonly string[],
  keysXdr: readonly string[],
): NeighboringKeys | null {
  const known = keysXdr.filter(isData).map((xdr) => ({ xdr, leaves: leavesOfKey(xdr) }));
  let nearest: NeighboringKeys | null = null;
  let distance = FURTHEST;
  for (const accessedXdr of askedXdr.filter(isData)) {
    const leaves = leavesOfKey(accessedXdr);
    for (const { xdr, leaves: others } of known) {
      const numbers = onlyNumber(leaves, others);
      if (numbers === null || absolute(numbers.accessedNumber - numbers.neighbor) > distance)
        continue;
      distance = absolute(numbers.accessedNumber - numbers.neighbor) - 1n;
      nearest = { askedXdr: accessedXdr, neighborXdr: xdr, ...numbers };
    }
  }
  return nearest;
}

/** Returns every integer within a value, at any depth. */
export function integersIn(scValXdr: string): bigint[] {
  return integersOf(decode("ScVal", scValXdr));
}

/** Returns the integers in an entry of contract data; the list is empty for other entries. */
export function integersInEntry(entryXdr: string): bigint[] {
  const { data } = decode("LedgerEntry", entryXdr);
  return data.type === ENTRY_TYPE.contractData ? integersOf(data.contractData.val) : [];
}

function integersOf(value: Value<"ScVal">): bigint[] {
  return leavesOf(toJson("ScVal", value), "").flatMap(({ integer }) => integer ?? []);
}

interface Leaf {
  readonly path: string;
  readonly text: string;
  /** Null if the leaf is another kind of value. */
  readonly integer: bigint | null;
}

/**
 * Returns the only number in which the leaves differ, or the first of several that differ by the
 * same amount. Null means that something else differs.
 */
function onlyNumber(accessed: readonly Leaf[], neighbor: readonly Leaf[]) {
  if (accessed.length !== neighbor.length) return null;
  let numbers: { accessedNumber: bigint; neighbor: bigint } | null = null;
  for (const [i, { path, text, integer }] of accessed.entries()) {
    const other = neighbor[i];
    if (other === undefined || other.path !== path) return null;
    if (other.text === text) continue;
    if (integer === null || other.integer === null) return null;
    const moved = integer - other.integer;
    if (numbers !== null && numbers.accessedNumber - numbers.neighbor !== moved) return null;
    numbers ??= { accessedNumber: integer, neighbor: other.integer };
  }
  return numbers;
}

function isData(keyXdr: string): boolean {
  return typeOfKey(keyXdr) === ENTRY_TYPE.contractData;
}

function leavesOfKey(keyXdr: string): Leaf[] {
  return leavesOf(toJson("LedgerKey", decode("LedgerKey", keyXdr)), "");
}

/**
 * Returns the leaves of the JSON form (SEP-51). `name` is that of the nearest field, which is a
 * value's type.
 */
function leavesOf(json: unknown, path: string, name = ""): Leaf[] {
  if (typeof json === "object" && json !== null)
    return Object.entries(json).flatMap(([field, value]) =>
      leavesOf(value, `${path}/${field}`, field),
    );
  const text = String(json);
  return [{ path, text, integer: INTEGERS.has(name) ? BigInt(text) : null }];
}

function absolute(value: bigint): bigint {
  return value < 0n ? -value : value;
}
