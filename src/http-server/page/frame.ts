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

/** Saves the page with svc in it. */
export function saveForm(hash: string): Markup {
  return html`<section class="home" id="save"><form data-form="replayable">
<input type="hidden" name="hash" value="${hash}"><h2>Save</h2>
<p class="soft">The saved page replays itself: it runs what-ifs, steps through the code and explains errors,
without a network and without svc. It has about 3 MB.</p>
<p class="buttons"><button>Save a page that replays itself</button></p></form>
<p id="saved" role="status"></p></section>`;
}
