// An investigation as the documents that svc prints.

import "./standard.ts";

import type { Audience } from "../base/phrase.ts";
import { soleFindings } from "../model/finding.ts";
import type { Investigation } from "../model/investigation.ts";
import { pageContent, renderPage } from "../report/html/page.ts";
import { type DebugReport, debugReport } from "../report/json.ts";
import { encodeCapsule } from "../sources/files/capsule.ts";

export type { DebugReport };
export { capsuleText as capsule, reportDocument as json, reportPage as html };

/** The report as the JSON document of `svc debug --json`. */
function reportDocument(investigation: Investigation): DebugReport {
  return debugReport(investigation);
}

/** The report as a page, which has the capsule in it. */
function reportPage(investigation: Investigation): string {
  return renderPage(soleFindings(investigation), { capsuleOf: capsuleText });
}

/** The content of that page, for a page that has its frame already. */
export function reportContent(
  investigation: Investigation,
  audience: Audience,
): ReturnType<typeof pageContent> {
  return pageContent(soleFindings(investigation), { capsuleOf: capsuleText, audience });
}

/** The text of the capsule, with everything that a replay needs. */
function capsuleText({ record, snapshot }: Investigation): string {
  return encodeCapsule(record, snapshot);
}
