// The boundaries of a condition: the nearest number on its other side, and the last one on this
// side.

import type { NumberRange, OtherValue, Term, WhyCondition } from "../../model/why.ts";
import { isFalse, typeNameOf } from "../../xdr/values/value-parts.ts";

/**
 * How far the nearest numbers that do and do not fit a relation are from the other side's, and on
 * which side of the latter all others are that do not fit; null: on both.
 */
const BOUNDARY: Readonly<
  Record<string, readonly [holds: bigint, not: bigint, side: keyof NumberRange | "both" | null]>
> = {
  equal: [0n, 1n, null],
  not_equal: [1n, 0n, "both"],
  less: [-1n, 0n, "least"],
  less_or_equal: [0n, 1n, "least"],
  greater: [1n, 0n, "most"],
  greater_or_equal: [0n, -1n, "most"],
};
const TURNED: Readonly<Record<string, string>> = {
  less: "greater",
  less_or_equal: "greater_or_equal",
  greater: "less",
  greater_or_equal: "less_or_equal",
};

/** A value with which the condition held: the nearest numbers with which it still does, and not. */
interface Boundary {
  readonly term: Term;
  /** Null for the value itself. */
  readonly holds: bigint | null;
  readonly not: bigint;
  /** The type of `not`, if it differs from that of the value. */
  readonly type?: string;
  /** The numbers with which it does not hold; null for any number but `holds`. */
  readonly range: NumberRange | null;
}

/**
 * The values that a user chooses come first, then those that only time or another transaction
 * changes.
 */
export function boundariesOf({ relation, terms, type, values }: WhyCondition): Boundary[] {
  const [left, right] = terms;
  if (left === undefined) return [];
  if (relation === "overflow") return inOrderOfUse(ofOverflow(left, type ?? ""));
  if (relation === "outside") return ofBounds(left, values ?? []);
  if (relation === "within") return ofWindow(left, values ?? []);
  if (relation === "not_type" && type)
    return [{ term: left, holds: null, not: 0n, type, range: null }];
  const sides = [
    { term: left, other: right && numberOfTerm(right), held: relation },
    { term: right, other: numberOfTerm(left), held: TURNED[relation] ?? relation },
  ];
  const boundaries = sides.flatMap(({ term, other, held }): Boundary[] => {
    const [holds, not, side] = BOUNDARY[held] ?? [];
    if (term === undefined || other == null || holds === undefined || not === undefined) return [];
    if (isBool(term)) return ofBool(term, BigInt(other), held);
    const number = BigInt(other) + not;
    const bound = (of: keyof NumberRange) => (side === of || side === "both" ? `${number}` : null);
    const range = side === null ? null : { least: bound("least"), most: bound("most") };
    const boundary = { term, holds: BigInt(other) + holds, not: number, range };
    // If one number alone is refused, neither neighbor is.
    return side === null ? [boundary, { ...boundary, not: number - 2n }] : [boundary];
  });
  return inOrderOfUse(boundaries, boundaries.flatMap(ofOperands));
}

/**
 * The boundaries of the two operands of a sum or a difference, and of their own operands. Each is
 * as far away as that of the whole, because the other operand stays. A result that wrapped around
 * has none.
 */
function ofOperands({ term: compared, holds, not, range }: Boundary): Boundary[] {
  const term = computedBy(compared);
  const [a, b] = (term?.of ?? []).map((operand) => valueIn(compared, operand));
  if (term === null || a?.number === undefined || b?.number === undefined) return [];
  const [x, y] = [BigInt(a.number), BigInt(b.number)];
  const isSum = term.operator === "+" && `${x + y}` === term.number;
  const isDifference = term.operator === "-" && `${x - y}` === term.number;
  if (!isSum && !isDifference) return [];
  const ofFirst = (whole: bigint) => (isSum ? whole - y : whole + y);
  const ofSecond = (whole: bigint) => (isSum ? whole - x : x - whole);
  const of = (operand: Term, numberFor: (whole: bigint) => bigint, isTurned: boolean): Boundary => {
    const bound = (edge: string | null = null) =>
      edge === null ? null : `${numberFor(BigInt(edge))}`;
    const [least, most] = [bound(range?.least), bound(range?.most)];
    return {
      term: operand,
      holds: holds === null ? null : numberFor(holds),
      not: numberFor(not),
      range: range === null ? null : isTurned ? { least: most, most: least } : { least, most },
    };
  };
  const operands = [of(a, ofFirst, false), of(b, ofSecond, isDifference)];
  return operands.flatMap((operand) => [operand, ...ofOperands(operand)]);
}

/** The computation of a value, which the call that passed the value may have made; null: none. */
function computedBy({ origin, ...term }: Term): Term | null {
  if (term.kind === "computed") return term;
  return origin === undefined || term.kind === "written" ? null : computedBy(origin.term);
}

