// Findings for machines: for one transaction its document, with `failedExpectations` if something
// was expected; for several, the list document that schema/debug-list.schema.json describes.

import { jsonDocument } from "../../base/text/json-document.ts";
import type { Finding, Findings } from "../../model/finding.ts";
import { debugReport } from "../json.ts";

const DEBUG_LIST_FORMAT = 1;

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
  return jsonDocument({
    format: DEBUG_LIST_FORMAT,
    exitCode: findings.exitCode,
    transactions: findings.list.map(itemOf),
  });
}

function itemOf(finding: Finding) {
  const { subject, exitCode } = finding;
  if (finding.kind === "unanswered")
    return { subject, exitCode, error: finding.error, failedExpectations: null, report: null };
  const { investigation, failedExpectations } = finding;
  return { subject, exitCode, error: null, failedExpectations, report: debugReport(investigation) };
}
