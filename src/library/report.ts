// An investigation as the documents that svc prints.

import "./standard.ts";

import { soleFindings } from "../model/finding.ts";
import type { Investigation } from "../model/investigation.ts";
import { renderPage } from "../report/html/page.ts";
import { type DebugReport, debugReport } from "../report/json.ts";
import { encodeCapsule } from "../sources/files/capsule.ts";

export type { DebugReport, Investigation };
export { capsuleText as toCapsule, reportDocument as toJson, reportPage as toHtml };

/** The document of `svc debug --json`, which `debug-report.schema.json` describes. */
function reportDocument(investigation: Investigation): DebugReport {
  return debugReport(investigation);
}

/** The page of `svc debug --format html`, which has the capsule in it. */
function reportPage(investigation: Investigation): string {
  return renderPage(soleFindings(investigation), { capsuleOf: capsuleText });
}

/** The text of the capsule, with everything that a replay needs. */
function capsuleText({ record, snapshot }: Investigation): string {
  return encodeCapsule(record, snapshot);
}
