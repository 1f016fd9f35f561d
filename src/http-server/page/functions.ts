// The functions of a contract as a part of its page. A button fills the form for a call: the types
// stand where the values belong.

import { html, type Markup, prose } from "../../report/html/markup.ts";
import type { ShownContract, ShownFunction } from "../../tools/shown-contract.ts";

export function functionsMarkup({ state, functions }: ShownContract): Markup {
  if (functions.length === 0)
    return html`<p class="soft">The contract's code does not describe its functions.</p>`;
  return html`<p class="soft">By its code on ${state}.</p>
<ul class="functions">${functions.map(functionMarkup)}</ul>`;
}

function functionMarkup({ name, documentation, inputs, output }: ShownFunction): Markup {
  const list = inputs.map((input) => `${input.name}: ${input.type}`).join(", ");
  const returned = output === null ? "" : ` → ${output}`;
  const example = Object.fromEntries(inputs.map((input) => [input.name, `<${input.type}>`]));
  return html`<li><button type="button" data-function="${name}" data-arguments="${JSON.stringify(example)}">${name}</button>
<code>(${list})${returned}</code>${documentation !== "" && html`<p>${prose(documentation)}</p>`}</li>`;
}
