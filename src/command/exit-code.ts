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

/** Null: nothing ran in the contract host, so there was nothing to reproduce. */
function exitCodeOf(verdict: Verdict | null): number {
  return verdict === null ? EXIT.reproduced : BY_VERDICT[verdict.kind];
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
  if (counts.diverged > 0 || stateMismatches > 0) return EXIT.diverged;
  if (unknownProtocolLedgers > 0) return EXIT.outdated;
  return counts.inconclusive > 0 ? EXIT.inconclusive : 0;
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
