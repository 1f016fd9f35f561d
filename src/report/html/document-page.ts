// The page of a document, such as that of `svc verify --format html`.

import type { ReportDocument, Tone } from "../document/document.ts";
import { blockMarkup, pageDocument, sectionMarkup } from "./draw.ts";
import { pageMarkup } from "./frame.ts";
import { html } from "./markup.ts";

const PLACE = { prefix: "", level: 1 } as const;
const CLASSES: Partial<Record<Tone, string>> = { bad: "failed", good: "succeeded" };

/** `name` is the command, which the top of the page shows. */
export function renderDocumentPage(name: string, document: ReportDocument): string {
  const { head, sections } = pageDocument(document);
  const headline = head?.headline ?? "";
  return pageMarkup({
    title: `${headline} · svc`,
    body: html`<header class="top"><span class="name">${name}</span>
<button type="button" id="theme" hidden>Dark</button></header>
<main><article><header class="outcome ${CLASSES[head?.tone ?? "plain"] ?? "caution"}"><h1>${headline}</h1>
${head?.body.map((block) => blockMarkup(block, PLACE))}</header>
<div class="sections">${sections.map((section) => sectionMarkup(section, PLACE))}</div></article></main>`,
  });
}
