// Writes findings as a SARIF 2.1.0 log (OASIS): a rule for each kind of cause that occurs, and a
// result for each remark. The location of a result is always the transaction, and the file of the
// repository that names the transaction if there is one.

import { BUILD_INFO } from "../../base/build-info.ts";
import { utf8Bytes } from "../../base/bytes.ts";
import { crypto } from "../../base/crypto.ts";
import { jsonDocument } from "../../base/text/json-document.ts";
import { neutralise } from "../../base/text/neutralise.ts";
import type { Finding, Findings } from "../../model/finding.ts";
import { stateOf } from "../document/counts.ts";
import { findingRemarks, type Remark } from "./remarks.ts";

const SCHEMA =
  "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/** `file` is relative to the root of the repository. */
export interface FilePlace {
  readonly file: string;
  readonly line: number;
}

export interface SarifOptions {
  /** Returns the file that names the transaction, or null. */
  readonly placeOf?: (subject: string) => FilePlace | null;
}

export function renderSarif(
  findings: Findings,
  { placeOf = () => null }: SarifOptions = {},
): string {
  const remarks = findings.list.flatMap((finding) =>
    findingRemarks(finding).map((remark) => ({ finding, remark })),
  );
  const summaries = new Map(remarks.map(({ remark }) => [remark.rule, remark.ruleSummary]));
  const rules = [...summaries.keys()].sort();
  const answered = findings.list.every(({ kind }) => kind === "investigated");
  return jsonDocument({
    $schema: SCHEMA,
    version: "2.1.0",
    runs: [
      {
        tool: {
          driver: {
            name: "svc",
            version: BUILD_INFO.version,
            rules: rules.map((id) => describeRule(id, summaries.get(id) ?? "")),
          },
        },
        columnKind: "utf16CodeUnits",
        invocations: [{ executionSuccessful: answered, exitCode: findings.exitCode }],
        results: remarks.map(({ finding, remark }) =>
          describeResult(finding, remark, rules.indexOf(remark.rule), placeOf(finding.subject)),
        ),
      },
    ],
  });
}

function describeRule(id: string, summary: string) {
  return { id, shortDescription: { text: message(summary) } };
}

function describeResult(
  finding: Finding,
  remark: Remark,
  ruleIndex: number,
  place: FilePlace | null,
) {
  const { level, rule, title } = remark;
  return {
    ruleId: rule,
    ruleIndex,
    level,
    kind: "fail",
    message: { text: message(`${title}: ${remark.message}`) },
    locations: [
      {
        ...(place !== null && {
          physicalLocation: {
            artifactLocation: { uri: uriOf(place.file) },
            region: { startLine: place.line },
          },
        }),
        logicalLocations: [{ name: neutralise(finding.subject), kind: "transaction" }],
      },
    ],
    partialFingerprints: { "svcRemark/v1": fingerprint([finding.subject, rule, title]) },
    properties: { transaction: neutralise(finding.subject), state: stateOf(finding) },
  };
}

/** Makes a relative reference. A colon in its first segment would be read as a scheme. */
function uriOf(file: string): string {
  return file.split(/[\\/]/).map(encodeURIComponent).join("/");
}

function fingerprint(parts: readonly string[]): string {
  return crypto()
    .sha256(utf8Bytes(JSON.stringify(parts)))
    .toHex()
    .slice(0, 32);
}

/** Doubles braces (3.11.5), and separates `](` because it would make a link (3.11.6). */
function message(text: string): string {
  return neutralise(text).replaceAll("{", "{{").replaceAll("}", "}}").replaceAll("](", "] (");
}
