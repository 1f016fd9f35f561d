// Turns plain JSON into an ScVal's JSON of SEP-51, with the types of the contract's specification:
// `100` becomes an i128 if the type is i128, and an object with the field names becomes a struct.
// Numbers that a JSON number cannot hold are written as text.

import { utf8Bytes } from "../../base/bytes.ts";
import { isJsonObject } from "../../base/json-object.ts";
import { addressHint, decodeStrkey, type StrkeyKind } from "../../base/text/strkey.ts";
import { fromJson, NotWritten } from "../reader/from-json.ts";
import { escaped, type Json } from "../reader/to-json.ts";
import { compareScVals } from "../values/map-order.ts";
import type { ContractSpec, SpecDefinition, SpecType } from "./contract-spec.ts";
import { showSpecType } from "./contract-spec.ts";

const MAXIMUM_DEPTH = 32;

/** `at` names the value in errors, which are complete sentences. Throws NotWritten. */
export function typedToJson(
  written: unknown,
  type: SpecType,
  spec: ContractSpec | null,
  at: string,
  depth = 0,
): Json {
  if (depth > MAXIMUM_DEPTH) throw new NotWritten(`${at} is nested too deeply`);
  const below = (value: unknown, of: SpecType, where: string) =>
    typedToJson(value, of, spec, `${at}${where}`, depth + 1);
  const elements = (items: readonly unknown[], typeAt: (i: number) => SpecType) =>
    items.map((item, i) => below(item, typeAt(i), `[${i}]`));
  switch (type.kind) {
    case "option":
      return written === null ? "void" : below(written, type.element, "");
    case "vec":
      if (!Array.isArray(written)) throw misfit(at, type, "a list");
      return { vec: elements(written, () => type.element) };
    case "tuple": {
      const { elements: types } = type;
      if (!Array.isArray(written) || written.length !== types.length)
        throw misfit(at, type, `a list of ${types.length}`);
      return { vec: elements(written, (i) => types[i] as SpecType) };
    }
    case "map":
      return { map: mapEntries(written, type, at, below) };
    case "bytes":
      return { bytes: hexOf(written, type, at, type.size) };
    case "named": {
      const definition = spec?.types.get(type.name);
      if (definition === undefined) throw unwritable(at, type);
      return defined(written, definition, type, at, below);
    }
    case "plain":
      return plain(written, type.name, type, at);
    default:
      throw unwritable(at, type);
  }
}

/** Writes a value within another. `where` is the step to it, such as `.amount` or `[0]`. */
type WriteWithin = (value: unknown, type: SpecType, where: string) => Json;

function defined(
  written: unknown,
  definition: SpecDefinition,
  type: SpecType,
  at: string,
  below: WriteWithin,
): Json {
  switch (definition.kind) {
    case "struct":
      return struct(written, definition, type, at, below);
    case "union":
      return union(written, definition, type, at, below);
    case "enum":
    case "error": {
      const specCase = definition.cases.find(
        ({ name, value }) => written === name || written === value,
      );
      if (specCase === undefined)
        throw misfit(at, type, `one of ${definition.cases.map(({ name }) => name).join(", ")}`);
      return definition.kind === "enum"
        ? { u32: specCase.value }
        : { error: { contract: specCase.value } };
    }
  }
}

/**
 * A struct with the fields `0`, `1`, … is a tuple. Any other struct is a map sorted by field name.
 */
function struct(
  written: unknown,
  { fields }: SpecDefinition & { kind: "struct" },
  type: SpecType,
  at: string,
  below: WriteWithin,
): Json {
  const isTuple = fields.every(({ name }, i) => name === String(i));
  if (isTuple && fields.length > 0) {
    if (!Array.isArray(written) || written.length !== fields.length)
      throw misfit(at, type, `a list of ${fields.length}`);
    return { vec: fields.map((field, i) => below(written[i], field.type, `[${i}]`)) };
  }
  const names = fields.map(({ name }) => name);
  if (!isJsonObject(written) || Object.keys(written).sort().join() !== [...names].sort().join())
    throw misfit(at, type, `an object with exactly ${names.join(", ")}`);
  const sorted = [...fields].sort((a, b) => (a.name < b.name ? -1 : 1));
  return {
    map: sorted.map((field) => ({
      key: { symbol: field.name },
      val: below(written[field.name], field.type, `.${field.name}`),
    })),
  };
}

/** Accepts `"Name"`, `{"Name": value}`, or `{"Name": [values]}` for a case with several values. */
function union(
  written: unknown,
  { cases }: SpecDefinition & { kind: "union" },
  type: SpecType,
  at: string,
  below: WriteWithin,
): Json {
  const [name, held] = isJsonObject(written) ? (Object.entries(written)[0] ?? []) : [written, []];
  const types = typeof name === "string" ? cases.get(name) : undefined;
  if (types === undefined || (isJsonObject(written) && Object.keys(written).length !== 1))
    throw misfit(at, type, `one of ${[...cases.keys()].join(", ")}`);
  const values = types.length === 1 ? [held] : held;
  if (!Array.isArray(values) || values.length !== types.length)
    throw misfit(at, type, `${name} with ${types.length} values`);
  return {
    vec: [
      { symbol: name as string },
      ...types.map((of, i) => below(values[i], of, `.${name}[${i}]`)),
    ],
  };
}

