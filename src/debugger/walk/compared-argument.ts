// A number of the code may be one of the call's own: a condition that was found by trying other
// numbers has the bound, and not where it came from. With the argument that has this number across
// the boundary, the call must get past it, and with the last number before it, it must not.

import type { Term, Why, WhyCondition } from "../../model/why.ts";
import { ownCall } from "../../xdr/envelope/created-contracts.ts";
import { elementsOf, integerOfValue, mapOf, plainOf } from "../../xdr/values/value-parts.ts";
import type { Engines } from "../run/replay.ts";
import { boundariesOf } from "./boundaries.ts";
import { changeOfValue } from "./changed-value.ts";
import {
  callWithin,
  errorOfRun,
  type ProofRun,
  possibleDraft,
  type Replayed,
  runBranch,
} from "./proof-runs.ts";

const MOST_NUMBERS = 40;
const MOST_DEPTH = 3;

/** Names the argument that a constant stands for. Returns null if no argument is compared. */
export async function withComparedArgument(
  engines: Engines,
  replayed: Replayed,
  why: Why,
  options: ProofRun,
): Promise<Why | null> {
  const [condition, ...others] = why.conditions;
  const within = callWithin(why);
  // A branch that decided alone shows both values that it compared.
  if (condition === undefined || others.length > 0 || why.count !== null || !within.outermost)
    return null;
  const was = errorOfRun(replayed.execution);
  for (const { compared, term } of possibleConditions(condition, replayed)) {
    const boundary = boundariesOf(compared).find((each) => each.term === term);
    if (boundary === undefined || boundary.holds === null) continue;
    const [past, still] = [boundary.not, boundary.holds].map(async (number) => {
      const change = changeOfValue(term, { number }, replayed, within);
      const draft = change && (await possibleDraft(engines, replayed, change.overrides, options));
      if (!draft || draft.remarks.length > 0) return "";
      const ended = await runBranch(engines, replayed, why, draft, options);
      return ended === null ? "" : errorOfRun(ended);
    });
    const [error, before] = [await past, await still];
    if (error !== "" && error !== was && before === was) return { ...why, conditions: [compared] };
  }
  return null;
}

interface Possible {
  readonly compared: WhyCondition;
  /** The argument, or the part of one. */
  readonly term: Term;
}

function possibleConditions({ relation, terms }: WhyCondition, replayed: Replayed): Possible[] {
  const [left, right] = terms;
  if (left?.number === undefined || right?.kind !== "constant" || right.number === undefined)
    return [];
  const constant = BigInt(right.number);
  return numbersOf(replayed).flatMap((term): Possible[] => {
    const relationToIt = RELATION_TO[`${relation} ${BigInt(term.number ?? "") - constant}`];
    const isItself = placeOf(term) === placeOf(left);
    if (relationToIt === undefined || isItself) return [];
    return [{ compared: { relation: relationToIt, terms: [left, term] }, term }];
  });
}

/** The relation to a number that is one more or one less than the constant, or the same. */
const RELATION_TO: Readonly<Record<string, string>> = {
  "less 0": "less",
  "less_or_equal 0": "less_or_equal",
  "greater 0": "greater",
  "greater_or_equal 0": "greater_or_equal",
  "less -1": "less_or_equal",
  "greater_or_equal -1": "greater",
  "less_or_equal 1": "less",
  "greater 1": "greater_or_equal",
};

function placeOf({ kind, index, name, of = [] }: Term): string {
  return JSON.stringify([kind, index, name, of.map(placeOf)]);
}

/** The numbers in the arguments of the transaction's own call. */
function numbersOf({ envelope }: Replayed): readonly Term[] {
  const all = (ownCall(envelope)?.argumentsXdr ?? []).flatMap((valueXdr, index) =>
    numbersIn({ kind: "argument", index, valueXdr }),
  );
  return all.slice(0, MOST_NUMBERS);
}

function numbersIn(term: Term, depth = 0): readonly Term[] {
  const { valueXdr = "" } = term;
  const number = integerOfValue(valueXdr);
  if (number !== null) return [{ ...term, number: `${number}` }];
  if (depth >= MOST_DEPTH) return [];
  const parts =
    elementsOf(valueXdr)?.map((element, index): Term => {
      return { kind: "element", index, valueXdr: element, of: [term] };
    }) ??
    mapOf(valueXdr)?.flatMap(([key, value]): Term[] => {
      const name = plainOf(key);
      return typeof name === "string" ? [{ kind: "field", name, valueXdr: value, of: [term] }] : [];
    });
  return (parts ?? []).flatMap((part) => numbersIn(part, depth + 1));
}
