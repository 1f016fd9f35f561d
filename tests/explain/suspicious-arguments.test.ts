// What is suspicious of an argument is a fact about its value and its type, for every integer.

import { describe, expect, test } from "bun:test";
import { ScVal } from "@stellar/stellar-sdk/xdr";
import fc from "fast-check";
import { suspiciousArguments } from "../../src/explain/causes/suspicious-arguments.ts";
import type { CallNode } from "../../src/model/execution.ts";
import type { SpecType } from "../../src/xdr/contract/contract-spec.ts";
import type { ContractLookup } from "../../src/xdr/contract/contract-specs.ts";
import { showValue } from "../../src/xdr/values/value.ts";
import { integerValue } from "../../src/xdr/values/value-parts.ts";

const TYPES = ["u32", "i32", "u64", "i64", "u128", "i128", "u256", "i256"] as const;
type IntegerType = (typeof TYPES)[number];

function boundsOf(type: IntegerType): readonly [bigint, bigint] {
  const bits = BigInt(type.slice(1));
  if (type.startsWith("u")) return [0n, 2n ** bits - 1n];
  return [-(2n ** (bits - 1n)), 2n ** (bits - 1n) - 1n];
}

function scvalOf(type: IntegerType, value: bigint): string {
  const json = /32$/.test(type) ? Number(value) : value.toString();
  return ScVal.fromJson({ [type]: json } as never).toXdr("base64");
}

const plain = (name: string): SpecType => ({ kind: "plain", name });

/** The suspicious values of a call `f(a, b, …)` with these types and values. */
function suspected(given: readonly (readonly [SpecType, string])[]): readonly string[] {
  const inputs = given.map(([type], i) => ({ name: "abc"[i] ?? "", type }));
  const f = { name: "f", inputs, output: null };
  const spec = { functions: new Map([["f", f]]), types: new Map(), errors: [], events: [] };
  const facts = { wasmHash: "", spec, requiresOwnArguments: true, token: null };
  const lookup: ContractLookup = () => facts;
  const call: CallNode = {
    kind: "invoke",
    contract: "C",
    function: "f",
    argumentsXdr: given.map(([, value]) => value),
    resultXdr: null,
    failed: true,
    cpuInstructions: "0",
    memoryBytes: "0",
    calls: [],
  };
  return suspiciousArguments({ call, lookup });
}

const integer = fc.constantFrom(...TYPES).chain((type) => {
  const [least, most] = boundsOf(type);
  const special = fc.constantFrom(...new Set([least, 0n, 1n, most]));
  const any = fc.bigInt({ min: least, max: most });
  return fc.record({ type: fc.constant(type), value: fc.oneof(special, any) });
});

describe("suspicious arguments", () => {
  test("are the ends of a type and 0, and no other number alone", () => {
    fc.assert(
      fc.property(integer, ({ type, value }) => {
        const [least, most] = boundsOf(type);
        const given = scvalOf(type, value);
        const isSuspect = value === most || value === least || value === 0n;
        expect(suspected([[plain(type), given]])).toEqual(isSuspect ? [given] : []);
      }),
    );
  });

  test("are two of a type whose sum does not fit it", () => {
    fc.assert(
      fc.property(integer, fc.bigInt({ min: 0n, max: 2n ** 256n }), ({ type, value }, seed) => {
        const [least, most] = boundsOf(type);
        const other = least + (seed % (most - least + 1n));
        const of = (number: bigint) => [plain(type), scvalOf(type, number)] as const;
        const sum = value + other;
        const isBeyond = sum < least || sum > most;
        const isSpecial = (number: bigint) => [least, 0n, most].includes(number);
        const found = suspected([of(value), of(other)]);
        if (isBeyond) expect(found).not.toEqual([]);
        else if (!isSpecial(value) && !isSpecial(other)) expect(found).toEqual([]);
      }),
    );
  });

  test("are empty lists, and nothing of another type than declared", () => {
    const list: SpecType = { kind: "vec", element: plain("u32") };
    const empty = ScVal.fromJson({ vec: [] } as never).toXdr("base64");
    expect(suspected([[list, empty]])).toEqual([empty]);
    expect(suspected([[plain("u32"), scvalOf("i32", 0n)]])).toEqual([]);
    expect(
      suspected([[plain("symbol"), ScVal.fromJson({ symbol: "x" } as never).toXdr("base64")]]),
    ).toEqual([]);
  });

  test("another integer is an ScVal of its type", () => {
    fc.assert(
      fc.property(integer, ({ type, value }) => {
        expect(integerValue(type, value)).toBe(scvalOf(type, value));
        expect(showValue(integerValue(type, value) ?? "")).toBe(`${value}`);
      }),
    );
    for (const [type, [least, most]] of TYPES.map((each) => [each, boundsOf(each)] as const))
      for (const none of [least - 1n, most + 1n]) expect(integerValue(type, none)).toBeNull();
    for (const type of ["timepoint", "duration"]) {
      const json = ScVal.fromJson({ [type]: "7" } as never).toXdr("base64");
      expect(integerValue(type, 7n)).toBe(json);
    }
    expect(integerValue("symbol", 1n)).toBeNull();
  });
});
