// Stored values and the types of the next build: what decodes is never said not to, and each way in
// which a type can change is named at its place.

import { expect, test } from "bun:test";
import { misfitInWords } from "../../src/rehearsal/difference-words.ts";
import { type StoredType, storedTypesIn } from "../../src/rehearsal/stored-types.ts";
import type {
  ContractSpec,
  SpecDefinition,
  SpecType,
} from "../../src/xdr/contract/contract-spec.ts";
import { SCV } from "../../src/xdr/reader/scval-type.ts";
import type { Value } from "../../src/xdr/reader/value.ts";

type ScVal = Value<"ScVal">;

const plain = (name: string): SpecType => ({ kind: "plain", name });
const symbol = (text: string): ScVal => ({ type: SCV.symbol, sym: Buffer.from(text) });
const u32 = (value: number): ScVal => ({ type: SCV.u32, u32: value });
const u64 = (value: bigint): ScVal => ({ type: SCV.u64, u64: value });
const vec = (...values: ScVal[]): ScVal => ({ type: SCV.vec, vec: values });
const map = (fields: Readonly<Record<string, ScVal>>): ScVal => ({
  type: SCV.map,
  map: Object.entries(fields).map(([key, val]) => ({ key: symbol(key), val })),
});

function specOf(...types: readonly SpecDefinition[]): ContractSpec {
  const named = types.map((each) => [each.name, each] as const);
  return { functions: new Map(), types: new Map(named), errors: [], events: [] };
}

function struct(name: string, fields: Readonly<Record<string, SpecType>>): SpecDefinition {
  const list = Object.entries(fields).map(([field, type]) => ({ name: field, type }));
  return { kind: "struct", name, fields: list };
}

const union = (name: string, cases: Readonly<Record<string, readonly SpecType[]>>) =>
  ({ kind: "union", name, cases: new Map(Object.entries(cases)) }) as const;

const CONFIG = struct("Config", { limit: plain("u32"), open: plain("bool") });
const OPEN: ScVal = { type: SCV.bool, b: true } as unknown as ScVal;
const STORED = map({ limit: u32(5), open: OPEN });
const OLD = specOf(CONFIG);

/** Empty for a value that decodes. */
function wordsFor(stored: StoredType | undefined): string {
  return stored?.misfit ? misfitInWords(stored.misfit) : "";
}

test("a value decodes with the same types", () => {
  expect(storedTypesIn(STORED, OLD, OLD)).toEqual([{ type: "Config", misfit: null }]);
});

test.each([
  [
    struct("Config", { limit: plain("u32"), open: plain("bool"), step: plain("u32") }),
    "lacks the field step of Config",
  ],
  [struct("Config", { limit: plain("u32") }), "Config has no field open"],
  [
    struct("Config", { limit: plain("u64"), open: plain("bool") }),
    "field limit of Config: it is not a u64",
  ],
  [
    struct("Settings", { limit: plain("u32"), open: plain("bool") }),
    "the new code does not define the type Config",
  ],
] as const)("a struct that changed is named: %#", (next, misfit) => {
  const [stored] = storedTypesIn(STORED, OLD, specOf(next));
  expect(stored?.type).toBe("Config");
  expect(wordsFor(stored)).toContain(misfit);
});

test("a key's case that is gone, and one with other values", () => {
  const key = vec(symbol("Balance"), u32(7));
  const old = specOf(union("Key", { Balance: [plain("u32")], Admin: [] }));
  const misfitWith = (next: ContractSpec) => wordsFor(storedTypesIn(key, old, next)[0]);
  expect(misfitWith(old)).toBe("");
  expect(misfitWith(specOf(union("Key", { Admin: [] })))).toBe("Key has no case Balance");
  expect(misfitWith(specOf(union("Key", { Balance: [] })))).toContain("has 0 values, not 1");
});

test("types are found in lists and maps, and an equal form under another name is no misfit", () => {
  const inner = vec(STORED, STORED);
  expect(storedTypesIn(inner, OLD, OLD)).toHaveLength(2);
  const twins = specOf(CONFIG, { ...CONFIG, name: "Other" });
  // The value could be of either type, and one of them still decodes.
  const next = specOf({ ...CONFIG, name: "Other" });
  expect(storedTypesIn(STORED, twins, next)).toEqual([{ type: "Other", misfit: null }]);
});

test("a value with the form of no type says nothing", () => {
  for (const value of [u32(1), u64(1n), symbol("x"), vec(u32(1)), map({ limit: u32(1) })])
    expect(storedTypesIn(value, OLD, specOf())).toEqual([]);
});
