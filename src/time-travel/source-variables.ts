// The variables of the source code, with the values that its debug information finds.

import type { SourceVariable } from "../model/travel.ts";
import type { ContractSpec } from "../xdr/contract/contract-spec.ts";
import type { PlainValue } from "./expression.ts";
import { type Shown, shownValue } from "./shown.ts";

const PREVIEW_CHARACTERS = 200;

/**
 * Returns the variables of a source, as the debug information of its build names and finds them. In
 * `list` each value is followed by its parts. Of two variables with the same name, the first
 * shadows the second.
 */
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
  if (value === null) return { name, type, value: "(location not known here)", gap: "unlocated" };
  const memory = address === null ? {} : { memory: { frame, address } };
  if (xdr !== null) return { ...shownValue(name, xdr, spec), type, ...memory };
  const parts = sourceVariables(inside, frame, spec);
  if (parts.length === 0) return { name, type, value, plain: plainOfSource(value), ...memory };
  return { name, type, ...preview(value, parts), children: async () => parts, ...memory };
}

/** Reads a simple value as svc-sim writes it: a number, a boolean, or a text in quotes. */
function plainOfSource(text: string): PlainValue {
  if (/^-?\d+$/.test(text)) return BigInt(text);
  if (text === "true" || text === "false") return text === "true";
  return text.replace(/^(["'])(.*)\1$/s, "$2");
}

function preview(name: string, parts: readonly Shown[]): Pick<Shown, "value" | "gap"> {
  const isTuple = /^\d+$/.test(parts[0]?.name ?? "");
  const isList = parts[0]?.name === "[0]";
  const texts = parts.map((part) =>
    isTuple || isList ? part.value : `${part.name}: ${part.value}`,
  );
  const [open, close] = isList ? [" [", "]"] : isTuple ? ["(", ")"] : [" { ", " }"];
  const text = `${name}${open}${texts.join(", ")}${close}`.trimStart();
  if (text.length > PREVIEW_CHARACTERS)
    return { value: `${text.slice(0, PREVIEW_CHARACTERS)}…`, gap: "shortened" };
  const gaps = new Set(parts.map(({ gap }) => gap));
  if (gaps.has("shortened")) return { value: text, gap: "shortened" };
  gaps.delete(undefined);
  return { value: text, ...(gaps.size > 0 && { gap: "unknown-part" as const }) };
}
