// The what-if part of a page that can run: the form for changes, and both runs next to each other.

import type { Audience } from "../../base/phrase.ts";
import { type Cause, causeInWords } from "../../model/explanation.ts";
import type { Investigation } from "../../model/investigation.ts";
import type { StatedOverride } from "../../model/overrides.ts";
import { isReproduced } from "../../model/verdict.ts";
import { forAudience } from "../document/for-audience.ts";
import { withNamedAddresses } from "../document/named-addresses.ts";
import { whatIfSections } from "../document/what-if.ts";
// @ts-expect-error: TypeScript has no imports of text
import changesScript from "./assets/changes.js" with { type: "text" };
import { blockMarkup, pageDocument } from "./draw.ts";
import { headingMarkup, html, type Markup, prose } from "./markup.ts";

/** The functions that read the form. */
export const CHANGES_SCRIPT: string = changesScript;

const PLACE = { prefix: "run-", level: 2 } as const;

const PLAIN = html`autocomplete="off" spellcheck="false"`;

/** A field of an entry, as a file of overrides names it. With `json` it may be any JSON value. */
function entryField(field: string, label: string, placeholder: string, json = false): Markup {
  return html`<label>${label} <input data-field="${field}" data-json="${json ? "yes" : "no"}"
placeholder="${placeholder}" ${PLAIN} class="mono"></label>`;
}

function entryFields(title: string, fields: readonly Markup[], removable: boolean): Markup {
  const remove =
    removable &&
    html`<label class="check"><input type="checkbox" data-field="remove"> remove the entry</label>`;
  return html`<fieldset data-entry><legend>${title}</legend>${fields}${remove}
<button type="button" data-another aria-label="Another: ${title}">Another</button></fieldset>`;
}

const ENTRIES = [
  entryFields(
    "Balance",
    [
      entryField("account", "account", "G…"),
      entryField("asset", "asset of its trustline; empty: XLM", "CODE:G…"),
      entryField("balance", "balance, stroops", "5000000"),
    ],
    false,
  ),
  entryFields(
    "Storage of a contract",
    [
      entryField("contract", "contract", "C…"),
      entryField("key", "key, an ScVal", '{"symbol": "Counter"}', true),
      html`<label>durability <select data-field="durability"><option value="">persistent</option>
<option>temporary</option></select></label>`,
      entryField("value", "value, an ScVal", '{"u32": 7}', true),
    ],
    true,
  ),
  entryFields(
    "Any ledger entry",
    [
      entryField("ledgerKey", "LedgerKey, base64", "AAAA…", true),
      entryField("entry", "LedgerEntry, base64", "AAAA…", true),
    ],
    true,
  ),
];

/**
 * The form for changes. Returns null if nothing ran in the contract host. A change that the report
 * proposes is filled in.
 */
export function whatIfForm(investigation: Investigation): Markup | null {
  const { record, explanation, execution, next } = investigation;
  if (execution === null) return null;
  const { invocation } = explanation;
  const closedAt = new Date(Number(record.ledger.closeTimeUnixSeconds) * 1000).toISOString();
  const names = (invocation?.arguments ?? []).map(
    (_, place) => invocation?.argumentNames?.[place] ?? `${place}`,
  );
  const proposed = next
    .flatMap((step) => ("override" in step && step.isOpen !== true ? [step.override] : []))
    .find((override) => isOfField(override, names));
  const fields = names.map((name, place) => {
    const value = proposed !== undefined && valueFor(proposed, name);
    return html`<label>argument <code>${name}</code>
<input data-argument="${name}" placeholder="${invocation?.arguments[place] ?? ""}" ${value && html`value="${value}"`} ${PLAIN} class="mono"></label>`;
  });
  return html`<section class="home" id="try">${headingMarkup("What if?", 2)}
<p class="soft">Runs the transaction again with these changes, on the same state. An empty field changes nothing.${proposed !== undefined && " The change that the report proposes is filled in."}</p>
<form data-form="whatIf"><input type="hidden" name="hash" value="${record.hash}">${fields}
<label>close time of the ledger <input name="closeTime" placeholder="${closedAt.replace(".000Z", "Z")}" ${PLAIN}></label>
${ENTRIES}
<button class="main">Run with changes</button></form>
<div id="variant" aria-live="polite"></div></section>`;
}

/** True if the form has a field for the change. */
function isOfField(override: StatedOverride, names: readonly string[]): boolean {
  return names.some((name) => valueFor(override, name) !== null);
}

/** The value of an argument; null if the change is of another one. */
function valueFor(override: StatedOverride, argument: string): string | null {
  if (override.kind === "argument" && override.name === argument) return override.value;
  if (override.kind === "argument-value" && override.name === argument) return override.json;
  return null;
}

/**
 * Shows both outcomes of a run with overrides next to each other, and the differences between them.
 */
export function whatIfMarkup(run: Investigation, audience: Audience): Markup {
  const investigation = withNamedAddresses(forAudience(run, audience), false);
  const { explanation, verdict, whatIf } = investigation;
  if (whatIf === undefined) throw new Error("the run has no overrides");
  const { sections } = pageDocument({ head: null, sections: whatIfSections(whatIf) });
  const { before, after } = whatIf.difference.returnValue;
  // The value before comes from the replay.
  const isReplayed = isReproduced(verdict?.kind);
  const isKnown = whatIf.unknown.length === 0;
  return html`<div class="beside">
${sideMarkup("As it ran", explanation.success, explanation.cause, isReplayed ? before : null)}
${sideMarkup("With the changes", isKnown ? whatIf.success : null, whatIf.explanation.cause, after, whatIf.refusals)}</div>
${sections.map(
  ({ title, body }) =>
    html`<div>${headingMarkup(title ?? "", 3)}${body.map((block) => blockMarkup(block, PLACE))}</div>`,
)}`;
}

/** `success` is null if the outcome is unknown. */
function sideMarkup(
  title: string,
  success: boolean | null,
  cause: Cause | null,
  value: string | null,
  refusals: readonly string[] = [],
) {
  const ran = success === null ? "unknown" : success ? "succeeded" : "failed";
  const isOpen = refusals.length === 0 || success === null;
  const outcome = isOpen ? ran : `the call ${ran}; refused by the network`;
  const tone = success === false ? "bad" : outcome === "succeeded" ? "" : "caution";
  return html`<div>${headingMarkup(title, 3)}<p><strong class="badge ${tone}">${outcome}</strong></p>
${refusals.map((each) => html`<p>${prose(each)}</p>`)}
${success !== true && cause !== null && html`<p>${prose(causeInWords(cause))}</p>`}
${value !== null && html`<p class="result">→ ${prose(value)}</p>`}</div>`;
}
