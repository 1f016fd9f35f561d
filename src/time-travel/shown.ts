// Values as trees that open a level at a time, with the names from a contract's specification.

import type { ContractSpec, SpecType } from "../xdr/contract/contract-spec.ts";
import { showSpecType } from "../xdr/contract/contract-spec.ts";
import { showTyped } from "../xdr/contract/value-typed.ts";
import { elementsOf, mapOf, plainOf } from "../xdr/values/value-parts.ts";
import type { Value } from "./expression.ts";

export interface Shown {
  readonly name: string;
  readonly value: string;
  /** The part that conditions compare, where it is not all of `value`. */
  readonly compared?: string;
  /** The value itself, where it is known: a symbol can be written as a number is. */
  readonly plain?: Value;
  readonly type?: string;
  readonly children?: () => Promise<readonly Shown[]>;
  /** Where it is in the memory of a frame's contract. */
  readonly memory?: { readonly frame: number; readonly address: number };
  /** The storage key that it stands for. */
  readonly watch?: string;
  /** Where it was given or written, where that is known without looking for it. */
  readonly origin?: ValueOrigin;
}

export interface ValueOrigin {
  /** `argument 2 of least`: a phrase. */
  readonly text: string;
  /** Null: before the transaction. */
  readonly moment: number | null;
}

const SHOWN_CHARACTERS = 400;
export const UNKNOWN = "(unknown)";

/** `xdr`: ScVal; null when it is unknown. */
export function shownValue(
  name: string,
  xdr: string | null,
  spec: ContractSpec | null,
  type: SpecType | null = null,
): Shown {
  if (xdr === null) return { name, value: UNKNOWN };
  const value = showTyped(xdr, type, spec, SHOWN_CHARACTERS);
  const plain = plainOf(xdr);
  const parts = partsOf(xdr, spec, type);
  const children = parts.length === 0 ? {} : { children: async () => parts.map((part) => part()) };
  const typed = type && { type: showSpecType(type) };
  return { name, value, ...(plain !== null && { plain }), ...typed, ...children };
}

function partsOf(xdr: string, spec: ContractSpec | null, type: SpecType | null): (() => Shown)[] {
  const definition = type?.kind === "named" ? spec?.types.get(type.name) : undefined;
  const fieldType = (name: string) =>
    definition?.kind === "struct"
      ? (definition.fields.find((field) => field.name === name)?.type ?? null)
      : null;
  const map = mapOf(xdr);
  if (map !== null)
    return map.map(([key, value]) => () => {
      const name = showTyped(key, null, spec, 80);
      return shownValue(name, value, spec, fieldType(name));
    });
  const element = type?.kind === "vec" ? type.element : null;
  return (elementsOf(xdr) ?? []).map(
    (value, index) => () => shownValue(`[${index}]`, value, spec, element),
  );
}

/** A group of values under one name. */
export function group(name: string, value: string, list: readonly Shown[]): Shown {
  return { name, value, ...(list.length > 0 && { children: async () => list }) };
}
