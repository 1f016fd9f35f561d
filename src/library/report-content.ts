// An investigation as the content of a page that has its frame already.

import type { Audience } from "../base/phrase.ts";
import { soleFindings } from "../model/finding.ts";
import type { Investigation } from "../model/investigation.ts";
import { pageContent } from "../report/html/page.ts";
import { toCapsule } from "./report.ts";

export function reportContent(
  investigation: Investigation,
  audience: Audience,
): ReturnType<typeof pageContent> {
  return pageContent(soleFindings(investigation), { capsuleOf: toCapsule, audience });
}
