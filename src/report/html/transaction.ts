// Draws one transaction of a page: the outcome, then a section for each part of the report.

import type { Audience } from "../../base/phrase.ts";
import { sentenceStart } from "../../base/text/sentence.ts";
import { closeTimeInWords } from "../../base/text/time.ts";
import type { Investigated } from "../../model/finding.ts";
import type { Investigation } from "../../model/investigation.ts";
import { networkOfRecord } from "../../model/networks.ts";
import { type Head, type Section, VERDICT_SECTION } from "../document/document.ts";
import { findingDocument } from "../document/investigation.ts";
import { debugReport } from "../json.ts";
import { answerMarkup, blockMarkup, pageDocument, sectionMarkup } from "./draw.ts";
import { embeddedMarkup, flamegraphMarkup } from "./embedded.ts";
import { copyButton, headingMarkup, html, type Markup, type Place, prose } from "./markup.ts";

/** `capsule` is the text of its file, or null if the page has none. */
export function transactionMarkup(
  finding: Investigated,
  capsule: string | null,
  place: Place,
  audience: Audience,
): Markup {
  const { investigation, failedExpectations } = finding;
  const { head, sections } = pageDocument(findingDocument(finding, false, audience));
  const answers = sections.filter(({ level }) => level === "answer");
  const others = sections.filter(({ level }) => level !== "answer");
  const files = filesMarkup(place, capsule !== null, investigation.whatIf !== undefined);
  const parts: readonly PagePart[] = [
    ...others.map((section) => partOf(section, place)),
    ...ownPart("flamegraph", "Flamegraph (replay)", flamegraphMarkup(investigation, place), place),
    ...ownPart("files", "Files", files, place),
  ];
  const report = debugReport(investigation);
  return html`<article id="${place.prefix}top">
${head !== null && headMarkup(head, answers, investigation, place)}
<div class="report">
<nav aria-label="Contents of ${investigation.record.hash.slice(0, 8)}"><ul>${parts.map(
    ({ id, title, count }) =>
      html`<li><a href="#${place.prefix}${id}">${title}${
        count !== undefined && html` <span>${count}</span>`
      }</a></li>`,
  )}</ul></nav>
<div class="sections">${parts.map(({ markup }) => markup)}</div>
</div>
${embeddedMarkup(
  investigation,
  failedExpectations === null ? report : { ...report, failedExpectations },
  capsule,
  place,
)}
</article>`;
}

interface PagePart {
  readonly id: string;
  readonly title: string;
  /** A number that follows the title in the contents. */
  readonly count?: number;
  readonly markup: Markup;
}

const COUNTED: ReadonlySet<string> = new Set(["changes", "events", "comparisons"]);

function partOf(section: Section, place: Place): PagePart {
  const { id, title, body } = section;
  const [items] = body.filter((block) => block.kind === "items");
  const count = COUNTED.has(id) && items !== undefined ? { count: items.items.length } : {};
  return { id, title: title ?? "", ...count, markup: sectionMarkup(section, place) };
}

/** Makes a part that is not in the document. */
function ownPart(id: string, title: string, body: Markup | null, place: Place): PagePart[] {
  if (body === null) return [];
  const { prefix, level } = place;
  const heading = headingMarkup(title, level + 1);
  return [{ id, title, markup: html`<section id="${prefix}${id}">${heading}${body}</section>` }];
}

function headMarkup(
  { headline, tone, verdict, body }: Head,
  answers: readonly Section[],
  { record, verdict: comparison }: Investigation,
  place: Place,
): Markup {
  const { prefix, level } = place;
  const good = tone === "good";
  const closed = closeTimeInWords(record.ledger);
  const where = [networkOfRecord(record), `ledger ${record.ledger.sequence}`, closed];
  const mark = html`<span class="mark" aria-hidden="true">${good ? "✓" : "✕"}</span>`;
  const { last = false } = verdict ?? {};
  const judged = verdictMarkup(verdict, comparison?.comparisons.length ?? 0, place);
  const answered = answers.filter(({ id }) => id !== VERDICT_SECTION);
  const trust = answers.filter(({ id }) => id === VERDICT_SECTION).flatMap((each) => each.body);
  return html`<header class="outcome ${good ? "succeeded" : "failed"}">
<p class="where">${where.join(" · ")}</p>
${headingMarkup(html`${mark}${prose(headline)}`, level)}
<p class="hash"><code id="${prefix}hash">${record.hash}</code> ${copyButton(`${prefix}hash`, "transaction hash")}</p>
${!last && judged}${body.map((block) => blockMarkup(block, place))}
${answered.map((section) => answerMarkup(section, place))}
${last && judged}${trust.map((block) => blockMarkup(block, place))}
</header>`;
}

function verdictMarkup(verdict: Head["verdict"], comparisons: number, { prefix }: Place): Markup {
  const { kind = null, sentence = "", tone } = verdict ?? {};
  const link =
    kind !== null && html` <a href="#${prefix}comparisons">All ${comparisons} comparisons</a>`;
  return html`<p class="verdict"><strong class="badge ${kind !== null && tone}">${kind ?? "no verdict"}</strong>
<span>${prose(kind === null ? sentenceStart(sentence) : sentence)}${link}</span></p>`;
}

function filesMarkup({ prefix }: Place, hasCapsule: boolean, hasOverrides: boolean): Markup {
  const button = (id: string, label: string) =>
    html`<button type="button" data-save="${prefix}${id}" hidden>Save the ${label}</button>`;
  const again =
    hasCapsule &&
    html`<p>This page contains the capsule: the transaction, and the state for its replay as far as svc
found it.${hasOverrides && " The overrides are not in it."} Save the page and run it again without a
network: <code>svc debug --from page.html</code></p>`;
  return html`${again}<p class="buttons">${hasCapsule && button("capsule", "capsule")}
${button("report", "JSON report")}</p>`;
}
