// The frame of all pages of the daemon: their script, and the headers that keep other sites out.

import { type MoreScript, pagePolicy } from "../../report/html/frame.ts";
import { html, type Markup } from "../../report/html/markup.ts";
import { CHANGES_SCRIPT } from "../../report/html/what-if.ts";
import { Reply } from "../routes/reply.ts";
// @ts-expect-error: TypeScript has no imports of text
import daemonScript from "./assets/daemon.js" with { type: "text" };

export const DAEMON_SCRIPT: MoreScript = { code: `${CHANGES_SCRIPT}\n${daemonScript}` };

const HEADERS = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": `${pagePolicy(DAEMON_SCRIPT)}; frame-ancestors 'none'`,
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "cache-control": "no-store",
};

export function pageAnswer(page: string, status = 200): Reply {
  return new Reply([page], { headers: HEADERS, status });
}

export function wayBack(): Markup {
  return html`<nav aria-label="Daemon"><a href="/">Recent transactions</a></nav>`;
}
