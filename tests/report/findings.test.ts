// The reports for pipelines: the content of each format for honest findings, and that hostile text
// has no meaning for its readers.

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { neutralise } from "../../src/base/text/neutralise.ts";
import { explain } from "../../src/explain/explain.ts";
import type { Finding, Findings } from "../../src/model/finding.ts";
import { countsOf, stateOf } from "../../src/report/document/counts.ts";
import { renderGithub } from "../../src/report/formats/github.ts";
import { renderFindingsJson } from "../../src/report/formats/json.ts";
import { renderJunit } from "../../src/report/formats/junit.ts";
import { renderMarkdown } from "../../src/report/formats/markdown.ts";
import { findingRemarks } from "../../src/report/formats/remarks.ts";
import { renderSarif } from "../../src/report/formats/sarif.ts";
import { renderPage } from "../../src/report/html/page.ts";
import { FINDINGS_RENDERERS } from "../../src/report/renderers.ts";
import type { ReportFormat } from "../../src/report/report-format.ts";
import listSchema from "../../src/report/schema/debug-list.schema.json";
import debugSchema from "../../src/report/schema/debug-report.schema.json";
import { openedAlone } from "../support/opened.ts";
import { schemaProblems } from "./check-schema.ts";
import {
  failedExpectationsOf,
  findingsOf,
  found,
  hostileText,
  notFound,
  overridden,
  poisoned,
} from "./findings-of.ts";
import { investigate, investigateClassic } from "./investigations.ts";
import { activeMarkdown } from "./markdown-scan.ts";
import { parseXml, type XmlElement } from "./parse-xml.ts";

const failed = investigate("contract-error");
const succeeded = investigate("sac-transfer");
const classic = investigateClassic("payment-underfunded");
const diverged = investigate("sac-transfer", (walk) => ({
  ...walk,
  execution: { ...walk.execution, changes: walk.execution.changes.slice(1) },
}));
const inconclusive = investigate("contract-error", (walk) => ({
  ...walk,
  snapshot: {
    ...walk.snapshot,
    unknown: [{ keyXdr: Buffer.alloc(40).toString("base64"), reason: "no node has it" }],
  },
}));

/** Nothing was replayed: its calls come from the node's diagnostic events. */
const recorded = {
  ...failed,
  execution: null,
  verdict: null,
  explanation: explain(openedAlone(failed.record), null, null),
};

const MIXED = findingsOf([
  found(succeeded),
  found(failed, 7, [
    failedExpectationsOf("verdict", "verdict is exact, and diverged was expected."),
  ]),
  found(diverged, 1),
  found(inconclusive, 6),
  found(classic),
  notFound("ab".repeat(32)),
]);

/** The page as it is once it is loaded. */
const RENDERERS = { ...FINDINGS_RENDERERS, html: renderPage };
const render = (format: ReportFormat, findings: Findings) =>
  RENDERERS[format](findings, { color: false });

describe("text", () => {
  test("a single report, with its failed expectations below it", () => {
    const failedExpectations = [
      failedExpectationsOf("verdict", "verdict is exact, and diverged was expected."),
    ];
    const text = render("text", findingsOf([found(failed, 7, failedExpectations)], true));
    expect(text).not.toContain("──");
    expect(text).toContain(
      "\n\nFailed expectations\n  - --expect verdict: verdict is exact, and diverged was expected.\n\nVerdict: ",
    );
    const well = render("text", findingsOf([found(failed, 0, [])], true));
    expect(well).toContain("\n\nAll expectations passed.\n\nVerdict: ");
  });

  test("several reports, each under its hash, and a list of all at the end", () => {
    const text = render("text", MIXED);
    for (const { subject } of MIXED.list) expect(text.split(subject).length).toBeGreaterThan(2);
    expect(text).toStartWith(`── 1 of 6 ${"─".repeat(40)}\n\n`);
    expect(text).toContain(`── 6 of 6 ${"ab".repeat(32)}\n`);
    expect(text.split("\nMore: ")).toHaveLength(2);
    expect(text).toContain("Not investigated [TRANSACTION_NOT_FOUND]\nNo source knows it.\n");
    expect(text).toContain(
      "6 transactions: 2 succeeded, 3 failed on chain, 2 replayed exactly, 1 diverged,\n" +
        "1 inconclusive, 1 not replayed, 1 not investigated. 1 did not meet the\n" +
        "expectations.\n",
    );
  });
});

