// What a verdict means to whoever called svc. Errors carry their own exit codes.

import type { FailedExpectation, Findings } from "../../model/finding.ts";
import type { Verdict, VerdictKind } from "../../model/verdict.ts";
import type { Verification } from "../../model/verification.ts";

const EXIT_CODES: Readonly<Record<VerdictKind, number>> = {
  exact: 0,
  equivalent: 0,
  diverged: 1,
  inconclusive: 6,
};

/** Null: nothing ran in the contract host, so there was nothing to reproduce. */
export function exitCodeOf(verdict: Verdict | null): number {
  return verdict === null ? 0 : EXIT_CODES[verdict.kind];
}

/** What diverged, and corrupted state, outweigh what could not be judged. */
export function exitCodeOfVerification(verification: Verification): number {
  const { verdicts: counts, stateMismatches } = verification;
  if (counts.diverged > 0 || stateMismatches > 0) return EXIT_CODES.diverged;
  return counts.inconclusive > 0 ? EXIT_CODES.inconclusive : 0;
}

/** What the user asked to be told by the exit code is so. */
export const NOT_AS_EXPECTED = 7;

/** What was expected outweighs the verdict: `--fail-on diverged` ends with 7, not with 1. */
export function exitCodeOfInvestigation(
  verdict: Verdict | null,
  failedExpectations: readonly FailedExpectation[] | null,
): number {
  return failedExpectations !== null && failedExpectations.length > 0
    ? NOT_AS_EXPECTED
    : exitCodeOf(verdict);
}

/** With --fix: 7 for a failed transaction that nothing is proven to mend, unless it ended worse. */
export function judgedByFix(findings: Findings): Findings {
  const list = findings.list.map((finding) => {
    if (finding.kind === "unanswered" || finding.exitCode !== 0) return finding;
    const { fix } = finding.investigation;
    const wanting = fix !== null && fix.proof?.outcome !== "succeeds";
    return wanting ? { ...finding, exitCode: NOT_AS_EXPECTED } : finding;
  });
  return { ...findings, list, exitCode: mostSevere(list.map(({ exitCode }) => exitCode)) };
}

/**
 * From the most severe down. Interrupted and defects first; then what keeps svc from an answer, the
 * user's side before the machine's and the machine's before the network's; then the answers:
 * what was expected, diverged, inconclusive, reproduced. docs/ci.md lists the same.
 */
export const BY_SEVERITY: readonly number[] = [130, 70, 2, 3, 5, 4, NOT_AS_EXPECTED, 1, 6, 0];

/** 0 of none. */
export function mostSevere(exitCodes: readonly number[]): number {
  return BY_SEVERITY.find((code) => exitCodes.includes(code)) ?? 0;
}
