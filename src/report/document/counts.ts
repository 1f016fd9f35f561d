// One line of counts for the head of a report: outcomes on the chain, verdicts, and findings that
// need attention; and one line for each finding.

import { restsOnCapsule } from "../../model/confirmation.ts";
import type { Finding, Investigated } from "../../model/finding.ts";
import type { Investigation } from "../../model/investigation.ts";
import { withNamedAddresses } from "./named-addresses.ts";

export const VERDICT_KINDS = ["exact", "equivalent", "diverged", "inconclusive"] as const;

/**
 * `2 transactions: 1 succeeded, 1 failed on chain, 2 replayed exactly. 1 did not meet the
 * expectations.`
 */
export function countsOf({ list }: { readonly list: readonly Finding[] }): string {
  const investigatedFindings = list.filter(
    (each): each is Investigated => each.kind === "investigated",
  );
  const failed = investigatedFindings.filter(
    ({ investigation }) => !investigation.explanation.success,
  ).length;
  const unmet = investigatedFindings.filter(
    ({ failedExpectations }) => failedExpectations?.length,
  ).length;
  const verdicts = investigatedFindings.map(
    ({ investigation }) => investigation.verdict?.kind ?? "none",
  );
  const parts = [
    counted(investigatedFindings.length - failed, "succeeded"),
    counted(failed, "failed on chain"),
    ...Object.entries(VERDICT_WORDS).map(([kind, words]) =>
      counted(verdicts.filter((each) => each === kind).length, words),
    ),
    counted(list.length - investigatedFindings.length, "not investigated"),
  ].filter((part) => part !== "");
  const all = `${list.length} ${list.length === 1 ? "transaction" : "transactions"}`;
  const counts = parts.length === 0 ? `${all}.` : `${all}: ${parts.join(", ")}.`;
  const claimed = investigatedFindings.filter(({ investigation }) =>
    isClaimed(investigation),
  ).length;
  const claims =
    claimed === 1 ? "1 rests on claims of a capsule." : `${claimed} rest on claims of capsules.`;
  return [
    counts,
    ...(claimed === 0 ? [] : [claims]),
    ...(unmet === 0 ? [] : [`${unmet} did not meet the expectations.`]),
  ].join(" ");
}

const VERDICT_WORDS = {
  exact: "replayed exactly",
  equivalent: "equivalent",
  diverged: "diverged",
  inconclusive: "inconclusive",
  none: "not replayed",
} as const;

/** A verdict is about the chain record that is there, whoever wrote it. */
function isClaimed(investigation: Investigation): boolean {
  return investigation.verdict !== null && restsOnCapsule(investigation);
}

function counted(count: number, noun: string): string {
  return count === 0 ? "" : `${count} ${noun}`;
}

/**
 * `failed, exact`, or `failed, exact on claims of a capsule`: outcome on chain and verdict, then the outcome with overrides; `not
 * investigated` when there is no investigation.
 */
export function stateOf(finding: Finding): string {
  const [result, verdict, withOverrides] = resultOf(finding);
  const state = [result, verdict].filter((each) => each !== null).join(", ");
  return withOverrides === null ? state : `${state}; ${withOverrides}`;
}

/** The result on chain, the verdict, and the outcome with overrides; null: there is none. */
export function resultOf(finding: Finding): [string, string | null, string | null] {
  if (finding.kind === "unanswered") return ["not investigated", null, null];
  const { investigation } = finding;
  const { explanation, verdict, whatIf } = investigation;
  const result = explanation.success ? "succeeded" : "failed";
  const about = isClaimed(investigation) ? " on claims of a capsule" : "";
  const judged = verdict === null ? "no verdict" : `${verdict.kind}${about}`;
  if (whatIf === undefined) return [result, judged, null];
  if (whatIf.unknown.length > 0) return [result, judged, "unknown with the overrides"];
  return [result, judged, `${whatIf.success ? "succeeds" : "fails"} with the overrides`];
}

/** One sentence, with the short form of each address; null when there is none. */
export function causeOf(finding: Finding): string | null {
  if (finding.kind === "unanswered") return finding.error.message;
  return withNamedAddresses(finding.investigation, false).explanation.causeInBrief;
}
