// A rehearsal as JUnit XML: one testcase for each call. A call fails if a condition of --fail-on
// holds for it; without conditions, if it is in a group that is not the same. A call that did not
// run to an end with the new code is an error.

import { counted } from "../base/text/counted.ts";
import { type TestCase, testSuite } from "../report/formats/junit.ts";
import { differencesInWords, reasonInWords } from "./difference-words.ts";
import { conditionsOn, type FailOn } from "./fail-on.ts";
import { GROUPS, hasAnswer, type RehearsedCall, type UpgradeRehearsal } from "./rehearsal.ts";
import { groupsOf } from "./rehearsal-document.ts";

export function rehearsalJunit(
  { calls, reasons }: UpgradeRehearsal,
  conditions: readonly FailOn[],
  beganUnixMilliseconds: number,
): string {
  const decided = new Map(reasons.map((reason) => [reason.first.hash, reason]));
  const cases = Array.from(calls, (call) => {
    const reason = decided.get(call.hash);
    const why = reason === undefined ? differencesInWords(call) : reasonInWords(reason);
    return caseOf(call, why, conditions);
  });
  const groups = [...groupsOf(calls)].map(([kind, { count }]) => {
    return `${GROUPS[kind]}: ${counted(count, "call")}`;
  });
  return testSuite({
    name: "svc rehearse",
    beganUnixMilliseconds,
    failures: cases.filter(({ problem }) => problem?.element === "failure").length,
    errors: cases.filter(({ problem }) => problem?.element === "error").length,
    cases,
    output: groups.join("\n"),
  });
}

function caseOf(call: RehearsedCall, why: string, conditions: readonly FailOn[]): TestCase {
  const { hash, ledger, group, reached } = call;
  const functions = [...new Set(reached.map((each) => each.function))].join(", ");
  const name = `${functions || (call.function ?? "transaction")} in ledger ${ledger}, ${hash}`;
  const [condition] = conditionsOn(call, conditions);
  const isAnswered = hasAnswer(call);
  const fails = conditions.length === 0 ? group !== "same" : condition !== undefined;
  if (isAnswered && !fails) return { name, elapsedMilliseconds: 0, problem: null };
  const body = [why, ...(condition === undefined ? [] : [`--fail-on ${condition}`])];
  return {
    name,
    elapsedMilliseconds: 0,
    problem: {
      element: isAnswered ? "failure" : "error",
      message: `${GROUPS[group]}${condition === undefined ? "" : ` (${condition})`}`,
      type: group,
      body: body.filter((line) => line !== "").join("\n"),
    },
  };
}
