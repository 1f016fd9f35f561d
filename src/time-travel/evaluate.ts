// The value of an expression at a moment: a name in one of the scopes, a part of its value, or a
// calculation with such values.

import { nearestWord } from "../base/errors/did-you-mean.ts";
import { type PlainValue, parseExpression, type Resolve, valueIn } from "./expression.ts";
import type { Standpoint } from "./recording.ts";
import type { Shown, ValueGap } from "./shown.ts";
import { type Spot, scopesOf } from "./variables.ts";

/**
 * Returns the value of a name with its parts, or the result of any other expression. Throws an
 * Error with the reason.
 */
export async function evaluateExpression(
  standpoint: Standpoint,
  text: string,
  at: Spot | null = null,
): Promise<Shown> {
  const shown = await evaluate(standpoint, text, at);
  if (shown !== null) return shown;
  const value = await valueIn(parseExpression(text), resolverAt(standpoint, at));
  return { name: text, value: String(value) };
}

/** Returns the function that finds the values of names in expressions. */
export function resolverAt(standpoint: Standpoint, at: Spot | null = null): Resolve {
  return async (name) => {
    const shown = await evaluate(standpoint, name, at);
    if (shown === null) throw await unknownName(standpoint, name, at);
    return plainValue({ ...shown, name });
  };
}

/**
 * Throws an Error if the value is not known in full. A value with parts is compared by its text.
 */
export function plainValue({ name, value, compared = value, plain, gap }: Shown): PlainValue {
  if (plain !== undefined) return plain;
  if (gap !== undefined) throw new Error(GAPS[gap](name));
  return compared;
}

const GAPS: Readonly<Record<ValueGap, (name: string) => string>> = {
  unknown: (name) => `the value of ${name} is unknown`,
  unlocated: (name) => `the location of ${name} is not known here`,
  "unknown-part": (name) => `a part of ${name} is unknown`,
  // The part that was left out could differ.
  shortened: (name) => `${name} is too long to compare`,
};

async function unknownName(standpoint: Standpoint, name: string, at: Spot | null): Promise<Error> {
  const dot = name.lastIndexOf(".");
  const parent = dot === -1 ? null : name.slice(0, dot);
  const known = (await namesIn(standpoint, parent, at)).map((shown) => shown.name);
  const near = nearestWord(name.slice(dot + 1), known);
  const meant =
    near === null ? "" : `: did you mean ${parent === null ? "" : `${parent}.`}${near}?`;
  return new Error(`${name} is not known here${meant}`);
}

/** Returns the names that can begin an expression, or follow the dot behind `parent`. */
export async function namesIn(
  standpoint: Standpoint,
  parent: string | null,
  at: Spot | null = null,
): Promise<readonly Shown[]> {
  if (parent !== null) {
    const parentValue = await evaluate(standpoint, parent, at).catch(() => null);
    if (parentValue !== null) return (await parentValue.children?.()) ?? [];
  }
  const spot = at ?? (await ownSpot(standpoint));
  const scopes = spot === null ? [] : scopesOf(standpoint, spot);
  const chosenScopes = scopes.filter(({ name }) => parent === null || name === parent);
  return (await Promise.all(chosenScopes.map(({ values }) => values()))).flat();
}

/**
 * Evaluates a name, a field of it (`amount`, `key.0`), a storage key, or one of these in a scope
 * (`Arguments.amount`). Returns null if it is unknown. Throws an Error if its location is unknown.
 */
export async function evaluate(
  standpoint: Standpoint,
  text: string,
  at: Spot | null = null,
): Promise<Shown | null> {
  const spot = at ?? (await ownSpot(standpoint));
  if (spot === null) return null;
  const path = text.trim();
  for (const { name, values } of scopesOf(standpoint, spot)) {
    const inScope = path.startsWith(`${name}.`) ? path.slice(name.length + 1) : null;
    const shown = await within(await values(), inScope ?? path);
    if (shown?.gap === "unlocated") throw new Error(GAPS.unlocated(path));
    if (shown !== null) return shown;
  }
  return null;
}

/** Returns the spot of the innermost function, or null before the first statement. */
export async function ownSpot(standpoint: Standpoint): Promise<Spot | null> {
  const [top] = await standpoint.stack();
  const level = top !== undefined && top.functions.length > 0 ? 0 : null;
  return top === undefined ? null : { frame: top, level, inlined: standpoint.hidden };
}

async function within(values: readonly Shown[], path: string): Promise<Shown | null> {
  const exact = values.find(({ name }) => name === path);
  if (exact !== undefined) return exact;
  for (const value of values) {
    const remainder = path.startsWith(value.name) ? path.slice(value.name.length) : "";
    const inner = remainder.startsWith(".")
      ? remainder.slice(1)
      : remainder.startsWith("[")
        ? remainder
        : null;
    if (inner === null || value.children === undefined) continue;
    const part = await within(await value.children(), inner);
    // A part has the same origin as the whole.
    if (part !== null) return value.origin ? { origin: value.origin, ...part } : part;
  }
  return null;
}