describe("the content of every format for a pipeline", () => {
  test("counts what was investigated, and a failed transaction as failed", () => {
    const counts = (...list: Finding[]) => countsOf({ list });
    expect(counts(found(failed))).toBe("1 transaction: 1 failed on chain, 1 replayed exactly.");
    expect(counts(found(succeeded), found(failed))).toBe(
      "2 transactions: 1 succeeded, 1 failed on chain, 2 replayed exactly.",
    );
    const claims = { by: "capsule", parts: ["result"] } as const;
    const claimed = found({ ...failed, record: { ...failed.record, claimed: claims } });
    expect(counts(claimed, found(failed))).toBe(
      "2 transactions: 2 failed on chain, 2 replayed exactly. 1 rests on claims of a capsule.",
    );
    expect(stateOf(claimed)).toBe("failed, exact on claims of a capsule");
    expect(counts(found(classic))).toBe("1 transaction: 1 failed on chain, 1 not replayed.");
    expect(counts(notFound("ab".repeat(32)))).toBe("1 transaction: 1 not investigated.");
  });

  test("quotes no evidence from before the cause, and ends its sentences", () => {
    const { explanation } = failed;
    const own = "Contract C reported Error(Budget, ExceededLimit): [1]";
    const before = `Before that, contract C reported Error(WasmVm, InvalidAction): [2]`;
    const messageOf = (evidence: readonly string[], ownEvidence: number) => {
      const other = { ...failed, explanation: { ...explanation, evidence, ownEvidence } };
      return findingRemarks(found(other)).find(({ rule }) => rule.startsWith("cause/"))?.message;
    };
    const cause = explanation.cause?.summary ?? "";
    expect(messageOf([own, before], 1)).toStartWith(`${cause} ${own}.`);
    expect(messageOf([before], 0)).not.toContain("Before that");
  });
});

describe("JSON", () => {
  test("a single document only gains its failed expectations", () => {
    const plain = JSON.parse(render("json", findingsOf([found(failed)], true)));
    expect("failedExpectations" in plain).toBe(false);
    const failedExpectations = [failedExpectationsOf("verdict", "no")];
    const checked = JSON.parse(
      render("json", findingsOf([found(failed, 7, failedExpectations)], true)),
    );
    expect(checked).toEqual({ ...plain, failedExpectations });
    expect(schemaProblems(debugSchema, checked)).toEqual([]);
  });

  test("several follow the list's schema, and each report its own", () => {
    const document = JSON.parse(render("json", MIXED));
    expect(schemaProblems(listSchema, document)).toEqual([]);
    expect(document.transactions.map(({ exitCode }: Finding) => exitCode)).toEqual([
      0, 7, 1, 6, 0, 4,
    ]);
    const reports = document.transactions.flatMap(
      ({ report }: { report: unknown }) => report ?? [],
    );
    expect(reports).toHaveLength(5);
    for (const report of reports) expect(schemaProblems(debugSchema, report)).toEqual([]);
    expect(document.transactions[5].error.code).toBe("TRANSACTION_NOT_FOUND");
  });
});

describe("workflow commands", () => {
  test("one line for each remark, weighed", () => {
    const lines = renderGithub(MIXED).split("\n");
    expect(lines.at(-1)).toBe("");
    expect(lines.at(-2)).toStartWith("svc: 6 transactions");
    const levels = lines.slice(0, -2).map((line) => /^::(\w+) title=/.exec(line)?.[1]);
    expect(levels).toEqual([
      "error", // a failed expectation
      "warning", // failed on chain
      "error", // diverged
      "warning", // inconclusive
      "warning",
      "warning", // the classic one failed
      "error", // not investigated
    ]);
    expect(lines[0]).toBe(
      "::error title=svc%3A --expect verdict::verdict is exact, and diverged was expected.%0A" +
        `${failed.record.hash}: failed, exact`,
    );
  });

  test("properties and messages are escaped differently", () => {
    const failedExpectations = failedExpectationsOf("a:b,c%", "100 %: a, b");
    const [line] = renderGithub(findingsOf([found(succeeded, 7, [failedExpectations])])).split(
      "\n",
    );
    expect(line).toStartWith("::error title=svc%3A --expect a%3Ab%2Cc%25::100 %25: a, b%0A");
  });
});

