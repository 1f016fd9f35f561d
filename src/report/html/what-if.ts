// What if, in a daemon's page: the form for changes, and both runs beside each other.

import { type Cause, causeInWords } from "../../model/explanation.ts";
import type { Investigation } from "../../model/investigation.ts";
import { withNamedAddresses } from "../document/named-addresses.ts";
import { whatIfSections } from "../document/what-if.ts";
import { blockMarkup, pageDocument } from "./draw.ts";
import { headingMarkup, html, type Markup, prose } from "./markup.ts";

const PLACE = { prefix: "run-", level: 2 } as const;

/** Null where nothing ran in the contract host. */
export function whatIfForm({ record, explanation, execution }: Investigation): Markup | null {
  if (execution === null) return null;
  const { invocation } = explanation;
  const values = invocation?.arguments ?? [];
  const fields = values.map((value, place) => {
    const name = invocation?.argumentNames?.[place] ?? `${place}`;
    return html`<label>argument <code>${name}</code>
<input data-argument="${name}" placeholder="${value}" autocomplete="off" spellcheck="false" class="mono"></label>`;
  });
  return html`<section class="home" id="try">${headingMarkup("What if?", 2)}
<p class="soft">Runs the transaction again with these changes, on the same state. An empty field changes nothing.</p>
<form data-form="whatIf"><input type="hidden" name="hash" value="${record.hash}">${fields}
<label>account <input name="account" placeholder="G…" autocomplete="off" spellcheck="false" class="mono"></label>
<label>its balance, stroops <input name="balance" inputmode="numeric" autocomplete="off"></label>
<label>close time of the ledger <input name="closeTime" placeholder="2026-11-21T10:00:00Z" autocomplete="off"></label>
<button class="main">Run with changes</button></form>
<div id="variant" aria-live="polite"></div></section>`;
}

/** Of a run with overrides. */
export function whatIfMarkup(given: Investigation): Markup {
  const { explanation, verdict, whatIf } = withNamedAddresses(given, false);
  if (whatIf === undefined) throw new Error("the run has no overrides");
  const { sections } = pageDocument({ head: null, sections: whatIfSections(whatIf) });
  const { before, after } = whatIf.difference.returnValue;
  // The value is the replay's.
  const isReplayed = verdict?.kind === "exact" || verdict?.kind === "equivalent";
  const isKnown = whatIf.unknown.length === 0;
  return html`<div class="beside">
${sideMarkup("As it ran", explanation.success, explanation.cause, isReplayed ? before : null)}
${sideMarkup("With the changes", isKnown ? whatIf.success : null, whatIf.explanation.cause, after)}</div>
${sections.map(
  ({ title, body }) =>
    html`<div>${headingMarkup(title ?? "", 3)}${body.map((block) => blockMarkup(block, PLACE))}</div>`,
)}`;
}

/** `success`: null when the outcome is unknown. */
function sideMarkup(
  title: string,
  success: boolean | null,
  cause: Cause | null,
  value: string | null,
) {
  const [tone, outcome] =
    success === null ? ["caution", "unknown"] : success ? ["", "succeeded"] : ["bad", "failed"];
  return html`<div>${headingMarkup(title, 3)}<p><strong class="badge ${tone}">${outcome}</strong></p>
${success !== true && cause !== null && html`<p>${prose(causeInWords(cause))}</p>`}
${value !== null && html`<p class="result">→ ${prose(value)}</p>`}</div>`;
}