/** An operand of that computation, in the call that made it. */
function valueIn({ kind, origin }: Term, operand: Term): Term {
  if (kind === "computed" || origin === undefined) return operand;
  return { ...operand, origin: { ...origin, term: valueIn(origin.term, operand) } };
}

const USE: readonly string[] = ["argument", "ledger"];

/** A part of a compared value comes after the compared values that a user or time changes. */
function inOrderOfUse(whole: readonly Boundary[], parts: readonly Boundary[] = []): Boundary[] {
  const place = ({ term }: Boundary) =>
    USE.indexOf(rootOfTerm(term.origin?.term ?? term).whole.kind);
  const inUse = (boundaries: readonly Boundary[]) =>
    boundaries
      .filter((boundary) => place(boundary) >= 0)
      .sort((left, right) => place(left) - place(right));
  const others = [...whole, ...parts].filter((boundary) => place(boundary) < 0);
  return [...inUse(whole), ...inUse(parts), ...others];
}

/** A bool that is, or is not, another one. It has one other value. */
function ofBool(term: Term, other: bigint, held: string): Boundary[] {
  if (held !== "equal" && held !== "not_equal") return [];
  const holds = held === "equal" ? other : 1n - other;
  const value = `${holds === 0n}`;
  return [{ term, holds, not: 1n - holds, range: { least: value, most: value } }];
}

function isBool({ valueXdr = "" }: Term): boolean {
  return typeNameOf(valueXdr) === "bool";
}

/** The number as a value of the term's type, or of another type. */
export function numberInType(term: Term, number: bigint, type?: string): OtherValue {
  const isTruth = type === undefined ? isBool(term) : type === "bool";
  return isTruth
    ? { kind: "truth", isTrue: number === 1n }
    : { kind: "number", number: `${number}` };
}

/** The number of a term. A bool has 0 or 1. */
export function numberOfTerm(term: Term): string | undefined {
  return isBool(term) ? (isFalse(term.valueXdr ?? "") ? "0" : "1") : term.number;
}

function ofBounds(term: Term, [least = "", most = ""]: readonly string[]): Boundary[] {
  if (term.number === undefined || least === "" || most === "") return [];
  const range = { least, most };
  return BigInt(term.number) < BigInt(least)
    ? [{ term, not: BigInt(least), holds: BigInt(least) - 1n, range }]
    : [{ term, not: BigInt(most), holds: BigInt(most) + 1n, range }];
}

/** Any number on either side of a window. */
function ofWindow(term: Term, [least = "", most = ""]: readonly string[]): Boundary[] {
  if (term.number === undefined || least === "" || most === "") return [];
  return [
    { term, holds: BigInt(most), not: BigInt(most) + 1n, range: null },
    { term, holds: BigInt(least), not: BigInt(least) - 1n, range: null },
  ];
}

/** The most or the least that one side of a sum, a difference or a product may be. */
function ofOverflow({ operator, of = [] }: Term, type: string): Boundary[] {
  const [, sign, bits] = /^([ui])(\d+)$/.exec(type) ?? [];
  const inOrder = operator === "-" ? of : [...of].sort((x, y) => (x.index ?? 0) - (y.index ?? 0));
  const [a, b] = inOrder;
  if (bits === undefined || a?.number === undefined || b?.number === undefined) return [];
  const most = 2n ** BigInt(sign === "i" ? Number(bits) - 1 : bits) - 1n;
  const least = sign === "i" ? -most - 1n : 0n;
  // A number that the type cannot have is no bound.
  const at = (term: Term, isUp: boolean, [lowest, highest]: readonly [bigint, bigint]) => ({
    term,
    not: isUp ? highest : lowest,
    holds: isUp ? highest + 1n : lowest - 1n,
    range: {
      least: lowest <= least ? null : `${lowest}`,
      most: highest >= most ? null : `${highest}`,
    },
  });
  const [x, y] = [BigInt(a.number), BigInt(b.number)];
  switch (operator) {
    case "+": {
      const isUp = x + y > most;
      return [at(a, isUp, [least - y, most - y]), at(b, isUp, [least - x, most - x])];
    }
    case "-": {
      const isUp = x - y > most;
      return [at(a, isUp, [least + y, most + y]), at(b, !isUp, [x - most, x - least])];
    }
    case "*":
      return x > 0n && y > 0n
        ? [at(a, true, [least / y, most / y]), at(b, true, [least / x, most / x])]
        : [];
    default:
      return [];
  }
}

interface Rooted {
  readonly whole: Term;
  readonly path: readonly Term[];
}

/** The value that another one is a part of, and the way to it. */
export function rootOfTerm(term: Term): Rooted {
  const [whole] = term.of ?? [];
  const isPart = term.kind === "element" || term.kind === "field";
  if (!isPart || whole === undefined) return { whole: term, path: [] };
  const root = rootOfTerm(whole);
  return { whole: root.whole, path: [...root.path, term] };
}
