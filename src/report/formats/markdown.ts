// Markdown: findings for a comment on a pull request, and a document for a job's summary. Text that
// may quote the chain is prose only if it contains nothing that Markdown or GitHub (mentions,
// references, links) would interpret. Otherwise it is a code span or a code block, in which nothing
// is interpreted.

import { codePieces } from "../../base/text/code-marks.ts";
import {
  cutVisibly,
  neutralise,
  neutraliseCommands,
  neutraliseLines,
} from "../../base/text/neutralise.ts";
import { sentenceStart } from "../../base/text/sentence.ts";
import type { Finding, Findings, Investigated } from "../../model/finding.ts";
import { callSignatureInWords } from "../document/calls.ts";
import { causeOf, countsOf, resultOf } from "../document/counts.ts";
import { type Block, type Item, only, type ReportDocument } from "../document/document.ts";
import { NOT_SENT } from "../document/made-call.ts";
import { renderText } from "../text/render-text.ts";
import { findingRemarks, type Remark } from "./remarks.ts";

const MARKS: Readonly<Record<Remark["level"], string>> = {
  error: "**error**",
  warning: "**warning**",
  note: "**note**",
};
/** GitHub allows 65,536 characters in a comment. Without the full reports, more findings fit. */
const COMMENT_CHARACTERS = 60_000;
const CAUSE_CHARACTERS = 160;

export function renderMarkdown(findings: Findings): string {
  const withReports = draw(findings, true);
  const text = withReports.length <= COMMENT_CHARACTERS ? withReports : draw(findings, false);
  return neutraliseCommands(text);
}

function draw(findings: Findings, reports: boolean): string {
  const [only] = findings.list;
  const isCall = only?.kind === "investigated" && only.investigation.call !== undefined;
  const lines = isCall ? callLines(only, reports) : transactionLines(findings, reports);
  if (!reports) lines.push("", "The full reports are too long for a comment.");
  return `${lines.join("\n")}\n`;
}

/** A call of svc itself: it is in no ledger of a network, so its replay has no verdict to show. */
function callLines(finding: Investigated, reports: boolean): string[] {
  const { explanation, call } = finding.investigation;
  const notSent = `${sentenceStart(NOT_SENT)}. State: ${call?.state ?? ""}.`;
  const lines = ["### svc call", "", prose(explanation.headline), "", prose(notSent)];
  const remarks = findingRemarks(finding);
  if (remarks.length > 0) lines.push("", ...remarkLines(remarks));
  return reports ? [...lines, ...fullReport(finding)] : lines;
}

function transactionLines(findings: Findings, reports: boolean): string[] {
  const lines = ["### svc debug", "", countsOf(findings), ""];
  lines.push("| transaction | result | verdict | cause |", "|---|---|---|---|");
  for (const finding of findings.list) {
    const [result, verdict, withOverrides] = resultOf(finding);
    const unmet = finding.kind === "investigated" && finding.failedExpectations?.length;
    const results = [result, withOverrides, unmet ? "**not as expected**" : null];
    const row = [
      tableCode(finding.subject),
      results.filter((each) => each !== null).join(", "),
      verdict ?? "",
      causeCell(finding),
    ];
    lines.push(`| ${row.join(" | ")} |`);
  }
  for (const finding of findings.list) lines.push(...details(finding, reports));
  return lines;
}

/** Shows the cause on one line. The rest follows below the table. */
function causeCell(finding: Finding): string {
  if (finding.kind === "unanswered") return prose(finding.error.code);
  if (finding.investigation.explanation.success) return "";
  const shown = cutVisibly(causeOf(finding) ?? "unknown", CAUSE_CHARACTERS);
  return prose(shown).replaceAll("|", "\\|");
}

function details(finding: Finding, report: boolean): string[] {
  const remarks = findingRemarks(finding);
  if (remarks.length === 0) return [];
  const lines = ["", `#### ${code(finding.subject)}`, "", ...remarkLines(remarks)];
  if (!report || finding.kind === "unanswered") return lines;
  return [...lines, ...fullReport(finding)];
}

function remarkLines(remarks: readonly Remark[]): string[] {
  return remarks.flatMap(({ level, title, sentences }) => [
    `- ${MARKS[level]} ${prose(title)}`,
    ...sentences.map((sentence) => `  - ${prose(sentence)}`),
  ]);
}

