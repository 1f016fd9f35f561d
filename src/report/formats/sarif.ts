// Findings as a SARIF 2.1.0 log (OASIS): a rule for each kind of cause that occurs, a result for
// each remark. Results are not in a source file: the artifact is the transaction, named by its
// hash.

import { BUILD_INFO } from "../../base/build-info.ts";
import { jsonDocument } from "../../base/text/json-document.ts";
import { neutralise } from "../../base/text/neutralise.ts";
import type { Finding, Findings } from "../../model/finding.ts";
import { stateOf } from "../document/counts.ts";
import { type Remark, RULE_SUMMARIES, remarksOf } from "./remarks.ts";

const SCHEMA =
  "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

export function renderSarif(findings: Findings): string {
  const remarks = findings.list.flatMap((finding) =>
    remarksOf(finding).map((remark) => ({ finding, remark })),
  );
  const rules = [...new Set(remarks.map(({ remark }) => remark.rule))].sort();
  const answered = findings.list.every(({ kind }) => kind === "investigated");
  return jsonDocument({
    $schema: SCHEMA,
    version: "2.1.0",
    runs: [
      {
        tool: {
          driver: { name: "svc", version: BUILD_INFO.version, rules: rules.map(describeRule) },
        },
        columnKind: "utf16CodeUnits",
        invocations: [{ executionSuccessful: answered, exitCode: findings.exitCode }],
        results: remarks.map(({ finding, remark }) =>
          describeResult(finding, remark, rules.indexOf(remark.rule)),
        ),
      },
    ],
  });
}

function describeRule(id: string) {
  const kind = id.replace(/^cause\//, "").replaceAll("-", " ");
  const summary = RULE_SUMMARIES[id] ?? `A transaction failed on chain; its cause: ${kind}.`;
  return { id, shortDescription: { text: message(summary) } };
}

function describeResult(finding: Finding, remark: Remark, ruleIndex: number) {
  const { level, rule, title } = remark;
  return {
    ruleId: rule,
    ruleIndex,
    level,
    kind: "fail",
    message: { text: message(`${title}: ${remark.message}`) },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: artifactUri(finding.subject) },
          region: { startLine: 1 },
        },
      },
    ],
    partialFingerprints: { "svcRemark/v1": fingerprint([finding.subject, rule, title]) },
    properties: { transaction: neutralise(finding.subject), state: stateOf(finding) },
  };
}

/** Always a relative reference. */
function artifactUri(subject: string): string {
  return `transactions/${encodeURIComponent(neutralise(subject))}`;
}

function fingerprint(parts: readonly string[]): string {
  return new Bun.CryptoHasher("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 32);
}

/** Braces are doubled (3.11.5), and `](` is separated because it would make a link (3.11.6). */
function message(text: string): string {
  return neutralise(text).replaceAll("{", "{{").replaceAll("}", "}}").replaceAll("](", "] (");
}
