// What a transaction would do, as a part of a page: the outcome and why, the authorizations to
// sign, the resources to declare, and the changes.

import { grouped } from "../../base/text/grouped.ts";
import type { SimulationReport } from "../../model/simulation.ts";
import { CAUSE_HEADINGS } from "../text/outcome.ts";
import {
  codeOf,
  declaredRows,
  insufficientInWords,
  maybeRemovedInWords,
} from "../text/render-simulation.ts";
import { authorizationList } from "./authorizations.ts";
import { copyable, definitions, headingMarkup, html, type Markup, prose } from "./markup.ts";
import { changesMarkup, eventsMarkup } from "./state.ts";

export function simulationMarkup(report: SimulationReport): Markup {
  const { simulation, explanation } = report;
  const { outcome, headline, cause, evidence, remedy, result, authorizations } = explanation;
  const part = (title: string, body: Markup | null | false) =>
    body !== null && body !== false && html`${headingMarkup(title, 3)}${body}`;
  const { restorePreamble, transactionDataXdr } = simulation;
  const refusals = report.sending?.refusals ?? [];
  const fails = outcome === "fails" || refusals.length > 0;
  const mark = fails ? "✕" : outcome === "succeeds" ? "✓" : "";
  return html`<div class="simulation outcome ${fails ? "failed" : "succeeded"}">
<p class="lead"><span class="mark" aria-hidden="true">${mark}</span>${prose(headline)}</p>
${
  refusals.length > 0 &&
  html`<div class="cause">${headingMarkup("What keeps it from succeeding", 3)}
<ul>${refusals.map((each) => html`<li><code>${codeOf(each)}</code> ${prose(each.detail)}</li>`)}</ul></div>`
}
${result !== null && html`<p>Result: <code>${prose(result)}</code></p>`}
${
  cause !== null &&
  html`<div class="cause">${headingMarkup(CAUSE_HEADINGS[cause.confidence], 3)}<p class="lead">${prose(cause.summary)}</p>
<ul>${evidence.map((sentence) => html`<li>${prose(sentence)}</li>`)}</ul></div>`
}
${remedy !== null && html`<div class="remedy">${headingMarkup("Remedy", 3)}<p>${prose(remedy)}</p></div>`}
${
  restorePreamble !== null &&
  html`${headingMarkup("Restore first", 3)}
<p>These entries are archived. Send a RestoreFootprint transaction first, for at least
${grouped(restorePreamble.minResourceFeeStroops)} stroops.</p>
<ul>${explanation.restoreFirst.map((key) => html`<li>${prose(key)}</li>`)}</ul>
${copyable("SorobanTransactionData of that transaction", restorePreamble.transactionDataXdr, "restore-data")}`
}
${part("Authorizations to sign", authorizations.length > 0 && authorizationList(authorizations))}
${part("Resources to declare", explanation.resources !== null && definitions(declaredRows(report)))}
${insufficientInWords(report).map((sentence) => html`<p>${prose(sentence)}</p>`)}
${transactionDataXdr !== null && copyable("SorobanTransactionData", transactionDataXdr, "transaction-data")}
${part("State changes", changesMarkup(explanation.changes))}
${maybeRemovedInWords(report).map((sentence) => html`<p>${prose(sentence)}</p>`)}
${part("Events", eventsMarkup(explanation.events))}</div>`;
}
