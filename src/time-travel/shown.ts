// Values as trees that open one level at a time, with the names from a contract's specification.

import type { ContractSpec, SpecType } from "../xdr/contract/contract-spec.ts";
import { showSpecType } from "../xdr/contract/contract-spec.ts";
import { showTyped, typedText } from "../xdr/contract/value-typed.ts";
import { elementsOf, mapOf, plainOf } from "../xdr/values/value-parts.ts";
import type { PlainValue } from "./expression.ts";

export interface Shown {
  readonly name: string;
  readonly value: string;
  /** The part that conditions compare, if it is not all of `value`. */
  readonly compared?: string;
  /** The value itself, if it is known. A symbol can look like a number. */
  readonly plain?: PlainValue;
  /** The reason why `value` is not the complete value; absent: it is. */
  readonly gap?: ValueGap;
  readonly type?: string;
  readonly children?: () => Promise<readonly Shown[]>;
  /** The value's place in the memory of a frame's contract. */
  readonly memory?: { readonly frame: number; readonly address: number };
  /** The name of the storage key that the value belongs to. */
  readonly watch?: string;
  /** The origin of the value, if it is known without a search. */
  readonly origin?: ValueOrigin;
}

/** The value or its location is unknown, that of a part is, or a part is not in the text. */
export type ValueGap = "unknown" | "unlocated" | "unknown-part" | "shortened";

export interface ValueOrigin {
  /** A phrase such as `argument 2 of least`. */
  readonly text: string;
  /** Null means before the transaction. */
  readonly moment: number | null;
}

const SHOWN_CHARACTERS = 400;
export const UNKNOWN = "(unknown)";

/** `xdr` is an ScVal, or null if the value is unknown. */
export function shownValue(
  name: string,
  xdr: string | null,
  spec: ContractSpec | null,
  type: SpecType | null = null,
): Shown {
  if (xdr === null) return { name, value: UNKNOWN, gap: "unknown" };
  const { text: value, isShortened } = typedText(xdr, type, spec, SHOWN_CHARACTERS);
  const plain = plainOf(xdr);
  const parts = partsOf(xdr, spec, type);
  const children = parts.length === 0 ? {} : { children: async () => parts.map((part) => part()) };
  const typed = type && { type: showSpecType(type) };
  return {
    name,
    value,
    ...(plain !== null && { plain }),
    ...(isShortened && { gap: "shortened" as const }),
    ...typed,
    ...children,
  };
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

/** An integer that svc counted, or that the ledger has. */
export function integerShown(name: string, integer: bigint | number): Shown {
  return { name, value: `${integer}`, plain: BigInt(integer) };
}

/** Groups values under one name. */
export function group(name: string, value: string | number, list: readonly Shown[]): Shown {
  const own = typeof value === "number" ? integerShown(name, value) : { name, value };
  return { ...own, ...(list.length > 0 && { children: async () => list }) };
}