describe("JUnit", () => {
  test("one testcase per transaction: passed, failed, or in error", () => {
    const [suite] = parseXml(renderJunit(MIXED)).children;
    expect(suite?.attributes).toEqual({
      name: "svc debug",
      package: "svc",
      id: "0",
      timestamp: "2026-01-02T03:04:05",
      hostname: "localhost",
      tests: "6",
      failures: "3",
      errors: "1",
      time: "6.192",
    });
    const cases = casesOf(renderJunit(MIXED));
    expect(cases.map(({ children }) => children[0]?.name ?? "passed")).toEqual([
      "passed",
      "failure",
      "failure",
      "failure",
      "passed",
      "error",
    ]);
    expect(cases[1]?.children[0]?.attributes.type).toBe("failed-expectation");
    expect(cases[1]?.children[0]?.text).toContain("Verdict: exact.");
    expect(cases[5]?.children[0]?.attributes.message).toContain("No source knows it.");
  });

  test("a transaction that failed on chain and passes: the report says why", () => {
    const lines = renderJunit(findingsOf([found(failed), found(succeeded), found(failed, 0, [])]));
    expect(lines).toContain("failed, exact (passed: no --fail-on)\n");
    expect(lines).toContain("succeeded, exact\n");
    expect(lines).toContain("failed, exact (passed: all expectations are met)<");
  });

  test("the elements and attributes of the schemas, in their order", () => {
    for (const findings of [MIXED, findingsOf([]), findingsOf([found(failed)], true)]) {
      const root = parseXml(renderJunit(findings));
      expect([root.name, root.attributes, root.children.length]).toEqual(["testsuites", {}, 1]);
      const names = (root.children[0]?.children ?? []).map(({ name }) => name);
      const cases = findings.list.map(() => "testcase");
      expect(names).toEqual(["properties", ...cases, "system-out", "system-err"]);
      for (const { attributes, children } of casesOf(renderJunit(findings))) {
        expect(Object.keys(attributes).sort()).toEqual(["classname", "name", "time"]);
        expect(children.length).toBeLessThanOrEqual(1);
        for (const child of children)
          expect(Object.keys(child.attributes)).toEqual(["message", "type"]);
      }
    }
  });
});

