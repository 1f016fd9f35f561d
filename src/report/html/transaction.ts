// One transaction of a page: the outcome, then a section for each part of the report.

import type { Explanation, ReplayedFact } from "../../model/explanation.ts";
import type { FailedExpectation } from "../../model/finding.ts";
import type { Investigation } from "../../model/investigation.ts";
import { debugReport } from "../json.ts";
import { withNamedAddresses } from "../named-addresses.ts";
import { headingOf } from "../replayed-heading.ts";
import { failedAfterReturn } from "../returned-call.ts";
import { transactionRows } from "../text/outcome.ts";
import { authorizationsMarkup, invocationMarkup } from "./authorizations.ts";
import { callTree, diagnosticCallTree } from "./calls.ts";
import { embeddedMarkup, flamegraphMarkup } from "./embedded.ts";
import { comparisonsMarkup, provenanceMarkup } from "./evidence.ts";
import {
  copyable,
  definitions,
  headingMarkup,
  html,
  type Markup,
  type Place,
  type Section,
  sectionMarkup,
  tableMarkup,
} from "./markup.ts";
import { outcomeMarkup } from "./outcome.ts";
import { changesMarkup, eventsMarkup, tokensMarkup } from "./state.ts";
import { costsMarkup, feesMarkup, resourcesMarkup } from "./usage.ts";
import { whatIfMarkup } from "./what-if.ts";

export interface Shown {
  readonly investigation: Investigation;
  readonly failedExpectations: readonly FailedExpectation[] | null;
  /** The text of its file; null: the page has none. */
  readonly capsule: string | null;
}

export function transactionMarkup(shown: Shown, place: Place): Markup {
  const { investigation, failedExpectations, capsule } = shown;
  const named = withNamedAddresses(investigation, false);
  const sections = sectionsOf(named, place, investigation, capsule !== null).filter(
    ({ body }) => body !== null,
  );
  const report = debugReport(investigation);
  return html`<article id="${place.prefix}transaction">
${outcomeMarkup(named, place)}
${expectationsMarkup(failedExpectations, place)}
<div class="report">
<nav aria-label="Contents of ${investigation.record.hash.slice(0, 8)}"><ul>${sections.map(
    ({ id, title, count }) =>
      html`<li><a href="#${place.prefix}${id}">${title}${
        count !== undefined && html` <span>${count}</span>`
      }</a></li>`,
  )}</ul></nav>
<div class="sections">${sections.map((section) => sectionMarkup(section, place))}</div>
</div>
${embeddedMarkup(
  investigation,
  failedExpectations === null ? report : { ...report, failedExpectations },
  capsule,
  place,
)}
</article>`;
}

function sectionsOf(
  investigation: Investigation,
  place: Place,
  original: Investigation,
  hasCapsule: boolean,
): Section[] {
  const { explanation, execution, whatIf } = investigation;
  const { changes, events, calls, resources, tokens } = explanation;
  const title = (text: string, fact: ReplayedFact) => headingOf(text, fact, explanation);
  return [
    { id: "what-if", title: "What if", body: whatIfMarkup(whatIf, place) },
    { id: "facts", title: "Transaction", body: definitions(transactionRows(investigation)) },
    {
      id: "calls",
      title: title("Calls", "calls"),
      body: calls && callTree(calls, failedAfterReturn(explanation)),
    },
    { id: "call", title: "Call (from the envelope)", body: invocationAlone(explanation) },
    { id: "diagnostic-calls", title: DIAGNOSTIC_CALLS, body: diagnosticCalls(explanation) },
    {
      id: "authorization",
      title: "Authorization",
      body: authorizationsMarkup(investigation, place),
    },
    { id: "resources", title: title("Resources", "resources"), body: resourcesMarkup(resources) },
    { id: "fees", title: "Fees", body: feesMarkup(explanation) },
    { id: "tokens", title: title("Token flow", "tokens"), body: tokensMarkup(tokens) },
    {
      id: "changes",
      title: title("State changes", "changes"),
      count: changes.length,
      body: changesMarkup(changes),
    },
    {
      id: "events",
      title: title("Events", "events"),
      count: events.length,
      body: eventsMarkup(events),
    },
    {
      id: "flamegraph",
      title: "Flamegraph (replay)",
      body: flamegraphMarkup(investigation, place),
    },
    { id: "costs", title: "Costs by type (replay)", folded: true, body: costsMarkup(execution) },
    {
      id: "comparisons",
      title: "Comparisons",
      count: investigation.verdict?.comparisons.length ?? 0,
      folded: true,
      body: comparisonsMarkup(original),
    },
    { id: "inputs", title: "Input provenance", folded: true, body: provenanceMarkup(original) },
    { id: "addresses", title: "Addresses", folded: true, body: addressesMarkup(explanation) },
    { id: "xdr", title: "Raw XDR", folded: true, body: xdrMarkup(original, place) },
    { id: "files", title: "Files", body: filesMarkup(place, hasCapsule, whatIf !== undefined) },
  ];
}

const DIAGNOSTIC_CALLS = "Calls (from a node's diagnostic events)";

function diagnosticCalls({ diagnosticCalls: calls }: Explanation): Markup | null {
  return calls.length === 0 ? null : diagnosticCallTree(calls);
}

/** Null when the calls that were made are known. */
function invocationAlone({ invocation, calls, diagnosticCalls }: Explanation): Markup | null {
  if (invocation === null || calls !== null || diagnosticCalls.length > 0) return null;
  return html`<ul class="tree">${invocationMarkup(invocation)}</ul>`;
}

function expectationsMarkup(
  failed: readonly FailedExpectation[] | null,
  { level }: Place,
): Markup | null {
  if (failed === null) return null;
  if (failed.length === 0) return html`<p class="expectations">All expectations passed.</p>`;
  return html`<div class="expectations">${headingMarkup("Failed expectations", level + 1)}
<ul>${failed.map(
    ({ origin, condition, message }) =>
      html`<li><code>${origin} ${condition}</code> ${message}</li>`,
  )}</ul></div>`;
}

function addressesMarkup({ addresses }: Explanation): Markup | null {
  if (addresses.length === 0) return null;
  const rows = addresses.map(({ short, address, label }) => [
    short,
    html`<code data-address="${short}">${address}</code>`,
    label ?? "",
  ]);
  return tableMarkup("Addresses", ["in this page", "address", "name"], rows, "evidence");
}

function xdrMarkup({ record }: Investigation, { prefix }: Place): Markup {
  const parts: readonly (readonly [string, string, string | null])[] = [
    ["TransactionEnvelope", "envelope", record.envelopeXdr],
    ["TransactionResult", "result", record.resultXdr],
    ["TransactionMeta", "meta", record.resultMetaXdr],
  ];
  return html`${parts.map(
    ([label, name, xdr]) => xdr !== null && copyable(label, xdr, `${prefix}xdr-${name}`),
  )}`;
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
