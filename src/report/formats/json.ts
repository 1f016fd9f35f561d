// Writes findings as JSON. One transaction is its document, with `failedExpectations` if there were
// expectations. Several are the list that schema/debug-list.schema.json describes. This file also
// writes the documents of `svc debug --fix --json` and `--format xdr`.

import { jsonDocument } from "../../base/text/json-document.ts";
import type { DebugList, ListedTransaction } from "../../model/debug-list.ts";
import type { Finding, Findings } from "../../model/finding.ts";
import { provenEnvelopes } from "../document/fix.ts";
import { debugReport, decidedReport } from "../json.ts";

const FIX_FORMAT = 1;

export function renderFindingsJson(findings: Findings): string {
  const [only] = findings.list;
  if (findings.single && only?.kind === "investigated") {
    const report = debugReport(only.investigation);
    return jsonDocument(
      only.failedExpectations === null
        ? report
        : { ...report, failedExpectations: only.failedExpectations },
    );
  }
  const list: DebugList = {
    format: 1,
    exitCode: findings.exitCode,
    transactions: findings.list.map(itemOf),
  };
  return jsonDocument(list);
}

function itemOf(finding: Finding): ListedTransaction {
  const { subject, exitCode } = finding;
  if (finding.kind === "unanswered")
    return { subject, exitCode, error: finding.error, failedExpectations: null, report: null };
  const { investigation, failedExpectations } = finding;
  return {
    subject,
    exitCode,
    error: null,
    failedExpectations: failedExpectations && [...failedExpectations],
    report: debugReport(investigation),
  };
}

/** Writes one document for one transaction, and a list of them for several. */
export function renderFixJson({ list, single, exitCode }: Findings): string {
  const [only] = list;
  if (single && only?.kind === "investigated") return jsonDocument(fixReport(only));
  return jsonDocument({ format: FIX_FORMAT, exitCode, transactions: list.map(fixReport) });
}

/**
 * Writes the proven envelopes, one on each line, in the order of sending. `stellar tx sign` reads
 * them.
 */
export function renderFixXdr({ list }: Findings): string {
  return list.flatMap((finding) => provenEnvelopes(finding).map((xdr) => `${xdr}\n`)).join("");
}

function fixReport(finding: Finding) {
  const { subject, exitCode } = finding;
  if (finding.kind === "unanswered") {
    return { format: FIX_FORMAT, subject, exitCode, error: finding.error };
  }
  const { record, explanation, verdict, fix } = finding.investigation;
  return {
    format: FIX_FORMAT,
    subject,
    exitCode,
    hash: record.hash,
    networkPassphrase: record.networkPassphrase,
    success: explanation.success,
    cause: explanation.cause,
    decidedBy: explanation.decidedBy && decidedReport(explanation.decidedBy),
    verdict: verdict?.kind ?? null,
    fix,
  };
}
