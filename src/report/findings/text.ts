// Findings for people: the full reports, each with its failed expectations. Several reports have a
// title line each, and a list of all at the end.

import { neutraliseCommands } from "../../base/text/neutralise.ts";
import type { FailedExpectation, Finding, Findings } from "../../model/finding.ts";
import { wrap } from "../text/layout.ts";
import { renderText, type TextOptions } from "../text/render-text.ts";
import { openStyle, type Style } from "../text/style.ts";
import { countsOf } from "./counts.ts";
import { stateOf } from "./remarks.ts";

export function renderFindingsText(findings: Findings, options: TextOptions): string {
  const style = openStyle(options.color);
  const { list, single } = findings;
  const reports = list.map((finding, index) => {
    const report = [...reportOf(finding, options), ...failedExpectationLines(finding, style)].join(
      "\n",
    );
    if (single) return report;
    const title = `== ${finding.subject} (${index + 1} of ${list.length})`;
    return [...wrap(title).map(style.heading), "", report].join("\n");
  });
  if (!single) reports.push(summaryLines(findings, style).join("\n"));
  return neutraliseCommands(`${reports.join("\n\n")}\n`);
}

function reportOf(finding: Finding, options: TextOptions): string[] {
  if (finding.kind === "investigated")
    return renderText(finding.investigation, options).trimEnd().split("\n");
  const { code, message, remedy } = finding.error;
  const style = openStyle(options.color);
  const lines = message.split("\n").flatMap((line) => wrap(line));
  return [
    ...wrap(`Not investigated [${code}]`).map(style.bad),
    ...lines,
    ...wrap(`What to do: ${remedy}`, "", 2),
  ];
}

function failedExpectationLines(finding: Finding, style: Style): string[] {
  if (finding.kind === "unanswered" || finding.failedExpectations === null) return [];
  if (finding.failedExpectations.length === 0)
    return ["", ...wrap("All expectations passed.").map(style.good)];
  return [
    "",
    style.heading("Failed expectations"),
    ...finding.failedExpectations.flatMap(failedExpectationLine),
  ];
}

function failedExpectationLine({ origin, condition, message }: FailedExpectation): string[] {
  return wrap(`${origin} ${condition} - ${message}`, "  - ");
}

function summaryLines(findings: Findings, style: Style): string[] {
  const rows = findings.list.flatMap((finding) => {
    const failed = finding.kind === "investigated" ? (finding.failedExpectations?.length ?? 0) : 0;
    const expectations = failed === 1 ? "expectation" : "expectations";
    const state = `${stateOf(finding)}${failed === 0 ? "" : `, ${failed} failed ${expectations}`}`;
    const lines = [...wrap(finding.subject, "  "), ...wrap(state, "    ")];
    return finding.exitCode === 0 ? lines : lines.map(style.bad);
  });
  return [...wrap(`${countsOf(findings)}.`).map(style.heading), ...rows];
}
