// Findings for people: the reports, each with its failed expectations, and a line that says how to
// see the rest of them. Several reports have a separator each, and a list of all at the end.

import { counted } from "../../base/text/counted.ts";
import { neutraliseCommands } from "../../base/text/neutralise.ts";
import type { Finding, Findings, FoundError } from "../../model/finding.ts";
import type { Investigation } from "../../model/investigation.ts";
import type { TransactionOutline } from "../../model/transaction-outline.ts";
import { fixDocument } from "../document/answers.ts";
import { causeOf, countsOf, stateOf } from "../document/counts.ts";
import { type Excerpt, VERDICT_SECTION } from "../document/document.ts";
import { findingDocument, investigationDocument } from "../document/investigation.ts";
import { isNamed, SECTION_NAMES } from "../report-format.ts";
import { drawExcerpt, drawText, excerptOf, type TextOptions } from "./draw.ts";
import { atWidth, wrap } from "./layout.ts";
import { openStyle, type Style } from "./style.ts";

export interface ReportOptions extends TextOptions {
  /** With every address in full. */
  readonly fullAddresses?: boolean;
}

const SEPARATOR_COLUMNS = 40;

/** One transaction, without expectations. */
export function renderText(investigation: Investigation, options: ReportOptions): string {
  return drawText(investigationDocument(investigation, options.fullAddresses === true), options);
}

/** A transaction that cannot be replayed, and why. */
export function renderOutlineText(
  outline: TransactionOutline,
  error: FoundError,
  options: TextOptions,
): string {
  const none = { subject: outline.hash, exitCode: 0, elapsedMilliseconds: 0 };
  const finding = { kind: "unanswered", ...none, error, outline } as const;
  return drawText(findingDocument(finding, false), options);
}

export function renderFindingsText(findings: Findings, options: ReportOptions): string {
  const { verbose = false, show = [], fullAddresses = false } = options;
  const drawing = { ...options, brief: !verbose && show.length === 0 };
  const excerpts = findings.list.map((each) =>
    excerptOf(findingDocument(each, fullAddresses), drawing),
  );
  const style = openStyle(options.color);
  return drawAll(findings, excerpts, drawing, () => {
    const more = [...emptyLines(excerpts, show), ...moreLines(excerpts)].map(style.faint);
    if (!findings.single) return ["", ...summaryLines(findings, style), "", ...more];
    const [last] = excerpts.flatMap(({ sections }) => sections.slice(-1));
    // The verdict says how far to trust the report, and the line below it where the rest is.
    return last?.id === VERDICT_SECTION && last.body.length > 0 ? more : ["", ...more];
  });
}

/** Only the fixes. */
export function renderFixText(findings: Findings, options: TextOptions): string {
  const excerpts = findings.list.map((each) => excerptOf(fixDocument(each), options));
  return drawAll(findings, excerpts, options, () => []);
}

function drawAll(
  { list, single }: Findings,
  excerpts: readonly Excerpt[],
  options: TextOptions,
  lastLines: () => string[],
): string {
  const { heading } = openStyle(options.color);
  return atWidth(options.columns, () => {
    const blocks = excerpts.flatMap((excerpt, index) => {
      const report = drawExcerpt(excerpt, options).trimEnd();
      const finding = list[index];
      return single || finding === undefined ? [report] : [heading(titleOf(finding)), report];
    });
    const text = [blocks.join("\n\n"), ...lastLines()].join("\n").trimEnd();
    return neutraliseCommands(`${text}\n`);
  });

  /** A report has the hash in its head. */
  function titleOf(finding: Finding): string {
    const place = `${list.indexOf(finding) + 1} of ${list.length}`;
    const subject = finding.kind === "unanswered" ? ` ${finding.subject}` : "";
    return wrap(`── ${place}${subject} ${"─".repeat(SEPARATOR_COLUMNS)}`).join("\n");
  }
}

function summaryLines(findings: Findings, style: Style): string[] {
  const rows = findings.list.flatMap((finding) => {
    const failed = finding.kind === "investigated" ? (finding.failedExpectations?.length ?? 0) : 0;
    const state = [
      stateOf(finding),
      ...(failed === 0 ? [] : [counted(failed, "failed expectation")]),
    ].join(", ");
    const cause = causeOf(finding);
    const lines = [
      ...wrap(finding.subject, "  "),
      ...wrap(cause === null ? state : `${state}: ${cause}`, "    "),
    ];
    return finding.exitCode === 0 ? lines : lines.map(style.bad);
  });
  return [...wrap(countsOf(findings)).map(style.heading), ...rows];
}

/** What was asked for by its name, and no report has. */
function emptyLines(excerpts: readonly Excerpt[], show: readonly string[]): string[] {
  const sections = excerpts.flatMap((excerpt) => excerpt.sections);
  const has = (name: string) =>
    sections.some(({ id, body }) => isNamed(id, name) && body.length > 0);
  const empty = show.filter((name) => !has(name));
  return empty.length === 0 ? [] : wrap(`Nothing to show: ${empty.join(", ")}.`);
}

/** How to see what the excerpts left out, with as many names as one line has room for. */
function moreLines(excerpts: readonly Excerpt[]): string[] {
  const cut = excerpts.flatMap((excerpt) => excerpt.cut);
  const names = SECTION_NAMES.filter((name) => cut.some((id) => isNamed(id, name)));
  if (names.length === 0) return [];
  const line = (count: number) =>
    wrap(
      `More: -v, or --show ${[...names.slice(0, count), ...(count < names.length ? ["…"] : [])]}`,
    );
  let count = names.length;
  while (count > 1 && line(count).length > 1) count -= 1;
  return line(count);
}
