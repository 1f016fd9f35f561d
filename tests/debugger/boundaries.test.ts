// A boundary is where a condition turns: with its number in the place of the value the condition no
// longer holds, with the last one before it the condition still does.

import { expect, test } from "bun:test";
import fc from "fast-check";
import { boundariesOf } from "../../src/debugger/walk/boundaries.ts";
import type { Term } from "../../src/model/why.ts";

const HOLDS: Readonly<Record<string, (left: bigint, right: bigint) => boolean>> = {
  equal: (left, right) => left === right,
  not_equal: (left, right) => left !== right,
  less: (left, right) => left < right,
  less_or_equal: (left, right) => left <= right,
  greater: (left, right) => left > right,
  greater_or_equal: (left, right) => left >= right,
};

const argument: fc.Arbitrary<Term> = fc
  .record({ index: fc.nat(3), number: fc.integer({ min: -20, max: 20 }) })
  .map(({ index, number }) => ({ kind: "argument", index, number: `${number}` }));

/** A value, or a sum or difference of values, three deep at most. */
const term: fc.Arbitrary<Term> = fc.letrec<{ term: Term; computed: Term }>((tie) => ({
  term: fc.oneof({ maxDepth: 3 }, argument, tie("computed")),
  computed: fc
    .tuple(fc.constantFrom("+", "-"), tie("term"), tie("term"))
    .map(([operator, a, b]): Term => {
      const whole = { kind: "computed", operator, of: [a, b] } as const;
      return { ...whole, number: `${numberOf(whole, null, 0n)}` };
    }),
})).term;

test("a condition turns between the two numbers of each boundary", () => {
  let ofOperands = 0;
  fc.assert(
    fc.property(term, term, fc.constantFrom(...Object.keys(HOLDS)), (left, right, relation) => {
      const holds = HOLDS[relation] ?? (() => false);
      const turned = (changed: Term, number: bigint) =>
        holds(numberOf(left, changed, number), numberOf(right, changed, number));
      fc.pre(holds(numberOf(left, null, 0n), numberOf(right, null, 0n)));
      for (const boundary of boundariesOf({ relation, terms: [left, right] })) {
        const { term: changed, holds: last, not, range } = boundary;
        if (changed !== left && changed !== right) ofOperands++;
        expect(turned(changed, not)).toBe(false);
        if (last !== null) expect(turned(changed, last)).toBe(true);
        for (const edge of [range?.least, range?.most])
          if (typeof edge === "string") expect(turned(changed, BigInt(edge))).toBe(false);
        if (typeof range?.least === "string" && range.most === null)
          expect(turned(changed, BigInt(range.least) + 9n)).toBe(false);
        if (typeof range?.most === "string" && range.least === null)
          expect(turned(changed, BigInt(range.most) - 9n)).toBe(false);
      }
    }),
    { numRuns: 2_000 },
  );
  expect(ofOperands).toBeGreaterThan(100);
});

test("a difference that wrapped around shows no boundary of its operands", () => {
  const [a, b] = [argumentOf(0, "1"), argumentOf(1, "2")];
  const wrapped: Term = { kind: "computed", operator: "-", of: [a, b], number: "4294967295" };
  const limit: Term = { kind: "constant", number: "100" };
  const terms = boundariesOf({ relation: "greater", terms: [wrapped, limit] }).map(
    (boundary) => boundary.term,
  );
  expect(terms).toEqual([wrapped, limit]);
});

function argumentOf(index: number, number: string): Term {
  return { kind: "argument", index, number };
}

/** The value of a term where another number stands in the place of one of its parts. */
function numberOf(whole: Term, changed: Term | null, number: bigint): bigint {
  if (whole === changed) return number;
  const [a, b] = whole.of ?? [];
  if (a === undefined || b === undefined) return BigInt(whole.number ?? "0");
  const [x, y] = [numberOf(a, changed, number), numberOf(b, changed, number)];
  return whole.operator === "+" ? x + y : x - y;
}
