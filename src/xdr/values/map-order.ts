// The order of keys in a map: the contract host refuses a map whose keys are not in it
// (rs-soroban-env, MeteredOrdMap; the order is that of the derived Ord of ScVal).

import { compareBytes } from "../../base/bytes.ts";
import { SCV } from "../reader/scval-type.ts";
import { encodeBytes, type Value } from "../reader/value.ts";

type ScVal = Value<"ScVal">;
type Ordering = number | bigint;

/** Negative, 0 or positive; null where svc does not know the order of such values. */
export function compareScVals(first: ScVal, second: ScVal): number | null {
  if (first.type !== second.type) return first.type - second.type;
  if (first.type === SCV.vec && second.type === SCV.vec) return compareLists(first.vec, second.vec);
  if (first.type === SCV.map && second.type === SCV.map)
    return compareLists(partsOf(first.map), partsOf(second.map));
  const [left, right] = [rankOf(first), rankOf(second)];
  if (left === null || right === null) return null;
  if (left instanceof Uint8Array && right instanceof Uint8Array) return compareBytes(left, right);
  return left < right ? -1 : left > right ? 1 : 0;
}

function compareLists(
  left: readonly ScVal[] | null,
  right: readonly ScVal[] | null,
): number | null {
  if (left === null || right === null) return null;
  for (const [index, item] of left.entries()) {
    const beside = right[index];
    if (beside === undefined) return 1;
    const order = compareScVals(item, beside);
    if (order !== 0) return order;
  }
  return left.length - right.length;
}

/** The keys and values of a map in their order. */
function partsOf(map: readonly Value<"ScMapEntry">[] | null): readonly ScVal[] | null {
  return map === null ? null : map.flatMap(({ key, val }) => [key, val]);
}

function rankOf(value: ScVal): Ordering | Uint8Array | null {
  switch (value.type) {
    case SCV.bool:
      return Number(value.b);
    case SCV.u32:
      return value.u32;
    case SCV.i32:
      return value.i32;
    case SCV.u64:
      return value.u64;
    case SCV.i64:
      return value.i64;
    case SCV.timepoint:
      return value.timepoint;
    case SCV.duration:
      return value.duration;
    case SCV.u128:
      return (value.u128.hi << 64n) | value.u128.lo;
    case SCV.i128:
      return (value.i128.hi << 64n) | value.i128.lo;
    case SCV.u256:
      return joined(value.u256);
    case SCV.i256:
      return joined(value.i256);
    case SCV.bytes:
      return value.bytes;
    case SCV.string:
      return value.str;
    case SCV.symbol:
      return value.sym;
    case SCV.address:
      return encodeBytes("ScVal", value);
    default:
      return null;
  }
}

function joined({ hiHi, hiLo, loHi, loLo }: Value<"UInt256Parts" | "Int256Parts">): bigint {
  return (hiHi << 192n) | (hiLo << 128n) | (loHi << 64n) | loLo;
}

/** The keys of the first map in the value, or in a value of it, whose keys are not in order. */
export function unorderedKeys(value: ScVal): readonly ScVal[] | null {
  const items =
    value.type === SCV.vec
      ? (value.vec ?? [])
      : value.type === SCV.map
        ? (partsOf(value.map) ?? [])
        : [];
  if (value.type === SCV.map) {
    const keys = (value.map ?? []).map(({ key }) => key);
    const isOrdered = keys.every((key, index) => {
      const before = keys[index - 1];
      const order = before === undefined ? -1 : compareScVals(before, key);
      return order === null || order < 0;
    });
    if (!isOrdered) return keys;
  }
  for (const item of items) {
    const unordered = unorderedKeys(item);
    if (unordered !== null) return unordered;
  }
  return null;
}
