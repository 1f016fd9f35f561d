// The changes with which a condition does not hold, and the values that they depend on.

import { NO_OVERRIDES, type Overrides } from "../../model/overrides.ts";
import type { Term, Why, WhyCondition } from "../../model/why.ts";
import { boundariesOf } from "./boundaries.ts";
import { changeOfValue } from "./changed-value.ts";
import { exchangesOf } from "./exchanges.ts";
import { callWithin, type Replayed } from "./proof-runs.ts";

/** The changes with which none of the conditions holds; null if that is not possible. */
export function overridesAgainst(why: Why, replayed: Replayed): Overrides | null {
  const own = callWithin(why);
  const changes = why.conditions.map((condition) => {
    for (const { term, not, type } of boundariesOf(condition)) {
      if (!isIndependent(condition, term)) continue;
      const change = changeOfValue(term, { number: not, type }, replayed, own);
      if (change !== null) return change.overrides;
    }
    return exchangesOf(condition, replayed, own)[0]?.change.overrides ?? null;
  });
  const known = changes.flatMap((change) => change ?? []);
  const isWhole = changes.length > 0 && known.length === changes.length;
  return isWhole ? mergedOverrides(known) : null;
}

/** Null if two of them change the same thing. */
function mergedOverrides(all: readonly Overrides[]): Overrides | null {
  const argumentOverrides = all.flatMap((each) => [...each.arguments]);
  const entries = all.flatMap((each) => each.entries);
  const facts = all.flatMap((each) => Object.entries(each.ledger));
  const places = [
    ...argumentOverrides.map(([at]) => at),
    ...entries.map(({ keyXdr }) => keyXdr),
    ...facts.map(([name]) => name),
  ];
  if (new Set(places).size < places.length) return null;
  const ledger = Object.fromEntries(facts);
  return { ...NO_OVERRIDES, arguments: new Map(argumentOverrides), entries, ledger };
}

/** Says whether nothing else in a condition may depend on one of its values. */
export function isIndependent({ terms, relation }: WhyCondition, changed: Term): boolean {
  const own = new Set(sourcesOf(changed));
  // The values of one computation are compared with a constant.
  if (relation === "overflow") return terms.flatMap(({ of = [] }) => of).length === 2;
  const others = terms.filter((term) => term !== changed).flatMap(sourcesOf);
  return others.every((source) => source !== null && !own.has(source));
}

/** The values that a term was made of, with null for one of which nothing is known. */
export function sourcesOf(term: Term): (string | null)[] {
  const { kind, of = [], origin, index, name, keyXdr, durability } = term;
  if (origin !== undefined) return sourcesOf(origin.term);
  const parts = of.flatMap(sourcesOf);
  switch (kind) {
    case "constant":
      return [];
    case "argument":
    case "ledger":
    case "storage":
    case "token":
      return [JSON.stringify([kind, index, name, keyXdr, durability]), ...parts];
    case "computed":
    case "length":
    case "field":
    case "element":
      return parts.length === 0 ? [null] : parts;
    default:
      return [null];
  }
}
