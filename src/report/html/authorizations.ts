// The authorizations that the transaction has, beside those that it needs if a run recorded them.

import type { NamedAuthorization, NamedInvocation } from "../../model/explanation.ts";
import type { Investigation } from "../../model/investigation.ts";
import { invocationInWords, validityInWords } from "../text/authorizations.ts";
import { headingMarkup, html, limited, type Markup, type Place, prose } from "./markup.ts";

const MOST_SHOWN = 500;

/** Null when there are none. */
export function authorizationsMarkup(
  { explanation, fix }: Investigation,
  { level }: Place,
): Markup | null {
  const supplied = explanation.authorizations;
  const required = fix?.proof?.outcome === "recorded" ? fix.proof.authorizations : null;
  if (required === null) return supplied.length === 0 ? null : authorizationList(supplied);
  return html`<div class="beside">
<div>${headingMarkup("Supplied in the envelope", level + 2)}
${supplied.length === 0 ? html`<p class="soft">None.</p>` : authorizationList(supplied)}</div>
<div>${headingMarkup("Required, as a run recorded them", level + 2)}${authorizationList(required)}</div>
</div>`;
}

export function authorizationList(authorizations: readonly NamedAuthorization[]): Markup {
  const draw = (each: NamedAuthorization) => {
    const who = each.signer ?? "the source account, by its signature";
    const unsigned = !each.signed && html` <span class="badge caution">not signed</span>`;
    const validity = validityInWords(each).replace(/^, /, "");
    return html`<div class="card"><p><strong>${prose(who)}</strong>${unsigned}
${validity !== "" && html`<span class="soft">${validity}</span>`}</p>
<ul class="tree">${invocationMarkup(each.invocation)}</ul></div>`;
  };
  return limited(authorizations, MOST_SHOWN, "authorizations", draw);
}

export function invocationMarkup(invocation: NamedInvocation): Markup {
  const { contract, calls } = invocation;
  return html`<li class="call"><div class="own"><span class="what">${prose(invocationInWords(invocation))}</span>
${contract !== null && html`<span class="cost">${prose(contract)}</span>`}</div>
${calls.length > 0 && html`<ul>${calls.map(invocationMarkup)}</ul>`}</li>`;
}
