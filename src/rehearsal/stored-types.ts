// The check that a contract's stored values still decode with the types of its next build. A stored
// value does not name its type. It counts as a value of a type of the old build only if all its
// parts have that type's form. If several types fit, it is reported only if none decodes.

import { neutralise } from "../base/text/neutralise.ts";
import type { ContractSpec, SpecDefinition, SpecType } from "../xdr/contract/contract-spec.ts";
import { showSpecType } from "../xdr/contract/contract-spec.ts";
import { SCV } from "../xdr/reader/scval-type.ts";
import { utf8, type Value } from "../xdr/reader/value.ts";

type ScVal = Value<"ScVal">;

const MAXIMUM_DEPTH = 12;
/** A hostile map could name the same types again and again. */
const MOST_VALUES = 10_000;

export interface StoredType {
  /** The name of the type in the old build. */
  readonly type: string;
  /** Why the value does not decode with the new build; null if it does. */
  readonly misfit: StoredMisfit | null;
}

/** Where a value does not have a type, and why. */
export interface StoredMisfit {
  /** From the outside in; empty if it is the value itself. */
  readonly at: readonly MisfitPlace[];
  readonly fault: MisfitFault;
}

export interface MisfitPlace {
  readonly part: "field" | "case" | "element";
  /** The name of the field or case, or the number of the element from 0. */
  readonly name: string;
  readonly type: string;
}

export type MisfitFault =
  | { readonly kind: "other-type"; readonly type: string }
  /** The new code does not define the type. */
  | { readonly kind: "type-gone"; readonly type: string }
  | { readonly kind: "case-gone"; readonly type: string; readonly case: string }
  /** A case with another number of values than the type has. */
  | {
      readonly kind: "case-size";
      readonly type: string;
      readonly case: string;
      readonly stored: number;
      readonly declared: number;
    }
  | { readonly kind: "field-missing"; readonly type: string; readonly field: string }
  /** The value has a field that the type lacks. Null if its key is not a name. */
  | { readonly kind: "field-gone"; readonly type: string; readonly field: string | null };

/** The types in a stored key or value that the old build defines, with how they fit the new one. */
export function storedTypesIn(value: ScVal, old: ContractSpec, next: ContractSpec): StoredType[] {
  const stored: StoredType[] = [];
  const pending = [value];
  for (let count = 0; count < MOST_VALUES; count += 1) {
    const current = pending.pop();
    if (current === undefined) break;
    const types = [...old.types.values()].filter(
      (definition) =>
        (definition.kind === "struct" || definition.kind === "union") &&
        misfitOf(current, named(definition.name), old) === null,
    );
    if (types.length > 0) stored.push(best(current, types, next));
    else if (current.type === SCV.vec) pending.push(...(current.vec ?? []));
    else if (current.type === SCV.map)
      for (const { key, val } of current.map ?? []) pending.push(key, val);
  }
  return stored;
}

const named = (name: string): SpecType => ({ kind: "named", name });

/** The type that still decodes, or else the first. */
function best(value: ScVal, types: readonly SpecDefinition[], next: ContractSpec): StoredType {
  const all = types.map(({ name }): StoredType => {
    const type = neutralise(name);
    return next.types.has(name)
      ? { type, misfit: misfitOf(value, named(name), next) }
      : { type, misfit: faulty({ kind: "type-gone", type }) };
  });
  const [first] = all;
  return all.find(({ misfit }) => misfit === null) ?? (first as StoredType);
}

/** Null if the value has the type. */
function misfitOf(
  value: ScVal,
  type: SpecType,
  spec: ContractSpec,
  depth = 0,
): StoredMisfit | null {
  if (depth > MAXIMUM_DEPTH) return null;
  const each = (values: readonly ScVal[], typeAt: (index: number) => SpecType) =>
    first(values.map((inner, index) => () => misfitOf(inner, typeAt(index), spec, depth + 1)));
  switch (type.kind) {
    case "plain":
      return isPlain(value, type.name) ? null : expected(type);
    case "bytes":
      return value.type === SCV.bytes && value.bytes.length === type.size ? null : expected(type);
    case "option":
      return value.type === SCV.void ? null : misfitOf(value, type.element, spec, depth + 1);
    case "vec": {
      const values = elementsOf(value);
      return values === null ? expected(type) : each(values, () => type.element);
    }
    case "tuple": {
      const values = elementsOf(value);
      if (values?.length !== type.elements.length) return expected(type);
      return each(values, (index) => type.elements[index] as SpecType);
    }
    case "map": {
      if (value.type !== SCV.map || value.map === null) return expected(type);
      const pairs = value.map.flatMap(({ key, val }) => [key, val]);
      return each(pairs, (index) => (index % 2 === 0 ? type.key : type.value));
    }
    case "result":
      return null;
    case "named": {
      const definition = spec.types.get(type.name);
      if (definition === undefined)
        return faulty({ kind: "type-gone", type: neutralise(type.name) });
      return definedMisfit(value, definition, spec, depth);
    }
  }
}

