// The top of a page: the outcome in one line, the verdict in one line, the cause, the fix, and the
// caveats. Everything else follows.

import type { Investigation } from "../../model/investigation.ts";
import type { Verdict, VerdictKind } from "../../model/verdict.ts";
import { caveatGroups, headOf } from "../caveat-groups.ts";
import {
  CAUSE_HEADINGS,
  closedAt,
  differenceRows,
  FAILED_RUNS,
  noVerdict,
  resultCodeSentence,
  unconfirmedSentence,
  verdictSentence,
} from "../text/outcome.ts";
import { fixMarkup } from "./fix.ts";
import {
  copyButton,
  definitions,
  headingMarkup,
  html,
  type Markup,
  type Place,
  prose,
} from "./markup.ts";

export function outcomeMarkup(investigation: Investigation, place: Place): Markup {
  const { record, explanation, verdict } = investigation;
  const { success, headline } = explanation;
  const id = `${place.prefix}hash`;
  return html`<header class="outcome ${success ? "succeeded" : "failed"}">
<p class="where">${whereAndWhen(investigation)}</p>
${headingMarkup(html`<span class="mark" aria-hidden="true">${success ? "✓" : "✕"}</span>${prose(headline)}`, place.level)}
<p class="hash"><code id="${id}">${record.hash}</code> ${copyButton(id, "transaction hash")}</p>
${verdict === null ? noVerdictMarkup(investigation) : verdictMarkup(verdict, place)}
${causeMarkup(investigation, place)}
${fixMarkup(investigation, place)}
${differenceMarkup(investigation, place)}
${caveatsMarkup(investigation, place)}
</header>`;
}

function whereAndWhen(investigation: Investigation): string {
  const { ledger, networkPassphrase } = investigation.record;
  const closed = closedAt(ledger);
  const parts = [networkPassphrase, `ledger ${ledger.sequence}`];
  return [...parts, ...(closed === null ? [] : [closed])].join(" · ");
}

const TONES: Readonly<Record<VerdictKind, string>> = {
  exact: "good",
  equivalent: "caution",
  diverged: "bad",
  inconclusive: "caution",
};

function verdictMarkup(verdict: Verdict, { prefix }: Place): Markup {
  const { kind, comparisons } = verdict;
  const sentence = verdictSentence(verdict).replace(/^Verdict: \w+\. /, "");
  const link =
    comparisons.length > 0 && html` <a href="#${prefix}comparisons">Every comparison</a>`;
  const unconfirmed = unconfirmedSentence(verdict);
  return html`<p class="verdict"><strong class="badge ${TONES[kind]}">${kind}</strong>
<span>${prose(sentence)}${link}</span></p>${unconfirmed !== null && html`<p>${unconfirmed}</p>`}`;
}

function noVerdictMarkup(investigation: Investigation): Markup {
  const sentence = noVerdict(investigation).replace(/^No verdict: /, "");
  return html`<p class="verdict"><strong class="badge">no verdict</strong>
<span>${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}</span></p>`;
}

function causeMarkup(investigation: Investigation, { level }: Place): Markup | null {
  const { explanation, conflict, remedy } = investigation;
  const { cause, evidence } = explanation;
  if (cause === null) return null;
  const sentences = [...(conflict === undefined ? [] : [conflict.summary]), ...evidence];
  return html`<div class="cause">${headingMarkup(CAUSE_HEADINGS[cause.confidence], level + 1)}
<p class="lead">${prose(cause.summary)}</p>
${sentences.length > 0 && html`<ul>${sentences.map((each) => html`<li>${prose(each)}</li>`)}</ul>`}</div>
${
  remedy !== null &&
  html`<div class="remedy">${headingMarkup("Remedy", level + 1)}<p>${prose(remedy)}</p></div>`
}`;
}

function differenceMarkup(investigation: Investigation, { level }: Place): Markup | null {
  const rows = differenceRows(investigation);
  const codes = resultCodeSentence(investigation);
  if (rows.length === 0 && codes === null) return null;
  return html`<div class="difference">${headingMarkup("Difference", level + 1)}
${rows.length > 0 && definitions(rows)}${codes !== null && html`<p>${prose(codes)}</p>`}</div>`;
}

const SHOWN_KEYS = 5;

function caveatsMarkup(investigation: Investigation, { level }: Place): Markup | null {
  const { verdict, explanation, caveats } = investigation;
  const groups = verdict === null ? [] : caveatGroups(verdict, explanation);
  if (groups.length === 0 && caveats.length === 0) return null;
  const item = (group: (typeof groups)[number]) => {
    const [only] = group.of;
    if (only === undefined) return html`<li>${prose(group.reason)}</li>`;
    const list = html`<ul>${group.of.map((each) => html`<li>${prose(each)}</li>`)}</ul>`;
    if (group.of.length <= SHOWN_KEYS) return html`<li>${prose(group.reason)}${list}</li>`;
    return html`<li><details><summary>${headOf(group)}</summary>${list}</details></li>`;
  };
  return html`<div class="caveats">${headingMarkup("Caveats", level + 1)}
${groups.length > 0 && html`<ul>${groups.map(item)}</ul>`}
${
  caveats.length > 0 &&
  html`<p>${FAILED_RUNS}:</p><ul>${caveats.map((each) => html`<li>${prose(each)}</li>`)}</ul>`
}</div>`;
}
