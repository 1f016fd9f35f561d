// Conditions as the source of the code has them. Compilers turn `x >= y` into `x > y - 1`, and the
// two ends of a range into one comparison of a difference that wraps around. Both are turned back
// only where the numbers show that nothing else is meant.

import { numberIn } from "../../explain/naming/term-names.ts";
import type { Term, Why, WhyCondition } from "../../model/why.ts";
import { typeNameOf } from "../../xdr/values/value-parts.ts";

export function withSourceConditions(why: Why): Why {
  const all = (conditions: readonly WhyCondition[]) => conditions.map(sourceCondition);
  const ofRequest = <Request extends Why["refused"]>(request: Request): Request =>
    request && {
      ...request,
      reasons: request.reasons.map((reason) => ({
        ...reason,
        conditions: all(reason.conditions),
      })),
    };
  const { because, others, refused, missed } = why;
  return {
    ...why,
    conditions: all(why.conditions),
    ...(because && { because: all(because) }),
    ...(others && { others: all(others) }),
    ...(refused && { refused: ofRequest(refused) }),
    ...(missed && { missed: ofRequest(missed) }),
  };
}

export function sourceCondition(condition: WhyCondition): WhyCondition {
  return asRange(condition) ?? withoutOne(condition) ?? condition;
}

/** The relations of `x` and `y - 1`, and of `x` and `y + 1`, as relations of `x` and `y`. */
const BESIDE_ONE: Readonly<Record<string, string>> = {
  "greater -1": "greater_or_equal",
  "less_or_equal -1": "less",
  "less 1": "less_or_equal",
  "greater_or_equal 1": "greater",
};

/** The relations of `x - 1` and `y`, and of `x + 1` and `y`, as relations of `x` and `y`. */
const ONE_BESIDE: Readonly<Record<string, string>> = {
  "less -1": "less_or_equal",
  "greater_or_equal -1": "greater",
  "greater 1": "greater_or_equal",
  "less_or_equal 1": "less",
};

/** Null: neither side is one more or one less than something. */
function withoutOne(condition: WhyCondition): WhyCondition | null {
  const [left, right] = condition.terms;
  if (left === undefined || right === undefined) return null;
  const beside = besideOne(right);
  const relation = beside && BESIDE_ONE[`${condition.relation} ${beside.by}`];
  if (beside && relation) return { ...condition, relation, terms: [left, beside.term] };
  const own = besideOne(left);
  const turned = own && ONE_BESIDE[`${condition.relation} ${own.by}`];
  return own && turned ? { ...condition, relation: turned, terms: [own.term, right] } : null;
}

/** The value that the term is one more or one less than, unless the result wrapped around. */
function besideOne(term: Term): { readonly term: Term; readonly by: bigint } | null {
  const moved = movedBy(term);
  if (moved === null || (moved.by !== 1n && moved.by !== -1n)) return null;
  return `${moved.from + moved.by}` === term.number ? { term: moved.term, by: moved.by } : null;
}

interface MovedNumber {
  readonly term: Term;
  readonly from: bigint;
  /** The number that was added to it. */
  readonly by: bigint;
}

/** A sum or a difference of a value and a constant. */
function movedBy({ kind, operator, number, of = [] }: Term): MovedNumber | null {
  const [term, other, ...more] = of;
  // The number is computed of that value alone, in halves.
  if (kind === "computed" && operator === undefined && term !== undefined && other === undefined) {
    const from = term.kind === "constant" ? null : numberIn(term);
    return from === null || number === undefined ? null : { term, from, by: BigInt(number) - from };
  }
  if (kind !== "computed" || more.length > 0 || term === undefined || other === undefined)
    return null;
  const from = numberIn(term);
  const by = numberIn(other);
  if (other.kind !== "constant" || term.kind === "constant" || from === null || by === null)
    return null;
  if (operator === "+") return { term, from, by };
  return operator === "-" ? { term, from, by: -by } : null;
}

const BITS: ReadonlyMap<string | null, bigint> = new Map([
  ["u32", 32n],
  ["u64", 64n],
]);

const GREATER: ReadonlySet<string> = new Set(["greater", "greater_or_equal"]);

/** A comparison of a difference that wraps around: the value is within a range, or outside it. */
function asRange(condition: WhyCondition): WhyCondition | null {
  const [left, right] = condition.terms;
  if (left?.number === undefined || right?.kind !== "constant") return null;
  const moved = movedBy(left);
  const limit = numberIn(right);
  if (moved === null || limit === null || limit < 0n) return null;
  const bits = BITS.get(typeNameOf(moved.term.valueXdr ?? ""));
  if (bits === undefined) return null;
  const size = 1n << bits;
  const wrapped = (number: bigint) => ((number % size) + size) % size;
  if (wrapped(moved.from + moved.by) !== BigInt(left.number)) return null;
  const hasWrapped = moved.from + moved.by !== BigInt(left.number);
  const isBeyond = moved.by < 0n && GREATER.has(condition.relation);
  if (!hasWrapped && !isBeyond && limit <= size / 2n) return null;
  // The differences that meet the condition, without wrapping.
  const differences: Readonly<Record<string, readonly [least: bigint, most: bigint]>> = {
    less: [0n, limit - 1n],
    less_or_equal: [0n, limit],
    greater: [limit + 1n, size - 1n],
    greater_or_equal: [limit, size - 1n],
  };
  const [least, most] = differences[condition.relation] ?? [];
  if (least === undefined || most === undefined || least > most) return null;
  const first = wrapped(least - moved.by);
  const last = wrapped(most - moved.by);
  const { term } = moved;
  const constant = (number: bigint): Term => ({ kind: "constant", number: `${number}` });
  if (first <= last) {
    if (first === 0n)
      return { ...condition, relation: "less_or_equal", terms: [term, constant(last)] };
    if (last === size - 1n)
      return { ...condition, relation: "greater_or_equal", terms: [term, constant(first)] };
    return { ...condition, relation: "within", terms: [term], values: [`${first}`, `${last}`] };
  }
  const [lowest, highest] = [last + 1n, first - 1n];
  if (lowest > highest) return null;
  return lowest === highest
    ? { ...condition, relation: "not_equal", terms: [term, constant(lowest)] }
    : { ...condition, relation: "outside", terms: [term], values: [`${lowest}`, `${highest}`] };
}
