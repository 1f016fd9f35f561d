// The gate of svc rehearse: it does not pass where the new code gave no answer.

import { expect, test } from "bun:test";
import fc from "fast-check";
import {
  failedConditions,
  parseRehearsalConditions,
  passedUnknown,
} from "../../src/rehearsal/fail-on.ts";
import { GROUPS, type GroupKind, type RehearsedCall } from "../../src/rehearsal/rehearsal.ts";

const CALL: Omit<RehearsedCall, "group"> = {
  ...{ hash: "ab".repeat(32), ledger: 5, applicationOrder: 1, contract: null, function: "f" },
  ...{ reached: [], differences: [], redeclared: [], signers: [], raisedProtocol: null },
  ...{ unconfirmed: false, files: null, costs: null },
};
const ALWAYS: readonly GroupKind[] = ["no-result", "first-fails"];
const ALL = Object.keys(GROUPS) as GroupKind[];
const NAMED: readonly GroupKind[] = ALL.filter((group) => group !== "same");

const gates = fc.record({
  named: fc.uniqueArray(fc.constantFrom(...NAMED), { minLength: 1 }),
  groups: fc.array(fc.constantFrom(...ALL), { maxLength: 12 }),
});

test("a call fails the gate if its group is named or never passes, and each counts once", () => {
  fc.assert(
    fc.property(gates, ({ named, groups }) => {
      const calls = groups.map((group) => ({ ...CALL, group }));
      const failed = failedConditions({ calls }, parseRehearsalConditions(named.join(", ")));
      const conditions = new Set([...named, ...ALWAYS]);
      const expected = [...Map.groupBy(groups, (group) => group)].flatMap(([condition, all]) =>
        conditions.has(condition)
          ? [{ condition, calls: all.length, isNamed: named.includes(condition) }]
          : [],
      );
      expect(failed.toSorted(byCondition)).toEqual(expected.toSorted(byCondition));
    }),
  );
});

test("calls whose state is unknown pass only with a warning", () => {
  fc.assert(
    fc.property(gates, ({ named, groups }) => {
      const calls = groups.map((group) => ({ ...CALL, group }));
      const said = passedUnknown({ calls }, parseRehearsalConditions(named.join(",")));
      const open = groups.filter((group) => group === "state-unknown").length;
      const isSilent = open === 0 || named.includes("state-unknown");
      expect(said === null).toBe(isSilent);
      if (said !== null) expect(said).toContain(open === 1 ? "1 call that" : `${open} calls that`);
    }),
  );
  const calls = [{ ...CALL, group: "state-unknown" as const }];
  expect(passedUnknown({ calls }, [])).toBeNull();
});

function byCondition(
  left: { readonly condition: string },
  right: { readonly condition: string },
): number {
  return left.condition < right.condition ? -1 : 1;
}