function fullReport({ investigation }: Investigated): string[] {
  const text = renderText(investigation, { color: false }).trimEnd();
  const summary = "<details><summary>Full report</summary>";
  return ["", summary, "", ...codeBlock(text), "", "</details>"];
}

/** Draws a document without its evidence, which is long. */
export function drawMarkdown(title: string, document: ReportDocument): string {
  const { head, sections } = only(document, new Set());
  const parts = [
    `## ${title}`,
    ...(head === null ? [] : [prose(head.headline), ...head.body.map(block)]),
    ...sections
      .filter(({ level, body }) => level !== "evidence" && body.length > 0)
      .flatMap(({ title, body }) => [`### ${title}`, ...body.map(block)]),
  ];
  return neutraliseCommands(`${parts.join("\n\n")}\n`);
}

function block(node: Block): string {
  switch (node.kind) {
    case "sentence":
      return prose(node.label === undefined ? node.text : `${node.label}: ${node.text}`);
    case "rows": {
      const { rows, most = rows.length } = node;
      const row = ({ label, values }: (typeof rows)[number]) => [label, values.join(" -> ")];
      return tableOf(["", ""], rows.slice(0, most).map(row));
    }
    case "table": {
      const cell = (each: (typeof node.rows)[number][number]) =>
        typeof each === "string" || each === null ? (each ?? "") : each.text;
      return tableOf(
        node.headings,
        node.rows.map((row) => row.map(cell)),
      );
    }
    case "items":
      return node.items.map(listItem).join("\n");
    case "columns":
      return node.columns.flatMap(({ body }) => body.map(block)).join("\n\n");
    case "copyable":
      return [`- ${prose(node.title)}`, "", ...codeBlock(node.text)].join("\n");
    default:
      return "";
  }
}

function listItem({ text, notes = [] }: Item): string {
  const own = typeof text === "string" ? text : callSignatureInWords(text);
  return [`- ${prose(own)}`, ...notes.map((note) => `  ${prose(note.text)}`)].join("\n");
}

function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  const cells = (row: readonly string[]) => row.map((each) => prose(each).replaceAll("|", "\\|"));
  return [line(head), line(head.map(() => "---")), ...rows.map((row) => line(cells(row)))].join(
    "\n",
  );
}

/**
 * Plain words stay, words between backticks become code spans, and anything else becomes one span.
 */
function prose(text: string): string {
  const pieces = codePieces(text);
  const ends = pieces.length - 1;
  const fits = pieces.every(({ text: piece, isCode }, index) =>
    isCode
      ? piece.trim() !== ""
      : isPlain(index === 0 ? piece.trimStart() : piece) && (piece !== "" || index % ends === 0),
  );
  if (!fits) return code(text);
  const drawn = pieces.map(({ text: piece, isCode }) =>
    isCode ? code(piece) : piece.replaceAll("_", "\\_"),
  );
  return drawn.join("").trim();
}

function isPlain(text: string): boolean {
  const words = /^[A-Za-z0-9 ,.;'"()%_-]*(:( [A-Za-z0-9 ,.;'"()%_-]*|$))*$/;
  return words.test(text.replaceAll(/ [=+−×] /g, " ")) && !/www\.|GH-\d/i.test(text);
}

/** The fence is longer than any run of backticks inside; blanks separate those at the ends. */
function code(text: string): string {
  const shown = neutralise(text);
  const fence = "`".repeat(longestRun(shown) + 1);
  const blank = /^`|`$|^ .* $/.test(shown) || shown.trim() === "" ? " " : "";
  return `${fence}${blank}${shown}${blank}${fence}`;
}

/** In a table a bar ends the cell, even in a code span. */
function tableCode(text: string): string {
  return code(text).replaceAll("|", "\\|");
}

function codeBlock(text: string): string[] {
  const shown = neutraliseLines(text);
  const fence = "`".repeat(Math.max(3, longestRun(shown) + 1));
  return [`${fence}text`, shown, fence];
}

function longestRun(text: string): number {
  return Math.max(0, ...(text.match(/`+/g) ?? []).map(({ length }) => length));
}
