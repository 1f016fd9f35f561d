// One line of counts for the head of a report: outcomes on the chain, verdicts, and findings that
// need attention; and one line for each finding.

import type { Finding, Investigated } from "../../model/finding.ts";

export const VERDICT_KINDS = ["exact", "equivalent", "diverged", "inconclusive"] as const;

/** `2 transactions: 1 succeeded and 1 failed on the chain; replays exact`. */
export function countsOf({ list }: { readonly list: readonly Finding[] }): string {
  const found = list.filter((each): each is Investigated => each.kind === "investigated");
  const unanswered = list.length - found.length;
  const failedExpectations = found.filter(
    ({ failedExpectations }) => (failedExpectations?.length ?? 0) > 0,
  ).length;
  const bad = list.filter(({ exitCode }) => exitCode !== 0).length;
  const parts = [
    outcomesOf(found),
    replaysOf(found),
    counted(unanswered, "not investigated"),
    counted(failedExpectations, "with failed expectations"),
    counted(bad, bad === 1 ? "that needs attention" : "that need attention"),
  ].filter((part) => part !== "");
  const all = `${list.length} ${list.length === 1 ? "transaction" : "transactions"}`;
  return parts.length === 0 ? all : `${all}: ${parts.join("; ")}`;
}

function outcomesOf(found: readonly Investigated[]): string {
  const failed = found.filter(({ investigation }) => !investigation.explanation.success).length;
  const parts = [counted(found.length - failed, "succeeded"), counted(failed, "failed")];
  const words = parts.filter((part) => part !== "").join(" and ");
  return words === "" ? "" : `${words} on the chain`;
}

/** One word if all verdicts are the same; `; 1 not replayed` if nothing ran in the host. */
function replaysOf(found: readonly Investigated[]): string {
  const verdicts = found.map(({ investigation }) => investigation.verdict?.kind ?? null);
  const parts = VERDICT_KINDS.map((kind) => {
    const count = verdicts.filter((each) => each === kind).length;
    if (count > 0 && count === verdicts.length) return kind;
    return counted(count, kind);
  }).filter((part) => part !== "");
  const none = verdicts.filter((each) => each === null).length;
  if (parts.length === 0) return none === 0 ? "" : "nothing to replay";
  const what = verdicts.length === 1 ? "replay" : "replays";
  return [`${what} ${parts.join(", ")}`, ...(none === 0 ? [] : [`${none} not replayed`])].join(
    "; ",
  );
}

function counted(count: number, what: string): string {
  return count === 0 ? "" : `${count} ${what}`;
}

/**
 * `failed, exact`: outcome on chain and verdict, then the outcome with overrides; `not
 * investigated` when there is no investigation.
 */
export function stateOf(finding: Finding): string {
  if (finding.kind === "unanswered") return "not investigated";
  const { explanation, verdict, whatIf } = finding.investigation;
  const state = `${explanation.success ? "succeeded" : "failed"}, ${verdict?.kind ?? "no verdict"}`;
  if (whatIf === undefined) return state;
  if (whatIf.unknown.length > 0) return `${state}; unknown with the overrides`;
  return `${state}; ${whatIf.success ? "succeeds" : "fails"} with the overrides`;
}
