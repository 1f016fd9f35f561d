// The exit codes of verdicts and expectations. Errors have their own exit codes.

import { EXIT, mostSevere } from "../base/errors/exit-codes.ts";
import type { FailedExpectation, Findings } from "../model/finding.ts";
import type { Verdict, VerdictKind } from "../model/verdict.ts";
import type { Verification } from "../model/verification.ts";
import type { FixFormat } from "../report/report-format.ts";

const BY_VERDICT: Readonly<Record<VerdictKind, number>> = {
  exact: EXIT.reproduced,
  equivalent: EXIT.reproduced,
  diverged: EXIT.diverged,
  inconclusive: EXIT.inconclusive,
};

/**
 * The exit code of a verdict; null if nothing ran in the contract host, so that there was nothing
 * to reproduce.
 */
function exitCodeOf(verdict: Verdict | null): number {
  return verdict === null ? EXIT.reproduced : BY_VERDICT[verdict.kind];
}

/**
 * The exit code of a verification. A divergence and corrupted state take precedence over unknown
 * ledgers, and these over transactions that could not be judged.
 */
export function exitCodeOfVerification({
  verdicts: counts,
  stateMismatches,
  unknownProtocolLedgers = 0,
}: Pick<Verification, "verdicts" | "stateMismatches"> &
  Partial<Pick<Verification, "unknownProtocolLedgers">>): number {
  if (counts.diverged > 0 || stateMismatches > 0) return EXIT.diverged;
  if (unknownProtocolLedgers > 0) return EXIT.outdated;
  return counts.inconclusive > 0 ? EXIT.inconclusive : 0;
}

/**
 * The exit code of an investigation. A failed expectation takes precedence over the verdict:
 * `--fail-on diverged` exits with code 7, not 1.
 */
export function exitCodeOfInvestigation(
  verdict: Verdict | null,
  failedExpectations: readonly FailedExpectation[] | null,
): number {
  return failedExpectations !== null && failedExpectations.length > 0
    ? EXIT.notAsExpected
    : exitCodeOf(verdict);
}

/**
 * The findings with the exit code of --fix: 7 for a failed transaction without a proven fix,
 * whatever its verdict is. For a pipe it is also 7 if there is nothing to fix.
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
