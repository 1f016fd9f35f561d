// Writes findings as JUnit XML, one testcase for each transaction, and other suites of tests. They
// follow both common schemas (JUnit.xsd of ant, and Jenkins' junit-10.xsd): the attributes and the
// order that the stricter one requires, and nothing that the other one does not have.

import { neutralise, neutraliseCommands, neutraliseLines } from "../../base/text/neutralise.ts";
import type { Finding, Findings } from "../../model/finding.ts";
import { countsOf, stateOf } from "../document/counts.ts";
import { renderText } from "../text/render-text.ts";
import { findingRemarks } from "./remarks.ts";

export function renderJunit(findings: Findings): string {
  const { list } = findings;
  const errors = list.filter(({ kind }) => kind === "unanswered").length;
  const bad = list.filter(({ exitCode }) => exitCode !== 0).length;
  return testSuite({
    name: "svc debug",
    beganUnixMilliseconds: findings.beganUnixMilliseconds,
    failures: bad - errors,
    errors,
    cases: list.map(caseOf),
    output: [countsOf(findings), ...list.map(summaryLine)].join("\n"),
  });
}

export interface TestSuite {
  /** The command. */
  readonly name: string;
  readonly beganUnixMilliseconds: number;
  readonly failures: number;
  readonly errors: number;
  readonly cases: readonly TestCase[];
  readonly output: string;
}

export interface TestCase {
  readonly name: string;
  readonly elapsedMilliseconds: number;
  /** Null if it passed. */
  readonly problem: {
    readonly element: "error" | "failure";
    readonly message: string;
    readonly type: string;
    readonly body: string;
  } | null;
}

export function testSuite(suite: TestSuite): string {
  const { name, cases, failures, errors } = suite;
  const elapsed = cases.reduce((sum, each) => sum + each.elapsedMilliseconds, 0);
  const head = attributes({
    name,
    package: "svc",
    id: "0",
    // Ant's schema requires an xs:dateTime without a zone. The time is UTC.
    timestamp: new Date(suite.beganUnixMilliseconds).toISOString().slice(0, 19),
    hostname: "localhost",
    tests: String(cases.length),
    failures: String(failures),
    errors: String(errors),
    time: seconds(elapsed),
  });
  const classname = name.replace(" ", ".");
  return neutraliseCommands(
    [
      '<?xml version="1.0" encoding="UTF-8"?>',
      "<testsuites>",
      `  <testsuite${head}>`,
      "    <properties/>",
      ...cases.map((each) => testcase(each, classname)),
      `    <system-out>${content(suite.output)}</system-out>`,
      "    <system-err/>",
      "  </testsuite>",
      "</testsuites>",
      "",
    ].join("\n"),
  );
}

function summaryLine(finding: Finding): string {
  return `${finding.subject}: ${stateOf(finding)}${whyPassed(finding)}`;
}

/**
 * Readers of a test report expect a failed transaction to fail the test, so a passed one gets the
 * reason.
 */
function whyPassed(finding: Finding): string {
  if (finding.exitCode !== 0 || finding.kind === "unanswered") return "";
  if (finding.failedExpectations !== null) return " (passed: all expectations are met)";
  const { success } = finding.investigation.explanation;
  return success ? "" : " (passed: no --fail-on)";
}

function caseOf(finding: Finding): TestCase {
  const { subject: name, elapsedMilliseconds } = finding;
  if (finding.exitCode === 0) return { name, elapsedMilliseconds, problem: null };
  const [first] = findingRemarks(finding);
  const problem = {
    element: finding.kind === "unanswered" ? "error" : "failure",
    message: first === undefined ? stateOf(finding) : `${first.title}: ${first.message}`,
    type: first?.rule ?? "unknown",
    body: bodyOf(finding),
  } as const;
  return { name, elapsedMilliseconds, problem };
}

function testcase({ name, elapsedMilliseconds, problem }: TestCase, classname: string): string {
  const head = attributes({ name, classname, time: seconds(elapsedMilliseconds) });
  if (problem === null) return `    <testcase${head}/>`;
  const { element, message, type } = problem;
  const why = attributes({ message, type });
  const body = `<${element}${why}>${content(problem.body)}</${element}>`;
  return `    <testcase${head}>\n      ${body}\n    </testcase>`;
}

function bodyOf(finding: Finding): string {
  const remarks = findingRemarks(finding).map(({ title, message }) => `${title}: ${message}`);
  if (finding.kind === "unanswered") return remarks.join("\n");
  return `${remarks.join("\n")}\n\n${renderText(finding.investigation, { color: false })}`;
}

function seconds(milliseconds: number): string {
  return (milliseconds / 1000).toFixed(3);
}

function attributes(values: Readonly<Record<string, string>>): string {
  return Object.entries(values)
    .map(([name, value]) => ` ${name}="${escaped(neutralise(value))}"`)
    .join("");
}

function content(text: string): string {
  return escaped(neutraliseLines(text));
}

/** XML 1.0 does not allow these two noncharacters. All others were neutralised before. */
function escaped(text: string): string {
  return text
    .replace(/[\uFFFE\uFFFF]/g, (match) => `\\u{${match.charCodeAt(0).toString(16)}}`)
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&apos;");
}
