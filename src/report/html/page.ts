// The page of `svc debug --format html`, for one transaction or for a list of them.

import { type Audience, SHELL } from "../../base/phrase.ts";
import { withoutCodeMarks } from "../../base/text/code-marks.ts";
import type { Finding, Findings, Unanswered } from "../../model/finding.ts";
import type { Investigation } from "../../model/investigation.ts";
import { countsOf, stateOf } from "../document/counts.ts";
import { viewerMarkup } from "./embedded.ts";
import { type MoreScript, pageMarkup } from "./frame.ts";
import { html, type Markup, type Place, prose } from "./markup.ts";
import { transactionMarkup } from "./transaction.ts";

export interface RenderPageOptions {
  /** Returns the text of an investigation's capsule (default: the page has no capsule). */
  readonly capsuleOf?: (investigation: Investigation) => string;
  /** The reader (default: a person with a command line, who saved the page). */
  readonly audience?: Audience;
  /** Markup above the transaction, such as the way back. */
  readonly navigation?: Markup;
  /** Markup below the transaction. */
  readonly after?: Markup | null;
  readonly script?: MoreScript;
}

export function renderPage(findings: Findings, options: RenderPageOptions = {}): string {
  const { navigation, after, script } = options;
  const { title, body } = pageContent(findings, options);
  return pageMarkup({
    title,
    body: html`<header class="top"><span class="name">svc</span>${navigation}
<button type="button" id="theme" hidden>Dark</button></header>
<main id="main" tabindex="-1">${body}${after}</main>
${viewerMarkup()}`,
    ...(script === undefined ? {} : { script }),
  });
}

/** The content of a page for these findings, for a page that is already open. */
export function pageContent(
  findings: Findings,
  options: Pick<RenderPageOptions, "capsuleOf" | "audience"> = {},
): { readonly title: string; readonly body: Markup } {
  const { list, single } = findings;
  const [only] = list;
  const alone = single && only !== undefined ? only : null;
  const body =
    alone === null
      ? listMarkup(findings, options)
      : findingMarkup(alone, { prefix: "", level: 1 }, options);
  const title =
    alone?.kind === "investigated"
      ? `${withoutCodeMarks(alone.investigation.explanation.headline)} ${alone.subject.slice(0, 8)}`
      : countsOf(findings);
  return { title: `${title} · svc`, body };
}

function listMarkup(findings: Findings, options: RenderPageOptions): Markup {
  const { list } = findings;
  const rows = list.map((finding, index) => {
    const tone = finding.exitCode === 0 ? "" : "bad";
    return html`<li><a href="#t${index + 1}-top"><code>${finding.subject}</code></a>
<span class="${tone}">${stateOf(finding)}</span></li>`;
  });
  const articles = list.map((finding, index) =>
    findingMarkup(finding, { prefix: `t${index + 1}-`, level: 2 }, options),
  );
  return html`<header class="list"><h1>${countsOf(findings)}</h1><ol>${rows}</ol></header>${articles}`;
}

function findingMarkup(finding: Finding, place: Place, options: RenderPageOptions): Markup {
  if (finding.kind === "unanswered") return unansweredMarkup(finding, place);
  const { capsuleOf, audience = SHELL } = options;
  return transactionMarkup(finding, capsuleOf?.(finding.investigation) ?? null, place, audience);
}

function unansweredMarkup({ subject, error }: Unanswered, { prefix, level }: Place): Markup {
  const heading = `Not investigated: ${error.code}`;
  return html`<article id="${prefix}top"><header class="outcome failed">
${level === 1 ? html`<h1>${heading}</h1>` : html`<h2>${heading}</h2>`}
<p class="hash"><code>${subject}</code></p>
${error.message.split("\n").map((line) => html`<p>${prose(line)}</p>`)}
<p><strong>What to do:</strong> ${prose(error.remedy)}</p></header></article>`;
}
