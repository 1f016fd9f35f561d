// The variables of a source, as its build's debug information names and finds them.

import type { SourceVariable } from "../model/travel.ts";
import type { ContractSpec } from "../xdr/contract/contract-spec.ts";
import { type Shown, shownValue } from "./shown.ts";

export const UNLOCATED = "(location not known here)";
const PREVIEW_CHARACTERS = 200;

/** `list`: each value with its parts behind it. Of two with one name the first shadows the other. */
export function sourceVariables(
  list: readonly SourceVariable[],
  frame: number,
  spec: ContractSpec | null,
): Shown[] {
  const shown: Shown[] = [];
  for (let at = 0; at < list.length; ) {
    const [variable] = list.slice(at);
    const end = list.findIndex(({ depth }, index) => index > at && depth <= (variable?.depth ?? 0));
    const after = end === -1 ? list.length : end;
    if (variable !== undefined && !shown.some(({ name }) => name === variable.name))
      shown.push(shownVariable(variable, list.slice(at + 1, after), frame, spec));
    at = after;
  }
  return shown;
}

function shownVariable(
  { name, type, value, xdr, address }: SourceVariable,
  inside: readonly SourceVariable[],
  frame: number,
  spec: ContractSpec | null,
): Shown {
  if (value === null) return { name, type, value: UNLOCATED };
  const memory = address === null ? {} : { memory: { frame, address } };
  if (xdr !== null) return { ...shownValue(name, xdr, spec), type, ...memory };
  const parts = sourceVariables(inside, frame, spec);
  if (parts.length === 0) return { name, type, value, ...memory };
  return { name, type, value: preview(value, parts), children: async () => parts, ...memory };
}

function preview(name: string, parts: readonly Shown[]): string {
  const isTuple = /^\d+$/.test(parts[0]?.name ?? "");
  const isList = parts[0]?.name === "[0]";
  const texts = parts.map((part) =>
    isTuple || isList ? part.value : `${part.name}: ${part.value}`,
  );
  const [open, close] = isList ? [" [", "]"] : isTuple ? ["(", ")"] : [" { ", " }"];
  const text = `${name}${open}${texts.join(", ")}${close}`.trimStart();
  return text.length > PREVIEW_CHARACTERS ? `${text.slice(0, PREVIEW_CHARACTERS)}…` : text;
}
