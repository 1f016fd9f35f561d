// How a value is named: a key that is a number, a part of what another contract returned, a number
// that was computed of much, and numbers beyond the end of a type.

import { expect, test } from "bun:test";
import { conditionInWords, conditionsInWords } from "../../src/explain/naming/condition-words.ts";
import { type TermScope, termShown } from "../../src/explain/naming/term-names.ts";
import type { Term } from "../../src/model/why.ts";
import type { ContractSpec, SpecDefinition } from "../../src/xdr/contract/contract-spec.ts";
import { SCV } from "../../src/xdr/reader/scval-type.ts";
import { encode } from "../../src/xdr/reader/value.ts";
import { integerValue } from "../../src/xdr/values/value-parts.ts";

/** The words alone, without their marks. */
const shown = (...of: Parameters<typeof termShown>) => termShown(...of)?.text ?? null;
const held = (...of: Parameters<typeof conditionInWords>) => conditionInWords(...of)?.text ?? null;

const CASE = { name: "ReserveA", doc: "", value: 3 };
const scopeOf = (...types: SpecDefinition[]): TermScope => {
  const known = new Map(types.map((type) => [type.name, type]));
  const spec: ContractSpec = { functions: new Map(), types: known, errors: [], events: [] };
  return { lookup: () => null, spec, function: "call" };
};
const NO_TYPES = scopeOf();
const keyXdr = integerValue("u32", 3n) ?? "";
const stored: Term = { kind: "storage", keyXdr, durability: "instance", number: "10" };
const argument: Term = { kind: "argument", index: 0, number: "7" };

test("a key that is a number is an entry, or the case of the only enum of keys", () => {
  const keys = { kind: "enum", name: "DataKey", cases: [CASE] } as const;
  expect(shown(stored, NO_TYPES)).toBe("entry 3 (10, instance storage)");
  expect(shown(stored, scopeOf(keys))).toBe("ReserveA (10, instance storage)");
  const others = [
    { ...keys, name: "OtherKey" },
    { ...keys, name: "Status" },
  ] as const;
  expect(shown(stored, scopeOf(keys, others[0]))).toBe("entry 3 (10, instance storage)");
  expect(shown(stored, scopeOf(others[1]))).toBe("entry 3 (10, instance storage)");
});

test("an absent entry whose key is a number has the name of the key's case, or says its key", () => {
  const entry: Term = { kind: "entry", keyXdr, durability: "persistent" };
  const absent = (names: TermScope) => held({ relation: "absent", terms: [entry] }, names);
  expect(absent(NO_TYPES)).toBe("there is no entry with the key 3 in its persistent storage");
  expect(absent(scopeOf({ kind: "enum", name: "DataKey", cases: [CASE] }))).toBe(
    "there is no entry ReserveA in its persistent storage",
  );
});

test("of two absent entries of one storage neither is there", () => {
  const absent = (durability: string, ...keys: readonly bigint[]) =>
    keys.map((key) => ({
      relation: "absent",
      terms: [{ kind: "entry", keyXdr: integerValue("u32", key) ?? "", durability } as Term],
    }));
  const said = (...conditions: Parameters<typeof conditionsInWords>[0]) =>
    conditionsInWords(conditions, NO_TYPES)?.text;
  expect(said(...absent("instance", 1n, 2n))).toBe(
    "there is neither an entry with the key 1 nor an entry with the key 2 in its instance storage",
  );
  expect(said(...absent("temporary", 1n, 2n))).toBe(
    "there is neither a live entry with the key 1 nor a live entry with the key 2 in its temporary storage",
  );
  expect(said(...absent("instance", 1n), ...absent("persistent", 2n))).toBe(
    "there is no entry with the key 1 in its instance storage and there is no entry with the key 2 in its persistent storage",
  );
});

