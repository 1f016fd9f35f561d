// The authorizations that the transaction has, beside those that it needs: as a run recorded them,
// or as the calls of the replay required them.

import type {
  NamedAuthorization,
  NamedInvocation,
  NamedRequirement,
  RequiredAuthorizations,
} from "../../model/authorizations.ts";
import type { Investigation } from "../../model/investigation.ts";
import { invocationInWords, validityInWords } from "../text/authorizations.ts";
import { headingMarkup, html, limited, type Markup, type Place, prose } from "./markup.ts";

const MOST_SHOWN = 500;
const GIVEN_BY = { call: "made the call", contract: "allowed the call itself" } as const;

/** Null when there are none. */
export function authorizationsMarkup(
  { explanation, fix }: Investigation,
  { level }: Place,
): Markup | null {
  const { authorizations: supplied, requiredAuthorizations: required } = explanation;
  const recorded = fix?.proof?.outcome === "recorded" ? fix.proof.authorizations : null;
  const isEmpty = required === null || required.list.length === 0;
  if (recorded === null && supplied.length === 0 && isEmpty) return null;
  if (recorded === null && required === null) return authorizationList(supplied);
  return html`<div class="beside">
<div>${headingMarkup("Supplied in the envelope", level + 2)}
${supplied.length === 0 ? html`<p class="soft">None.</p>` : authorizationList(supplied)}</div>
${
  recorded !== null
    ? html`<div>${headingMarkup("Required, as a run recorded them", level + 2)}${authorizationList(recorded)}</div>`
    : required && requiredMarkup(required, level + 2)
}
</div>`;
}

function requiredMarkup({ list, complete }: RequiredAuthorizations, level: number): Markup {
  const draw = ({ signer, by, refused, invocation }: NamedRequirement) =>
    html`<div class="card"><p><strong>${prose(signer)}</strong>${
      refused && html` <span class="badge bad">refused</span>`
    }${by !== null && html` <span class="soft">${GIVEN_BY[by]}</span>`}</p>
<ul class="tree">${invocationMarkup(invocation)}</ul></div>`;
  return html`<div>${headingMarkup("Required by the calls of the replay", level)}
${list.length === 0 ? html`<p class="soft">None.</p>` : limited(list, MOST_SHOWN, "authorizations", draw)}
${!complete && html`<p class="soft">There may be more: the replay does not show all of them.</p>`}</div>`;
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
