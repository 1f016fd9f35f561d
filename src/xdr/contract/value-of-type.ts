// Makes a value of a type that a contract's specification describes, for runs that need any value
// of that type.

import { SCV } from "../reader/scval-type.ts";
import { decode, encode, utf8, type Value } from "../reader/value.ts";
import { integerValue } from "../values/value-parts.ts";
import type { ContractSpec, SpecField, SpecType } from "./contract-spec.ts";

type ScVal = Value<"ScVal">;

const MOST_DEPTH = 6;
/** What is published is not stored. */
const EVENT = "Event";
const encoded = new TextEncoder();

/**
 * Returns an ScVal with numbers of 1, and without elements. `addressXdr` is the ScVal of every
 * address. Null if the type has no value that is known to fit.
 */
export function valueOfType(type: SpecType, spec: ContractSpec, addressXdr: string): string | null {
  const value = made(type, 0);
  return value && encode("ScVal", value);

  function made(of: SpecType, depth: number): ScVal | null {
    if (depth > MOST_DEPTH) return null;
    switch (of.kind) {
      case "plain":
        return plain(of.name);
      case "bytes":
        return { type: SCV.bytes, bytes: new Uint8Array(of.size) };
      case "option":
        return { type: SCV.void };
      case "vec":
        return { type: SCV.vec, vec: [] };
      case "map":
        return { type: SCV.map, map: [] };
      case "tuple":
        return sequence(of.elements, depth);
      case "result":
        return made(of.ok, depth + 1);
      case "named":
        return named(of.name, depth);
    }
  }

  function plain(name: string): ScVal | null {
    const number = integerValue(name, 1n);
    if (number !== null) return decode("ScVal", number);
    switch (name) {
      case "bool":
        return { type: SCV.bool, b: true };
      case "address":
        return addressXdr === "" ? null : decode("ScVal", addressXdr);
      case "symbol":
        return { type: SCV.symbol, sym: encoded.encode("a") };
      case "string":
        return { type: SCV.string, str: encoded.encode("a") };
      case "bytes":
        return { type: SCV.bytes, bytes: new Uint8Array(0) };
      case "void":
        return { type: SCV.void };
      default:
        return null;
    }
  }

  function named(name: string, depth: number): ScVal | null {
    const known = spec.types.get(name);
    switch (known?.kind) {
      case "struct":
        return isTuple(known.fields)
          ? sequence(
              known.fields.map(({ type: each }) => each),
              depth,
            )
          : struct(known.fields, depth);
      case "union": {
        const [first] = known.cases;
        const parts = first && sequence(first[1], depth);
        if (!first || parts?.type !== SCV.vec) return null;
        const sym: ScVal = { type: SCV.symbol, sym: encoded.encode(first[0]) };
        return { type: SCV.vec, vec: [sym, ...(parts.vec ?? [])] };
      }
      case "enum": {
        const [first] = known.cases;
        return first === undefined ? null : { type: SCV.u32, u32: first.value };
      }
      default:
        return null;
    }
  }

  function sequence(types: readonly SpecType[], depth: number): ScVal | null {
    const vec = types.flatMap((each) => made(each, depth + 1) ?? []);
    return vec.length < types.length ? null : { type: SCV.vec, vec };
  }

  function struct(fields: readonly SpecField[], depth: number): ScVal | null {
    // The host orders the keys of a map.
    const inOrder = fields.toSorted((left, right) => (left.name < right.name ? -1 : 1));
    const map = inOrder.flatMap(({ name, type: each }) => {
      const val = made(each, depth + 1);
      return val === null ? [] : [{ key: { type: SCV.symbol, sym: encoded.encode(name) }, val }];
    });
    return map.length < fields.length ? null : { type: SCV.map, map: map as never };
  }
}

/** The fields of a struct without names have their positions as names. */
function isTuple(fields: readonly SpecField[]): boolean {
  return fields.length > 0 && fields.every(({ name }) => /^\d+$/.test(name));
}

/** Returns the structs of the specification; those with a name like that of a key come first. */
export function structsLike(keyScValXdr: string, spec: ContractSpec): readonly string[] {
  const key = decode("ScVal", keyScValXdr);
  const [first = key] = (key.type === SCV.vec && key.vec) || [];
  const name = first.type === SCV.symbol ? utf8(first.sym).toLowerCase() : "";
  const rank = (of: string) => {
    const lower = of.toLowerCase();
    return lower === name
      ? 0
      : name !== "" && (lower.includes(name) || name.includes(lower))
        ? 1
        : 2;
  };
  const structs = [...spec.types.values()].flatMap((type) =>
    type.kind === "struct" && !type.name.endsWith(EVENT) ? type.name : [],
  );
  return structs.toSorted((left, right) => rank(left) - rank(right));
}
