// Draws the effects that a transaction would have, as a part of a page.

import { type Audience, SHELL } from "../../base/phrase.ts";
import type { SimulationReport } from "../../model/simulation.ts";
import { simulationDocument } from "../document/simulation.ts";
import { blockMarkup, pageDocument } from "./draw.ts";
import { headingMarkup, html, type Markup, prose } from "./markup.ts";

const PLACE = { prefix: "", level: 2 } as const;

export function simulationMarkup(report: SimulationReport, audience: Audience = SHELL): Markup {
  const { head, sections } = pageDocument(simulationDocument(report, audience));
  const failed = head?.tone === "bad";
  const mark = failed ? "✕" : head?.tone === "good" ? "✓" : "";
  return html`<div class="simulation outcome ${failed ? "failed" : "succeeded"}">
<p class="lead"><span class="mark" aria-hidden="true">${mark}</span>${prose(head?.headline ?? "")}</p>
${head?.body.map((block) => blockMarkup(block, PLACE))}
${sections.map(
  ({
    id,
    title,
    body,
  }) => html`<div class="${id === "refusals" && "cause"}">${headingMarkup(title ?? "", 3)}
${body.map((block) => blockMarkup(block, PLACE))}</div>`,
)}</div>`;
}
