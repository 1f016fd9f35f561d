// Findings for people: the full reports, each with its failed expectations. Several reports have a
// title line each, and a list of all at the end.

import { neutraliseCommands } from "../../base/text/neutralise.ts";
import type { Findings } from "../../model/finding.ts";
import type { Investigation } from "../../model/investigation.ts";
import { fixDocument } from "../document/answers.ts";
import { countsOf, stateOf } from "../document/counts.ts";
import type { ReportDocument } from "../document/document.ts";
import { findingDocument, investigationDocument } from "../document/investigation.ts";
import { drawText, type TextOptions } from "./draw.ts";
import { atWidth, wrap } from "./layout.ts";
import { openStyle, type Style } from "./style.ts";

/** One transaction, without expectations. */
export function renderText(investigation: Investigation, options: TextOptions): string {
  return drawText(investigationDocument(investigation, options.verbose === true), options);
}

export function renderFindingsText(findings: Findings, options: TextOptions): string {
  const isVerbose = options.verbose === true;
  const documents = findings.list.map((finding) => findingDocument(finding, isVerbose));
  return drawAll(documents, findings, options, summaryLines);
}

/** Only the fixes. */
export function renderFixText(findings: Findings, options: TextOptions): string {
  return drawAll(findings.list.map(fixDocument), findings, options, () => []);
}

function drawAll(
  documents: readonly ReportDocument[],
  findings: Findings,
  options: TextOptions,
  lastLines: (findings: Findings, style: Style) => string[],
): string {
  const style = openStyle(options.color);
  const { list, single } = findings;
  return atWidth(options.columns, () => {
    const blocks = documents.map((document, index) => {
      const report = drawText(document, options).trimEnd();
      if (single) return report;
      const title = `== ${list[index]?.subject} (${index + 1} of ${list.length})`;
      return [...wrap(title).map(style.heading), "", report].join("\n");
    });
    const last = single ? [] : lastLines(findings, style);
    if (last.length > 0) blocks.push(last.join("\n"));
    return neutraliseCommands(`${blocks.join("\n\n")}\n`);
  });
}

function summaryLines(findings: Findings, style: Style): string[] {
  const rows = findings.list.flatMap((finding) => {
    const failed = finding.kind === "investigated" ? (finding.failedExpectations?.length ?? 0) : 0;
    const expectations = failed === 1 ? "expectation" : "expectations";
    const state = `${stateOf(finding)}${failed === 0 ? "" : `, ${failed} failed ${expectations}`}`;
    const lines = [...wrap(finding.subject, "  "), ...wrap(state, "    ")];
    return finding.exitCode === 0 ? lines : lines.map(style.bad);
  });
  return [...wrap(countsOf(findings)).map(style.heading), ...rows];
}
