// What the last stage composes for the report: the remedy, and the runs that failed. Every form of
// the report has both.

import { describe, expect, test } from "bun:test";
import { composedRemedy } from "../../src/debugger/walk/replay-captured.ts";
import { NOTHING } from "../../src/fix/describe-fix.ts";
import { CAUSES, type CauseKind } from "../../src/model/cause-kinds.ts";
import type { Investigation } from "../../src/model/investigation.ts";
import { only } from "../../src/report/document/document.ts";
import { investigationDocument } from "../../src/report/document/investigation.ts";
import { renderMarkdown } from "../../src/report/formats/markdown.ts";
import { renderSarif } from "../../src/report/formats/sarif.ts";
import { renderJson } from "../../src/report/json.ts";
import debugSchema from "../../src/report/schema/debug-report.schema.json";
import { renderText } from "../../src/report/text/render-text.ts";
import { shownOf } from "../../src/report/tui/tabs.ts";
import { schemaProblems } from "./check-schema.ts";
import { findingsOf, found } from "./findings-of.ts";
import { investigate, investigateClassic } from "./investigations.ts";

const SENTENCE =
  "To find a conflicting transaction, svc ran the transaction again, and that run failed: " +
  "svc-sim ended with signal SIGKILL.";
const OTHER = "To prove that entries were absent, svc ran it again, and that run failed too.";

const textOf = (investigation: Investigation) => renderText(investigation, { color: false });
const markdownOf = (investigation: Investigation) =>
  renderMarkdown(findingsOf([found(investigation)]));
const terminalOf = (investigation: Investigation) =>
  shownOf(investigation)
    .tabs.flatMap(({ outline }) => outline.nodes)
    .map(({ label }) => label)
    .join("\n");
const inOneLine = (text: string) => text.replaceAll(/\s+/g, " ");

describe("runs that failed beside the replay", () => {
  const exact = { ...investigate("sac-transfer"), caveats: [SENTENCE, OTHER] };
  const inconclusive = investigate("contract-error", (walk) => ({
    ...walk,
    snapshot: {
      ...walk.snapshot,
      unknown: [{ keyXdr: Buffer.alloc(40).toString("base64"), reason: "no node has it" }],
    },
  }));

  test("are a section of their own, after the verdict and its caveats", () => {
    const sectionsOf = (investigation: Investigation) =>
      only(investigationDocument(investigation, false), new Set()).sections.filter(
        ({ body }) => body.length > 0,
      );
    const [runs, next] = sectionsOf(exact);
    expect([runs?.title, next?.title]).toEqual(["What svc could not do", "Token flow"]);
    expect(runs?.body).toMatchObject([{ items: [{ text: SENTENCE }, { text: OTHER }] }]);
    const titles = sectionsOf({ ...inconclusive, caveats: [SENTENCE] }).map(({ title }) => title);
    expect(titles.slice(0, 3)).toEqual(["Cause (likely)", "Caveats", "What svc could not do"]);
    const none = sectionsOf(investigate("sac-transfer")).map(({ id }) => id);
    expect(none).not.toContain("failed-runs");
  });

  test("are a note in Markdown, and a rule of SARIF, although nothing else is to say", () => {
    expect(markdownOf(investigate("sac-transfer"))).not.toContain("####");
    const markdown = markdownOf(exact);
    expect(markdown).toContain("further runs failed\n  - ");
    expect(markdown).toContain(`  - ${SENTENCE}\n  - ${OTHER}`);
    const { runs } = JSON.parse(renderSarif(findingsOf([found(exact)])));
    expect(runs[0].results).toMatchObject([{ ruleId: "failed-run", level: "note" }]);
    expect(runs[0].tool.driver.rules[0].shortDescription.text).toStartWith("A further run failed");
  });

  test("are a list of sentences in JSON, which is always there", () => {
    const documentOf = (investigation: Investigation) => JSON.parse(renderJson(investigation));
    expect(documentOf(exact).caveats).toEqual([SENTENCE, OTHER]);
    expect(schemaProblems(debugSchema, documentOf(exact))).toEqual([]);
    expect(documentOf(inconclusive).caveats).toEqual([]);
    const classic = documentOf(investigateClassic("payment-underfunded"));
    expect(classic.caveats).toEqual([]);
    const { caveats: _, ...without } = classic;
    expect(schemaProblems(debugSchema, without).join()).toContain("caveats");
  });
});

test("where the second cause is the contract's own decision, or has no remedy, the advice ends", () => {
  const { explanation, record } = investigate("write-bytes-exceeded");
  const alone = explanation.remedy ?? "";
  const composed = (kind: CauseKind, remedy: string | null) => {
    const cause = { kind, summary: "It fails.", confidence: "known" } as const;
    const proof = { outcome: "fails-next", cause, remedy } as const;
    return composedRemedy(explanation, { ...NOTHING, proof }, record);
  };
  for (const kind of Object.keys(CAUSES) as CauseKind[]) {
    const [own, unknown] = [composed(kind, "Sign it."), composed(kind, null)];
    if (CAUSES[kind].isOwnError)
      expect(own).toBe(
        "Removing this cause alone does not help: after it, the contract itself refuses the call (see Fix).",
      );
    else
      expect(own).toBe(
        `Removing this cause alone is not enough: a second cause follows. Remedy that one first (see Fix). ${alone}`,
      );
    expect(unknown).not.toContain(alone);
  }
  expect(composed("contract-error", null)).toContain("the contract itself refuses");
});

test("every form of the report has the remedy of the last stage, not that of the cause", () => {
  const failed = investigate("write-bytes-exceeded");
  const alone = failed.explanation.remedy ?? "";
  const remedy = `Removing this cause alone is not enough: a second cause follows. Remedy that one first (see Fix). ${alone}`;
  const composed = { ...failed, remedy };
  expect(alone).toMatch(/^Declare more write/);
  expect(inOneLine(textOf(composed))).toContain(`Remedy ${remedy} `);
  expect(terminalOf(composed)).toContain(`Remedy: ${remedy}\n`);
  expect(markdownOf(composed)).toContain(remedy);
  expect(JSON.parse(renderJson(composed)).outcome.remedy).toBe(remedy);
});
