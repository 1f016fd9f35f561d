// What the transaction changed: ledger entries field by field, tokens that moved, and events.

import type { NamedChange, NamedEvent, TokenFlow } from "../../model/explanation.ts";
import { eventInWords } from "../text/state.ts";
import { amountOf, signedAmount, tokenOf } from "../text/tokens.ts";
import { html, limited, type Markup, NOTHING, prose, tableMarkup } from "./markup.ts";

const MOST_SHOWN = 2000;

export function changesMarkup(changes: readonly NamedChange[]): Markup | null {
  if (changes.length === 0) return null;
  return limited(changes, MOST_SHOWN, "changes", (change) => {
    const { kind, key } = change;
    return html`<div class="card"><p><span class="badge ${kind}">${kind}</span> ${prose(key)}</p>
${valuesMarkup(change)}</div>`;
  });
}

/** The changed fields, or the complete values if the fields are unknown. */
function valuesMarkup({ key, before, after, fields }: NamedChange): Markup | null {
  const absent = html`<span class="soft">absent</span>`;
  const shown = (value: string | null) =>
    value === null ? absent : html`<code class="value">${prose(value)}</code>`;
  if (fields.some(({ field }) => field !== ""))
    return tableMarkup(
      `Changed fields of ${key}`,
      ["field", "before", "after"],
      fields.map((each) => [each.field, shown(each.before), shown(each.after)]),
      "fields",
    );
  if (before !== null && after !== null)
    return html`<div class="beside"><div><p class="soft">before</p>${shown(before)}</div>
<div><p class="soft">after</p>${shown(after)}</div></div>`;
  return before === null && after === null ? null : shown(after ?? before);
}

export function tokensMarkup({ moves, net, from }: TokenFlow): Markup | null {
  if (moves.length === 0 && net.length === 0) return null;
  const rows = moves
    .slice(0, MOST_SHOWN)
    .map((move): [string, string, string, string, string] => [
      move.kind,
      amountOf(move),
      tokenOf(move),
      move.from ?? NOTHING,
      move.to ?? NOTHING,
    ]);
  const sums = net
    .slice(0, MOST_SHOWN)
    .map((each): [string, string, string] => [each.account, signedAmount(each), tokenOf(each)]);
  return html`${
    moves.length > 0 &&
    tableMarkup(
      "Token movements",
      ["movement", "amount", "token", "sender", "recipient"],
      rows,
      "tokens",
    )
  }
${
  // The sum of a single movement is the movement itself.
  sums.length > 0 &&
  moves.length !== 1 &&
  html`<p>Net, from ${from === "events" ? "the events" : "the balances before and after"}:</p>
${tableMarkup("Net amounts", ["account", "amount", "token"], sums, "tokens")}`
}`;
}

export function eventsMarkup(events: readonly NamedEvent[]): Markup | null {
  if (events.length === 0) return null;
  const list = limited(events, MOST_SHOWN, "events", (event) => {
    const { kind, contract, name, fields } = event;
    const known = name !== null && fields !== null;
    const what = known
      ? html`<b>${name}</b>(${fields.map(
          (field, index) => html`${index > 0 && ", "}<i>${field.name}:</i> ${prose(field.value)}`,
        )})`
      : prose(eventInWords(event));
    return html`<li><span class="what">${what}</span>
<span class="cost">${kind} event of ${prose(contract ?? "the host")}</span></li>`;
  });
  return html`<ol class="events">${list}</ol>`;
}
