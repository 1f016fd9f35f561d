// The frame of every page, which is one file without any request. A policy in the page allows its
// own script and style by their hashes, and nothing else.

import { sourceHash, viewerPolicySources } from "../profile/html.ts";
// @ts-expect-error: TypeScript has no imports of text
import pageStyle from "./assets/page.css" with { type: "text" };
// @ts-expect-error: TypeScript has no imports of text
import pageScript from "./assets/page.js" with { type: "text" };
// @ts-expect-error: TypeScript has no imports of text
import treeScript from "./assets/tree.js" with { type: "text" };
import { html, type Markup, ownCode } from "./markup.ts";

export interface Page {
  readonly title: string;
  readonly body: Markup;
  readonly script?: MoreScript;
}

/** More of svc's own code. */
export interface MoreScript {
  readonly code: string;
  /**
   * The hosts that the page may ask, as in a policy; null for none (default: the daemon that serves
   * the page).
   */
  readonly connect?: string | null;
  /** True if the page runs svc-sim in a worker of its own. */
  readonly runsModule?: boolean;
}

const SCRIPT = scoped(`${treeScript}\n${pageScript}`);
const STYLE = `\n${pageStyle}`;

/** Returns the markup of the page, from the doctype on. */
export function pageMarkup({ title, body, script }: Page): string {
  const more = script === undefined ? "" : html`<script>${ownCode(scoped(script.code))}</script>`;
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${ownCode(pagePolicy(script))}">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<style>${ownCode(STYLE)}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
${body}
<script>${ownCode(SCRIPT)}</script>${more}
</body>
</html>
`;
  return `${page}`.replace(COMMAND_START, (match, blanks: string | undefined) =>
    match === "#" ? "&#35;" : `${blanks ?? ""}&#58;`,
  );
}

/**
 * Matches beginnings of commands for GitHub's runner, as `neutraliseCommands` does. svc's own code
 * has none.
 */
const COMMAND_START = /^([^\S\n]*):(?=:)|#(?=#\[)/gm;

/** Returns the policy, without which a page has no script, no style and no connection. */
export function pagePolicy(script?: MoreScript): string {
  const viewer = viewerPolicySources();
  const { connect = "'self'", runsModule = false } = script ?? {};
  const scripts = [SCRIPT, ...(script === undefined ? [] : [scoped(script.code)])].map(sourceHash);
  const wasm = runsModule ? ["'wasm-unsafe-eval'"] : [];
  return [
    "default-src 'none'",
    `script-src ${[...scripts, viewer.script, ...wasm].join(" ")}`,
    `style-src ${sourceHash(STYLE)} ${viewer.style}`,
    ...(script === undefined || connect === null ? [] : [`connect-src ${connect}`]),
    ...(runsModule ? ["worker-src blob:"] : []),
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
}

/** The files are plain declarations and statements. */
function scoped(script: string): string {
  return `\n"use strict";\n{\n${script}}\n`;
}