/** Accepts an object if the keys are texts, or a list of pairs. The result has the host's order. */
function mapEntries(
  written: unknown,
  type: SpecType & { kind: "map" },
  at: string,
  below: WriteWithin,
): Json[] {
  const pairs = isJsonObject(written) ? Object.entries(written) : written;
  if (!Array.isArray(pairs) || !pairs.every((pair) => Array.isArray(pair) && pair.length === 2))
    throw misfit(at, type, "an object, or a list of pairs");
  return pairs
    .map(([writtenKey, value], i) => {
      const key = below(writtenKey, type.key, `[${i}] key`);
      const entry = { key, val: below(value, type.value, `[${i}]`) };
      return { entry, scVal: fromJson("ScVal", key) };
    })
    .toSorted((left, right) => compareScVals(left.scVal, right.scVal) ?? 0)
    .map(({ entry }) => entry);
}

/** The bits of each type; negative for a type with a sign. */
const INTEGERS: Readonly<Record<string, number>> = {
  u32: 32,
  i32: -32,
  u64: 64,
  i64: -64,
  timepoint: 64,
  duration: 64,
  u128: 128,
  i128: -128,
  u256: 256,
  i256: -256,
};

/**
 * The addresses that a contract accepts for each type. The host refuses all others (CAP-67,
 * CAP-84).
 */
const ADDRESSES: Readonly<Record<string, { kinds: readonly StrkeyKind[]; expectedForm: string }>> =
  {
    address: { kinds: ["account", "contract"], expectedForm: "an address (G… or C…)" },
    muxed_address: {
      kinds: ["account", "contract", "muxed", "muxed-contract"],
      expectedForm: "an address (G…, C…, M… or W…)",
    },
  };

function plain(written: unknown, name: string, type: SpecType, at: string): Json {
  if (name === "bool") {
    if (typeof written !== "boolean") throw misfit(at, type, "true or false");
    return { bool: written };
  }
  const bits = INTEGERS[name];
  if (bits !== undefined) return { [name]: integer(written, bits, type, at) };
  if (name === "bytes") return { bytes: hexOf(written, type, at, null) };
  if (name === "void") {
    if (written !== null) throw misfit(at, type, "null");
    return "void";
  }
  // A value of any type says its own type, in the form of SEP-51.
  if (name === "val" && typeof written === "object" && written !== null) return written as Json;
  if (typeof written !== "string") throw misfit(at, type, name === "val" ? SELF_TYPED : "text");
  if (name === "symbol" && !SYMBOL.test(written))
    throw misfit(at, type, "at most 32 letters, digits and underscores");
  if (name === "string" || name === "symbol") return { [name]: escaped(utf8Bytes(written)) };
  const taken = ADDRESSES[name];
  if (taken === undefined) throw unwritable(at, type);
  const kind = decodeStrkey(written)?.kind;
  if (kind === undefined || !taken.kinds.includes(kind))
    throw misfit(at, type, `${taken.expectedForm}${addressHint(written)}`);
  return { address: written };
}

/** The host refuses any other text. */
const SYMBOL = /^\w{0,32}$/;
const SELF_TYPED = 'a value with its type, such as {"u32": 5}';

function integer(written: unknown, bits: number, type: SpecType, at: string): Json {
  const isWhole = typeof written === "number" && Number.isSafeInteger(written);
  const isDigits = typeof written === "string" && /^-?\d{1,78}$/.test(written);
  if (!isWhole && !isDigits) throw misfit(at, type, "a whole number, or its digits as text");
  const most = bits < 0 ? 2n ** BigInt(-bits - 1) - 1n : 2n ** BigInt(bits) - 1n;
  const least = bits < 0 ? -most - 1n : 0n;
  const value = BigInt(written);
  if (value < least || value > most)
    throw new NotWritten(
      `${at} has type ${showSpecType(type)}; ${written} is too ${value > most ? "large" : "small"}`,
    );
  return Math.abs(bits) === 32 ? Number(written) : String(written);
}

function hexOf(written: unknown, type: SpecType, at: string, size: number | null): string {
  const isHex = typeof written === "string" && /^(?:[0-9a-fA-F]{2})*$/.test(written);
  if (!isHex || (size !== null && written.length !== 2 * size))
    throw misfit(at, type, `${size === null ? "" : `${size} bytes in `}hexadecimal text`);
  return written.toLowerCase();
}

function misfit(at: string, type: SpecType, expectedForm: string): NotWritten {
  return new NotWritten(`${at} has type ${showSpecType(type)} and must be ${expectedForm}`);
}

function unwritable(at: string, type: SpecType): NotWritten {
  return new NotWritten(
    `${at} has type ${showSpecType(type)}: write it as {"scval": …} or {"xdr": "…"}`,
  );
}
