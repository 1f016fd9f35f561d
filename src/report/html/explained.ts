// Draws what a text means as the content of a page: codes, words, and answers of nodes.

import type { AnswerExplanation, CodeExplanation } from "../../model/node-answer.ts";
import { answerDocument, codeDocument } from "../document/answers.ts";
import type { ReportDocument } from "../document/document.ts";
import { blockMarkup, pageDocument } from "./draw.ts";
import { headingMarkup, html, type Markup, prose } from "./markup.ts";

export function codesMarkup(codes: readonly CodeExplanation[]): Markup {
  return html`${codes.map((code, index) => explainedMarkup(codeDocument(code), index))}`;
}

export function answersMarkup(answers: readonly AnswerExplanation[]): Markup {
  return html`${answers.map((answer, index) => explainedMarkup(answerDocument(answer), index))}`;
}

function explainedMarkup(document: ReportDocument, index: number): Markup {
  const place = { prefix: `e${index}-`, level: 2 } as const;
  const { head, sections } = pageDocument(document);
  const failed = head?.tone === "bad";
  const mark = failed ? "✕" : head?.tone === "good" ? "✓" : null;
  const sign = mark !== null && html`<span class="mark" aria-hidden="true">${mark}</span>`;
  return html`<article><header class="outcome ${failed ? "failed" : "succeeded"}">
${headingMarkup(html`${sign}${prose(head?.headline ?? "")}`, 2)}
${head?.body.map((block) => blockMarkup(block, place))}
${sections.map(
  ({ title, body }) => html`<div>${title !== null && headingMarkup(title, 3)}
${body.map((block) => blockMarkup(block, place))}</div>`,
)}</header></article>`;
}
