// The functions of a contract as a part of its page. A button fills the form for a call: the types
// stand where the values belong.

import { html, type Markup, prose } from "../../report/html/markup.ts";
import type { ShownContract, ShownFunction } from "../../tools/shown-contract.ts";

export function functionsMarkup({ state, functions }: ShownContract): Markup {
  const shown = functions.filter(isForCallers);
  if (shown.length === 0)
    return html`<p class="soft">The contract's code does not describe its functions.</p>`;
  return html`<p class="soft">By its code on ${state}.</p>
<ul class="functions">${shown.map(functionMarkup)}</ul>`;
}

/** The host calls functions with such names, and nobody else may. */
function isForCallers({ name }: ShownFunction): boolean {
  return !name.startsWith("__");
}

function functionMarkup({ name, documentation, inputs, output }: ShownFunction): Markup {
  const list = inputs.map((input) => `${input.name}: ${input.type}`).join(", ");
  const returned = output === null ? "" : ` → ${output}`;
  const example = Object.fromEntries(inputs.map((input) => [input.name, `<${input.type}>`]));
  return html`<li><button type="button" data-function="${name}" data-arguments="${JSON.stringify(example)}">${name}</button>
<code>(${list})${returned}</code>${documentation !== "" && html`<p>${prose(documentation)}</p>`}</li>`;
}
