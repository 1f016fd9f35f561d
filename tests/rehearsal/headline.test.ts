// The first sentences of a rehearsal say no more of the calls than what is known.

import { expect, test } from "bun:test";
import fc from "fast-check";
import {
  GROUPS,
  type GroupKind,
  type RehearsedCall,
  type UpgradeRehearsal,
} from "../../src/rehearsal/rehearsal.ts";
import { rehearsalDocument } from "../../src/rehearsal/rehearsal-document.ts";

const UNANSWERED: readonly GroupKind[] = ["no-result", "first-fails", "state-unknown"];
const CALL: Omit<RehearsedCall, "group"> = {
  ...{ hash: "ab".repeat(32), ledger: 5, applicationOrder: 1, contract: null, function: "f" },
  ...{ reached: [], differences: [], redeclared: [], signers: [], raisedProtocol: null },
  ...{ unconfirmed: false, files: null, costs: null },
};
const NOTHING: Omit<UpgradeRehearsal, "calls" | "notJudged"> = {
  ...{ format: 1, contracts: [], reasons: [], repeated: null, searched: null, first: null },
  ...{ sequence: null, laterProtocol: null, raisedProtocol: null },
};

function headOf(groups: readonly GroupKind[], notJudged: UpgradeRehearsal["notJudged"] = []) {
  const calls = groups.map((group) => ({ ...CALL, group }));
  const { head } = rehearsalDocument({ ...NOTHING, calls, notJudged }, () => "");
  if (head === null) throw new Error("a rehearsal has a headline");
  const said = head.body.map((each) => ("text" in each ? String(each.text) : "")).join(" ");
  return { said, tone: head.tone };
}

test("a call that did not run to an end is in none of the other counts", () => {
  const group = fc.constantFrom(...(Object.keys(GROUPS) as GroupKind[]));
  fc.assert(
    fc.property(fc.array(group, { minLength: 1, maxLength: 6 }), (groups) => {
      const { said, tone } = headOf(groups);
      const counted = [...said.matchAll(/(\d) of \d calls? (would|did)/g)];
      const same = groups.filter((each) => each === "same").length;
      const sum = counted.reduce((total, [, count]) => total + Number(count), same);
      expect(sum).toBe(groups.length);
      const unknown = groups.filter((each) => UNANSWERED.includes(each)).length;
      expect(said.includes("is unknown")).toBe(unknown > 0);
      expect(said.includes("Every call does the same")).toBe(same === groups.length);
      expect(tone === "good").toBe(same === groups.length);
    }),
  );
});

test("what could not be judged is not among every call", () => {
  const open = [{ kind: "state-unknown", calls: 3 }] as const;
  const { said } = headOf(["same"], open);
  expect(said).toContain("Every judged call does the same with the new code.");
  expect(said).toContain("3 more transactions that may call the contract could not be judged.");
  const others = [{ kind: "other-contract", calls: 3 }] as const;
  expect(headOf(["same"], others).said).toContain("Every call does the same with the new code.");
  expect(headOf([]).said).toBe("svc found no transaction that calls the contract.");
});

test("the ledgers that were looked through are said, whatever was found in them", () => {
  const searched = { first: 5, last: 9, isAll: false, wantedCalls: 2 };
  for (const [count, change, words] of [
    [2, {}, "The last 2 calls that svc found are in ledgers 5 to 9."],
    [1, { wantedCalls: 1, last: 5 }, "The last call that svc found is in ledger 5."],
    [1, { isAll: true }, "svc found only 1 of the 2 calls in ledgers 5 to 9. No source"],
    [0, { last: 5 }, "svc looked for 2 calls in ledger 5."],
  ] as const) {
    const calls = Array.from({ length: count }, () => ({ ...CALL, group: "same" as const }));
    const found = { ...NOTHING, searched: { ...searched, ...change } };
    const { head } = rehearsalDocument({ ...found, calls, notJudged: [] }, () => "");
    const said = (head?.body ?? []).map((each) => ("text" in each ? String(each.text) : ""));
    expect(said.some((text) => text.startsWith(words))).toBe(true);
  }
});