function definedMisfit(
  value: ScVal,
  definition: SpecDefinition,
  spec: ContractSpec,
  depth: number,
): StoredMisfit | null {
  const name = neutralise(definition.name);
  const within =
    (part: MisfitPlace["part"], partName: string, inner: ScVal, type: SpecType) => () => {
      const misfit = misfitOf(inner, type, spec, depth + 1);
      const place = { part, name: partName, type: name };
      return misfit === null ? null : { ...misfit, at: [place, ...misfit.at] };
    };
  const other = faulty({ kind: "other-type", type: name });
  switch (definition.kind) {
    case "enum": {
      const number = value.type === SCV.u32 ? value.u32 : null;
      const isCase = definition.cases.some((each) => each.value === number);
      if (number === null) return other;
      return isCase ? null : faulty({ kind: "case-gone", type: name, case: String(number) });
    }
    case "error":
      return value.type === SCV.error || value.type === SCV.u32 ? null : other;
    case "union": {
      const [head, ...inner] = elementsOf(value) ?? [];
      const symbol = symbolOf(head);
      const types = definition.cases.get(symbol ?? "");
      if (symbol === null) return other;
      if (types === undefined) return faulty({ kind: "case-gone", type: name, case: symbol });
      const [stored, declared] = [inner.length, types.length];
      if (declared !== stored)
        return faulty({ kind: "case-size", type: name, case: symbol, stored, declared });
      return first(
        inner.map((each, index) => within("case", symbol, each, types[index] as SpecType)),
      );
    }
    case "struct": {
      const { fields } = definition;
      // The fields of a tuple struct are numbers.
      if (fields.length > 0 && fields.every((field, index) => field.name === String(index))) {
        const values = elementsOf(value);
        if (values?.length !== fields.length) return other;
        return first(
          values.map((each, i) => within("element", String(i), each, fields[i]?.type as SpecType)),
        );
      }
      if (value.type !== SCV.map || value.map === null) return other;
      const values = new Map(value.map.map(({ key, val }) => [symbolOf(key), val]));
      const extra = [...values.keys()].find((key) => !fields.some((field) => field.name === key));
      const missing = fields.find((field) => !values.has(field.name));
      if (missing !== undefined)
        return faulty({ kind: "field-missing", type: name, field: neutralise(missing.name) });
      if (extra !== undefined) return faulty({ kind: "field-gone", type: name, field: extra });
      return first(
        fields.map((field) =>
          within("field", neutralise(field.name), values.get(field.name) as ScVal, field.type),
        ),
      );
    }
  }
}

function first(checks: readonly (() => StoredMisfit | null)[]): StoredMisfit | null {
  for (const check of checks) {
    const misfit = check();
    if (misfit !== null) return misfit;
  }
  return null;
}

function expected(type: SpecType): StoredMisfit {
  return faulty({ kind: "other-type", type: showSpecType(type) });
}

function faulty(fault: MisfitFault): StoredMisfit {
  return { at: [], fault };
}

/** The SCValType of each plain specification type. */
const KINDS: Readonly<Record<string, number>> = SCV;

function isPlain(value: ScVal, name: string): boolean {
  if (name === "muxed_address") return value.type === SCV.address;
  const kind = KINDS[name];
  return kind === undefined || value.type === kind;
}

function elementsOf(value: ScVal): readonly ScVal[] | null {
  return value.type === SCV.vec ? value.vec : null;
}

function symbolOf(value: ScVal | undefined): string | null {
  return value?.type === SCV.symbol ? neutralise(utf8(value.sym)) : null;
}
