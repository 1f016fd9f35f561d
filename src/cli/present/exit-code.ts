// The exit codes of verdicts and expectations. Errors have their own exit codes.

import { EXIT } from "../../base/errors/base-errors.ts";
import type { FailedExpectation, Findings } from "../../model/finding.ts";
import type { Verdict, VerdictKind } from "../../model/verdict.ts";
import type { Verification } from "../../model/verification.ts";
import type { FixFormat } from "../../report/report-format.ts";

const EXIT_CODES: Readonly<Record<VerdictKind, number>> = {
  exact: 0,
  equivalent: 0,
  diverged: 1,
  inconclusive: EXIT.inconclusive,
};

/** Null: nothing ran in the contract host, so there was nothing to reproduce. */
function exitCodeOf(verdict: Verdict | null): number {
  return verdict === null ? 0 : EXIT_CODES[verdict.kind];
}

/**
 * A divergence and corrupted state outweigh ledgers that svc does not know, and these transactions
 * that could not be judged.
 */
export function exitCodeOfVerification({
  verdicts: counts,
  stateMismatches,
  unknownProtocolLedgers = 0,
}: Pick<Verification, "verdicts" | "stateMismatches"> &
  Partial<Pick<Verification, "unknownProtocolLedgers">>): number {
  if (counts.diverged > 0 || stateMismatches > 0) return EXIT_CODES.diverged;
  if (unknownProtocolLedgers > 0) return EXIT.outdated;
  return counts.inconclusive > 0 ? EXIT_CODES.inconclusive : 0;
}

/** A failed expectation outweighs the verdict: `--fail-on diverged` exits with code 7, not 1. */
export function exitCodeOfInvestigation(
  verdict: Verdict | null,
  failedExpectations: readonly FailedExpectation[] | null,
): number {
  return failedExpectations !== null && failedExpectations.length > 0
    ? EXIT.notAsExpected
    : exitCodeOf(verdict);
}

/**
 * With --fix: 7 for a failed transaction without a proven fix, whatever its verdict; for a pipe
 * also where there is nothing to fix.
 */
export function judgedByFix(findings: Findings, format: FixFormat): Findings {
  const list = findings.list.map((finding) => {
    if (finding.kind === "unanswered") return finding;
    const { fix } = finding.investigation;
    const wanting = (fix !== null || format === "xdr") && fix?.proof?.outcome !== "succeeds";
    return wanting ? { ...finding, exitCode: EXIT.notAsExpected } : finding;
  });
  return { ...findings, list, exitCode: mostSevere(list.map(({ exitCode }) => exitCode)) };
}

/**
 * From the most severe down: interrupted and internal errors; then the errors that keep svc from an
 * answer, the user's before the machine's and the machine's before the network's; then the answers:
 * not as expected, diverged, inconclusive, reproduced. docs/ci.md has the same list.
 */
export const BY_SEVERITY: readonly number[] = [130, 70, 2, 3, 8, 5, 4, 7, 1, 6, 0];

/** 0 for an empty list. */
export function mostSevere(exitCodes: readonly number[]): number {
  return BY_SEVERITY.find((code) => exitCodes.includes(code)) ?? 0;
}
