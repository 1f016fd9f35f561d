// The order of keys in a bucket, compared with an order that is written down once more: numbers by
// their value, bytes by their contents, lists by their first difference, and a union by its case first
// (stellar-core, LedgerCmp.h).

import { expect, test } from "bun:test";
import fc from "fast-check";
import { compareKeys } from "../../src/history-archive/key-order.ts";
import { ENTRY_TYPE } from "../../src/xdr/reader/keys.ts";
import { SCV } from "../../src/xdr/reader/scval-type.ts";
import { encodeBytes, type Value } from "../../src/xdr/reader/value.ts";

/** The rank of a value in the order. Lists are compared part by part; a shorter one is first. */
type Rank = number | bigint | Uint8Array | readonly Rank[];

function inOrder(left: Rank, right: Rank): number {
  if (left instanceof Uint8Array && right instanceof Uint8Array)
    return inOrder([...left], [...right]);
  if (Array.isArray(left) && Array.isArray(right)) {
    for (const [at, part] of left.entries()) {
      if (at >= right.length) return 1;
      const order = inOrder(part, right[at] as Rank);
      if (order !== 0) return order;
    }
    return left.length - right.length;
  }
  return left < right ? -1 : left > right ? 1 : 0;
}

interface Ranked {
  readonly value: Value<"ScVal">;
  readonly rank: Rank;
}

const ranked = (value: object, rank: Rank): Ranked => ({ value: value as Value<"ScVal">, rank });
const few = (bits: number, isSigned: boolean) =>
  fc.bigInt(
    isSigned
      ? { min: -(2n ** BigInt(bits - 1)), max: 2n ** BigInt(bits - 1) - 1n }
      : { min: 0n, max: 2n ** BigInt(bits) - 1n },
  );
const bytes = fc.uint8Array({ maxLength: 5, max: 3 });
const id = fc.uint8Array({ minLength: 1, maxLength: 1, max: 2 }).map(([first = 0]) => {
  const whole = new Uint8Array(32);
  whole[31] = first;
  return whole;
});

const { value: scVals } = fc.letrec<{ value: Ranked }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.boolean().map((b) => ranked({ type: SCV.bool, b }, [SCV.bool, Number(b)])),
    few(32, false).map((n) => ranked({ type: SCV.u32, u32: Number(n) }, [SCV.u32, n])),
    few(32, true).map((n) => ranked({ type: SCV.i32, i32: Number(n) }, [SCV.i32, n])),
    few(64, false).map((n) => ranked({ type: SCV.u64, u64: n }, [SCV.u64, n])),
    few(64, true).map((n) => ranked({ type: SCV.i64, i64: n }, [SCV.i64, n])),
    fc
      .tuple(few(64, true), few(64, false))
      .map(([hi, lo]) => ranked({ type: SCV.i128, i128: { hi, lo } }, [SCV.i128, [hi, lo]])),
    bytes.map((each) => ranked({ type: SCV.bytes, bytes: each }, [SCV.bytes, each])),
    bytes.map((each) => ranked({ type: SCV.string, str: each }, [SCV.string, each])),
    id.map((contractId) =>
      ranked({ type: SCV.address, address: { type: 1, contractId } }, [
        SCV.address,
        [1, contractId],
      ]),
    ),
    fc.constant(ranked({ type: SCV.vec, vec: null }, [SCV.vec, [0]])),
    fc
      .array(tie("value"), { maxLength: 3 })
      .map((list) =>
        ranked({ type: SCV.vec, vec: list.map(({ value }) => value) }, [
          SCV.vec,
          [1, list.map(({ rank }) => rank)],
        ]),
      ),
    fc
      .array(fc.tuple(tie("value"), tie("value")), { maxLength: 2 })
      .map((list) =>
        ranked(
          { type: SCV.map, map: list.map(([key, val]) => ({ key: key.value, val: val.value })) },
          [SCV.map, [1, list.map(([key, val]) => [key.rank, val.rank])]],
        ),
      ),
  ),
}));

const keys = fc
  .record({ contractId: id, scVal: scVals, durability: fc.constantFrom(0, 1) })
  .map(({ contractId, scVal, durability }) => ({
    key: encodeBytes("LedgerKey", {
      type: ENTRY_TYPE.contractData,
      contractData: { contract: { type: 1, contractId }, key: scVal.value, durability },
    } as never),
    rank: [[1, contractId], scVal.rank, durability] as Rank,
  }));

test("keys of contract data are in the order of their parts", () => {
  const orders = new Set<number>();
  fc.assert(
    fc.property(keys, keys, (left, right) => {
      const order = Math.sign(compareKeys(left.key, right.key));
      orders.add(order);
      expect(order).toBe(Math.sign(inOrder(left.rank, right.rank)));
      expect(Math.sign(compareKeys(right.key, left.key))).toBe(order === 0 ? 0 : -order);
      expect(compareKeys(left.key, left.key)).toBe(0);
    }),
    { numRuns: 2_000 },
  );
  expect(orders.size).toBeGreaterThan(1);
});

test("keys that are the same up to one part are in the order of that part", () => {
  fc.assert(
    fc.property(scVals, scVals, scVals, (first, left, right) => {
      const listOf = (...parts: readonly Ranked[]) => {
        const vec = parts.map(({ value }) => value);
        const key = { type: SCV.vec, vec };
        const contract = { type: 1, contractId: new Uint8Array(32) };
        return encodeBytes("LedgerKey", {
          type: ENTRY_TYPE.contractData,
          contractData: { contract, key, durability: 1 },
        } as never);
      };
      const order = Math.sign(inOrder(left.rank, right.rank));
      expect(Math.sign(compareKeys(listOf(first, left), listOf(first, right)))).toBe(order);
      expect(compareKeys(listOf(first), listOf(first, left))).toBeLessThan(0);
    }),
    { numRuns: 2_000 },
  );
});