test("a part of a result is named before the result", () => {
  const result: Term = { kind: "result", name: "get_reserves", contract: "C1" };
  const element: Term = { kind: "element", index: 1, of: [result], number: "5" };
  expect(shown(element, NO_TYPES)).toBe("element 1 of the result of `get_reserves` of C1 (5)");
  const field: Term = { kind: "field", name: "a", of: [result] };
  expect(shown(field, NO_TYPES)).toBe("field a of the result of `get_reserves` of C1");
});

test("results of two calls of one function are told apart", () => {
  const result: Term = { kind: "result", name: "balance", contract: "C1", number: "5" };
  const terms = [result, { ...result, number: "7" }];
  expect(held({ relation: "less_or_equal", terms }, NO_TYPES)).toBe(
    "the result of `balance` of C1 (5) is not greater than that of another call (7)",
  );
  const other = { ...result, name: "supply", number: "7" };
  expect(held({ relation: "less", terms: [result, other] }, NO_TYPES)).toBe(
    "the result of `balance` of C1 (5) is less than the result of `supply` of C1 (7)",
  );
});

test("a computed number names what is known of its sources", () => {
  const unnamed: Term = { kind: "unnamed" };
  const made = (...of: Term[]): Term => ({ kind: "computed", number: "9", of });
  expect(shown(made(argument, argument), NO_TYPES)).toBe("9 (computed from its argument)");
  expect(shown(made(argument, unnamed), NO_TYPES)).toBe(
    "9 (computed from its argument, other values)",
  );
  expect(shown(made(unnamed), NO_TYPES)).toBeNull();
});

test("a number beyond the end of a type does not fit it", () => {
  const constant = (number: bigint): Term => ({ kind: "constant", number: `${number}` });
  const beyond = (relation: string, bound: bigint) =>
    held({ relation, terms: [argument, constant(bound)] }, NO_TYPES);
  const subject = "its argument (7, argument 1)";
  expect(beyond("greater", 2n ** 31n - 1n)).toBe(`${subject} does not fit an i32`);
  expect(beyond("less", -(2n ** 127n))).toBe(`${subject} does not fit an i128`);
  expect(beyond("greater", 2n ** 31n)).toBe(`${subject} is greater than 2147483648`);
  expect(beyond("less", 0n)).toBe(`${subject} is less than 0`);
  const outside = { relation: "outside", terms: [argument], values: ["0", `${2n ** 64n - 1n}`] };
  expect(held(outside, NO_TYPES)).toBe(`${subject} does not fit a u64`);
  expect(held({ ...outside, values: ["0", "7"] }, NO_TYPES)).toBe(`${subject} is not 0 to 7`);
});

test("a value that is the last one of its type is called so", () => {
  const last = (type: "u32" | "i64", own: bigint, constant = own) => {
    const valueXdr = integerValue(type, own) ?? "";
    const terms: Term[] = [
      { ...argument, valueXdr, number: `${own}` },
      { kind: "constant", number: `${constant}` },
    ];
    return held({ relation: "equal", terms }, NO_TYPES);
  };
  const subject = "its argument (argument 1) is";
  expect(last("u32", 2n ** 32n - 1n)).toBe(`${subject} 4294967295, the largest u32`);
  expect(last("i64", -(2n ** 63n))).toBe(`${subject} ${-(2n ** 63n)}, the lowest i64`);
  expect(last("u32", 0n)).toBe(`${subject} 0`);
  expect(last("u32", 4n, 2n ** 32n - 1n)).toBe(`${subject} 4294967295`);
});

test("what is added is not negative, and a constant without elements is said to be empty", () => {
  const constant: Term = { kind: "constant", number: "-1" };
  const computed: Term = { kind: "computed", operator: "+", number: "6", of: [argument, constant] };
  expect(shown(computed, NO_TYPES)).toBe("its argument (7, argument 1) − 1 = 6");
  const none: Term = { kind: "constant", valueXdr: encode("ScVal", { type: SCV.map, map: [] }) };
  const key: Term = { kind: "key", keyXdr, of: [none] };
  expect(held({ relation: "absent", terms: [key] }, NO_TYPES)).toBe(
    "it looked for the key 3 in an empty map",
  );
});
