// A condition that is written as in the source holds for the same values as the one that the
// compiled code has.

import { expect, test } from "bun:test";
import fc from "fast-check";
import { sourceCondition } from "../../src/debugger/walk/source-conditions.ts";
import type { Term, WhyCondition } from "../../src/model/why.ts";
import { integerValue } from "../../src/xdr/values/value-parts.ts";

const RELATIONS: Readonly<Record<string, (left: bigint, right: bigint) => boolean>> = {
  less: (left, right) => left < right,
  less_or_equal: (left, right) => left <= right,
  greater: (left, right) => left > right,
  greater_or_equal: (left, right) => left >= right,
  not_equal: (left, right) => left !== right,
};
const SIZE = 2n ** 32n;
const wrapped = (number: bigint) => ((number % SIZE) + SIZE) % SIZE;
const relation = fc.constantFrom("less", "less_or_equal", "greater", "greater_or_equal");
const near = fc.bigInt({ min: 0n, max: 20n });
const number = fc.oneof(
  near,
  near.map((each) => SIZE - 1n - each),
);
const constant = (value: bigint): Term => ({ kind: "constant", number: `${value}` });

/** Says whether the condition holds with another number in the place of the argument. */
function holds({ relation: of, terms, values = [] }: WhyCondition, argument: bigint): boolean {
  const [left, right] = terms.map(({ kind, number: own = "" }) =>
    kind === "argument" ? argument : BigInt(own),
  );
  if (left === undefined) throw new Error("no term");
  const [least = 0n, most = 0n] = values.map(BigInt);
  if (of === "within") return left >= least && left <= most;
  if (of === "outside") return left < least || left > most;
  return RELATIONS[of]?.(left, right ?? 0n) ?? false;
}

test("a comparison of a difference that wraps around is a range of the same numbers", () => {
  let ranges = 0;
  fc.assert(
    fc.property(number, number, number, relation, (value, by, limit, of) => {
      const valueXdr = integerValue("u32", value) ?? "";
      const argument: Term = { kind: "argument", index: 0, number: `${value}`, valueXdr };
      const difference = wrapped(value - by);
      const terms = [argument, constant(by)];
      const left: Term = { kind: "computed", operator: "-", number: `${difference}`, of: terms };
      const made = sourceCondition({ relation: of, terms: [left, constant(limit)] });
      // Nothing else is said of the number that it had.
      fc.pre(RELATIONS[of]?.(difference, limit) ?? false);
      if (made.terms[0] !== argument) return;
      if (made.relation === "within" || made.relation === "outside") ranges += 1;
      const isOfOne = by === 1n && difference === value - 1n;
      for (const other of [value, 0n, 1n, by, wrapped(by + limit), wrapped(by - 1n), SIZE - 1n]) {
        // What is one more or one less is compared without wrapping around.
        if (isOfOne && other === 0n) continue;
        const held = RELATIONS[of]?.(wrapped(other - by), limit) ?? false;
        expect(holds(made, other)).toBe(held);
      }
    }),
    { numRuns: 5_000 },
  );
  expect(ranges).toBeGreaterThan(50);
});

test("one more or one less than a value turns into a comparison of the value", () => {
  fc.assert(
    fc.property(
      near,
      near,
      fc.constantFrom(1n, -1n),
      relation,
      fc.boolean(),
      (a, b, by, of, is) => {
        const argument = (index: number, value: bigint): Term => {
          return { kind: "argument", index, number: `${value}` };
        };
        const moved: Term = {
          kind: "computed",
          operator: by < 0n ? "-" : "+",
          number: `${b + by}`,
          of: [argument(1, b), constant(1n)],
        };
        const terms = is ? [argument(0, a), moved] : [moved, argument(0, a)];
        const made = sourceCondition({ relation: of, terms });
        const numberOf = ({ number: own = "" }: Term) => BigInt(own);
        const held = ({ relation: name, terms: [left, right] }: WhyCondition) =>
          left && right && RELATIONS[name]?.(numberOf(left), numberOf(right));
        expect(held(made)).toBe(held({ relation: of, terms }) as boolean);
      },
    ),
  );
});
