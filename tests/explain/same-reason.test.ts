// Two failures have the same reason if the same branch compared the same terms. Values are no part
// of it, except between two runs of one transaction.

import { expect, test } from "bun:test";
import fc from "fast-check";
import {
  conditionId,
  isSameComparison,
  isSameReason,
} from "../../src/explain/naming/same-reason.ts";
import type { Term, Why } from "../../src/model/why.ts";

const term = fc.record(
  {
    kind: fc.constantFrom("argument", "storage", "element", "computed"),
    index: fc.nat(2),
    keyXdr: fc.constantFrom("AAAA", "AAAB"),
    number: fc.constantFrom("1", "2"),
    operator: fc.constantFrom("+", "-"),
  },
  { requiredKeys: ["kind"] },
) as fc.Arbitrary<Term>;
const why = fc.record({
  frame: fc.nat(1),
  contract: fc.constant(null),
  function: fc.constant("f"),
  end: fc.constant("error"),
  always: fc.constant(false),
  conditions: fc.array(fc.record({ relation: fc.constant("less"), terms: fc.tuple(term, term) }), {
    maxLength: 2,
  }),
  code: fc.constantFrom("aa", "bb"),
  address: fc.nat(1),
  count: fc.constant(0),
  taken: fc.nat(1),
}) as fc.Arbitrary<Why>;

test("failures share an id exactly if they have the same reason", () => {
  fc.assert(
    fc.property(why, why, (left, right) => {
      expect(conditionId(left) === conditionId(right)).toBe(isSameReason(left, right));
      expect(isSameReason(left, left)).toBe(true);
      // A comparison is a reason with more.
      if (isSameComparison(left, right)) expect(isSameReason(left, right)).toBe(true);
    }),
  );
});

test("other values, keys and elements are the same reason, and another comparison", () => {
  fc.assert(
    fc.property(why, (left) => {
      const changed = (changes: Partial<Term>): Why => ({
        ...left,
        conditions: left.conditions.map((each) => ({
          ...each,
          terms: each.terms.map((one) => ({ ...one, ...changes })),
        })),
      });
      const hasTerms = left.conditions.length > 0;
      const numbered = changed({ number: "7" });
      expect(isSameReason(left, numbered) && isSameComparison(left, numbered)).toBe(true);
      const keyed = changed({ keyXdr: "AAAC" });
      expect(isSameReason(left, keyed)).toBe(true);
      expect(isSameComparison(left, keyed)).toBe(!hasTerms);
      const element = changed({ kind: "element", index: 1 });
      const next = changed({ kind: "element", index: 2 });
      expect(isSameReason(element, next)).toBe(true);
      expect(isSameComparison(element, next)).toBe(!hasTerms);
      const other = { ...left, address: left.address + 1 };
      expect(isSameReason(left, other)).toBe(false);
      expect(isSameComparison(left, { ...left, frame: left.frame + 1 })).toBe(false);
    }),
  );
});