describe("SARIF", () => {
  test("a rule for each kind of cause, and a result for each remark", () => {
    const { runs, version } = JSON.parse(renderSarif(MIXED));
    expect([version, runs.length]).toEqual(["2.1.0", 1]);
    const { results, tool, invocations } = runs[0];
    expect(results.map(({ ruleId }: { ruleId: string }) => ruleId)).toEqual(
      MIXED.list.flatMap((finding) => findingRemarks(finding).map(({ rule }) => rule)),
    );
    const ids = tool.driver.rules.map(({ id }: { id: string }) => id);
    for (const id of ["cause/contract-error", "cause/result-code", "diverged", "no-answer"])
      expect(ids).toContain(id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(invocations[0].executionSuccessful).toBe(false);
  });

  test("everything that the specification requires is there", () => {
    for (const findings of [MIXED, findingsOf([]), findingsOf([found(failed, 7, [])], true)])
      expect(sarifProblems(JSON.parse(renderSarif(findings)))).toEqual([]);
  });

  test("a result is where a file of the repository names the transaction, or nowhere", () => {
    const findings = findingsOf([found(failed), found(classic)]);
    const placeOf = (subject: string) =>
      subject === failed.record.hash ? { file: "ci/my transactions.json", line: 12 } : null;
    const log = JSON.parse(renderSarif(findings, { placeOf }));
    expect(sarifProblems(log)).toEqual([]);
    type Result = { locations: { physicalLocation?: object; logicalLocations: object[] }[] };
    const places = log.runs[0].results.map(({ locations: [place] }: Result) => place);
    expect(places).toEqual([
      {
        physicalLocation: {
          artifactLocation: { uri: "ci/my%20transactions.json" },
          region: { startLine: 12 },
        },
        logicalLocations: [{ name: failed.record.hash, kind: "transaction" }],
      },
      { logicalLocations: [{ name: classic.record.hash, kind: "transaction" }] },
    ]);
  });

  test("braces are doubled, and text from the chain never becomes a link", () => {
    const failedExpectations = failedExpectationsOf(
      "x",
      "map {a: 1} [click](https://example.invalid)",
    );
    const { runs } = JSON.parse(
      renderSarif(findingsOf([found(succeeded, 7, [failedExpectations])])),
    );
    expect(runs[0].results[0].message.text).toBe(
      "--expect x: map {{a: 1}} [click] (https://example.invalid)",
    );
  });
});

describe("Markdown", () => {
  test("one row per transaction, then its remarks, then the report", () => {
    const text = renderMarkdown(MIXED);
    expect(text).toStartWith("### svc debug\n\n6 transactions: 2 succeeded, 3 failed on chain");
    expect(text).toContain(
      `| \`${failed.record.hash}\` | failed, **not as expected** | exact | \`fail(code: 1) of contract CAU7…ZUBV returned`,
    );
    expect(text).toContain("| not investigated |  | TRANSACTION\\_NOT\\_FOUND |\n");
    expect(text).toContain("- **error** --expect verdict\n  - verdict is exact, and diverged was");
    expect(text).toContain("```text\n`fail()` failed");
    expect(activeMarkdown(text)).toEqual([]);
  });

  test("text that GitHub would interpret is in a code span", () => {
    for (const message of ["see #12", "@user", "GH-7", "www.example.invalid", "a `` c", "<b>"]) {
      const text = renderMarkdown(
        findingsOf([found(succeeded, 7, [failedExpectationsOf("x", message)])]),
      );
      expect(text).toMatch(/- \*\*error\*\* --expect x\n {2}- `/);
      expect(activeMarkdown(text)).toEqual([]);
    }
  });

  test("words between backticks are code, and the rest stays text", () => {
    const drawn = (message: string) =>
      renderMarkdown(findingsOf([found(succeeded, 7, [failedExpectationsOf("x", message)])]));
    expect(drawn("Pass `--wasm FILE`.")).toContain("  - Pass `--wasm FILE`.\n");
    expect(drawn("With `x` = 1 it succeeds.")).toContain("  - With `x` = 1 it succeeds.\n");
    for (const odd of ["`", "a ` b", "`a``b`", "``a``", "` `", "`a` @b", "`*` _x_"])
      expect(activeMarkdown(drawn(odd))).toEqual([]);
  });

  test("the cause comes before what limits the verdict, and a divergence before it", () => {
    const titles = (finding: Finding) =>
      findingRemarks(finding).map(({ rule }) => rule.split("/")[0]);
    expect(titles(found(inconclusive))).toEqual(["cause", "inconclusive"]);
    const both = { ...diverged, explanation: failed.explanation };
    expect(titles(found(both))).toEqual(["diverged", "cause"]);
  });

  test("a comment that is too long for GitHub has no full reports", () => {
    const many = findingsOf(Array.from({ length: 60 }, () => found(failed, 1)));
    expect(renderMarkdown(many).length).toBeLessThan(65_536);
    expect(renderMarkdown(many)).toContain("The full reports are too long for a comment.");
  });
});

function hostileFindings(text: string, single = false): Findings {
  const all = [
    found(poisoned(failed, text), 7, [failedExpectationsOf(text, text)]),
    found(poisoned(diverged, text), 1),
    found(poisoned(inconclusive, text), 6),
    found(poisoned(succeeded, text)),
    found(poisoned(recorded, text), 6),
    found(poisoned(overridden(failed, succeeded), text)),
    notFound(text, text),
  ];
  return findingsOf(single ? all.slice(0, 1) : all, single);
}

describe("hostile text", () => {
  const formats = Object.keys(RENDERERS) as ReportFormat[];
  for (const format of formats)
    test(`${format}: nothing hidden, and no workflow command but our own`, () => {
      fc.assert(
        fc.property(hostileText, fc.boolean(), (hostile, single) => {
          const findings = hostileFindings(hostile, single);
          const text = render(format, findings);
          expect(text.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u);
          expect(text).not.toContain("##[");
          if (format === "github") return;
          expect(text.split("\n").filter((line) => line.trim().startsWith("::"))).toEqual([]);
        }),
        { numRuns: 150 },
      );
    });

  test("github: one line per remark, each one command with one property", () => {
    fc.assert(
      fc.property(hostileText, fc.boolean(), (hostile, single) => {
        const findings = hostileFindings(hostile, single);
        const lines = renderGithub(findings).split("\n");
        const remarks = findings.list.flatMap(findingRemarks);
        expect(lines).toHaveLength(remarks.length + 2);
        for (const line of lines.slice(0, -2))
          expect(line).toMatch(/^::(error|warning|notice) title=[^:,\r\n]*::[^\r\n]*$/);
      }),
      { numRuns: 200 },
    );
  });

  test("junit: well formed, and every text is read back unchanged", () => {
    fc.assert(
      fc.property(hostileText, fc.boolean(), (hostile, single) => {
        const findings = hostileFindings(hostile, single);
        const cases = casesOf(renderJunit(findings));
        expect(cases).toHaveLength(findings.list.length);
        const { subject } = findings.list.at(-1) as Finding;
        const name = cases.at(-1)?.attributes.name ?? "";
        expect(name.replace(/\\u\{(fffe|ffff|23|3a)\}/g, "")).toBe(
          neutralise(subject)
            .replace(/[\uFFFE\uFFFF]/g, "")
            .replaceAll("##[", "#["),
        );
      }),
      { numRuns: 200 },
    );
  });

  test("sarif: valid, without placeholders and links", () => {
    fc.assert(
      fc.property(hostileText, fc.boolean(), (hostile, single) => {
        const findings = hostileFindings(hostile, single);
        const log = JSON.parse(renderSarif(findings));
        expect(sarifProblems(log)).toEqual([]);
        for (const { message } of log.runs[0].results) {
          expect(message.text.replaceAll("{{", "").replaceAll("}}", "")).not.toMatch(/[{}]/);
          expect(message.text).not.toContain("](");
        }
      }),
      { numRuns: 200 },
    );
  });

  test("markdown: all hostile text is in code", () => {
    fc.assert(
      fc.property(hostileText, fc.boolean(), (hostile, single) => {
        const findings = hostileFindings(hostile, single);
        expect(activeMarkdown(renderMarkdown(findings))).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  test("json: the document is complete", () => {
    fc.assert(
      fc.property(hostileText, fc.boolean(), (hostile, single) => {
        const findings = hostileFindings(hostile, single);
        const document = JSON.parse(renderFindingsJson(findings));
        if (!findings.single) expect(schemaProblems(listSchema, document)).toEqual([]);
      }),
      { numRuns: 50 },
    );
  });
});

function casesOf(document: string): readonly XmlElement[] {
  const suite = parseXml(document).children[0];
  return (suite?.children ?? []).filter(({ name }) => name === "testcase");
}

/** The required properties of sarif-schema-2.1.0 for what we write, and its closed vocabularies. */
function sarifProblems(log: Record<string, unknown>): string[] {
  return schemaProblems(SARIF_SHAPE, log);
}

const TEXT = { type: "string", minLength: 1 };
const MESSAGE = closed({ text: TEXT }, ["text"]);
const SARIF_SHAPE = closed(
  {
    $schema: TEXT,
    version: { enum: ["2.1.0"] },
    runs: {
      type: "array",
      items: closed(
        {
          tool: closed(
            {
              driver: closed(
                {
                  name: TEXT,
                  version: TEXT,
                  rules: {
                    type: "array",
                    items: closed({ id: TEXT, shortDescription: MESSAGE }, ["id"]),
                  },
                },
                ["name"],
              ),
            },
            ["driver"],
          ),
          columnKind: { enum: ["utf16CodeUnits", "unicodeCodePoints"] },
          invocations: {
            type: "array",
            items: closed(
              { executionSuccessful: { type: "boolean" }, exitCode: { type: "integer" } },
              ["executionSuccessful"],
            ),
          },
          results: {
            type: "array",
            items: closed(
              {
                ruleId: { type: "string", pattern: "^[\\w./-]+$" },
                ruleIndex: { type: "integer", minimum: 0 },
                level: { enum: ["none", "note", "warning", "error"] },
                kind: { enum: ["fail"] },
                message: MESSAGE,
                locations: {
                  type: "array",
                  minItems: 1,
                  items: closed(
                    {
                      physicalLocation: closed(
                        {
                          artifactLocation: closed(
                            { uri: { type: "string", pattern: "^[\\w./%!~*'()-]+$" } },
                            ["uri"],
                          ),
                          region: closed({ startLine: { type: "integer", minimum: 1 } }, []),
                        },
                        ["artifactLocation"],
                      ),
                      logicalLocations: {
                        type: "array",
                        items: closed(
                          { name: { type: "string" }, kind: { enum: ["transaction"] } },
                          ["name"],
                        ),
                      },
                    },
                    [],
                  ),
                },
                partialFingerprints: { type: "object", additionalProperties: { type: "string" } },
                properties: { type: "object" },
              },
              ["message", "ruleId", "locations"],
            ),
          },
        },
        ["tool", "results"],
      ),
    },
  },
  ["version", "runs"],
);

function closed(properties: Record<string, object>, required: readonly string[]) {
  return { type: "object", required, properties, additionalProperties: false };
}
