// The run with overrides compared with the replay.

import { causeInWords } from "../../model/explanation.ts";
import type { AlignedCall, Alignment, WhatIf } from "../../model/what-if.ts";
import { eventInWords } from "../text/state.ts";
import { beforeAfter, callInWords, changeInWords, costRows, isSame } from "../text/what-if.ts";
import { isDrawn } from "../visible-frames.ts";
import {
  definitions,
  headingMarkup,
  html,
  limited,
  type Markup,
  type Place,
  prose,
  tableMarkup,
} from "./markup.ts";

const MOST_SHOWN = 500;
const WORDS: Readonly<Record<Alignment, string>> = {
  same: "unchanged",
  different: "different",
  gone: "only without the overrides",
  new: "only with the overrides",
};
const TONES: Readonly<Record<Alignment, string>> = {
  same: "",
  different: "caution",
  gone: "bad",
  new: "good",
};

/** Null when nothing was overridden. */
export function whatIfMarkup(whatIf: WhatIf | undefined, { level }: Place): Markup | null {
  if (whatIf === undefined) return null;
  const { changed, headline, explanation, unknown, remarks, difference } = whatIf;
  const { cause, evidence, remedy } = explanation;
  const returned = beforeAfter(difference.returnValue);
  const sentences = [...unknown, ...remarks, ...(cause === null ? [] : [causeInWords(cause)])];
  const sub = (title: string) => headingMarkup(title, level + 2);
  const costs = costRows(difference);
  return html`${definitions(
    changed.map(({ what, before, after }) => [what, `${before} → ${after}`]),
  )}
<p class="lead">${prose(headline)}</p>
<p class="soft">No verdict: this run did not happen on the chain.</p>
<ul>${[...sentences, ...evidence].map((sentence) => html`<li>${prose(sentence)}</li>`)}</ul>
${remedy !== null && html`<p><strong>Remedy:</strong> ${prose(remedy)}</p>`}
${returned !== null && html`<p>Returned: ${returned}</p>`}
${differenceMarkup(whatIf, sub)}
${
  costs.length > 0 &&
  html`${sub("Costs")}${tableMarkup("Costs", ["cost", "without", "with", "difference"], costs, "numbers")}`
}`;
}

function differenceMarkup({ difference }: WhatIf, sub: (title: string) => Markup): Markup {
  const { calls, changes, events } = difference;
  const changed = changes.filter(({ alignment }) => alignment !== "same");
  const emitted = events.filter(({ alignment }) => alignment !== "same");
  const row = (alignment: Alignment, lines: readonly (string | false)[]) =>
    html`<li>${mark(alignment)} ${lines.map((line) => line !== false && html`<div>${prose(line)}</div>`)}</li>`;
  return html`${
    calls !== null &&
    !isSame(calls) &&
    html`${sub("Calls")}<ul class="tree">${callMarkup(calls)}</ul>`
  }
${
  changed.length > 0 &&
  html`${sub("State changes")}<ul>${limited(changed, MOST_SHOWN, "changes", (each) => {
    const shown = each.after ?? each.before;
    return row(each.alignment, [
      `${shown?.kind} ${shown?.key}`,
      `without: ${changeInWords(each.before)}`,
      `with: ${changeInWords(each.after)}`,
    ]);
  })}</ul>`
}
${
  emitted.length > 0 &&
  html`${sub("Events")}<ul>${limited(
    emitted,
    MOST_SHOWN,
    "events",
    ({ alignment, before, after }) => {
      const shown = after ?? before;
      return row(alignment, [
        shown !== null && eventInWords(shown),
        alignment === "different" && before !== null && `was ${eventInWords(before)}`,
      ]);
    },
  )}</ul>`
}`;
}

/** Unchanged calls are shown without the calls below them. */
function callMarkup(call: AlignedCall): Markup {
  const { alignment, before, after, calls } = call;
  const shown = after ?? before;
  const below = isSame(call) ? [] : calls.map(callMarkup);
  if (shown === null || !isDrawn(shown, calls)) return html`${below}`;
  return html`<li class="call"><div class="own"><span class="what">${mark(alignment)} ${prose(callInWords(shown))}</span>
${alignment === "different" && before !== null && html`<span class="cost">was ${prose(callInWords(before))}</span>`}
${shown.contract !== null && html`<span class="cost">${prose(shown.contract)}</span>`}</div>
${below.length > 0 && html`<ul>${below}</ul>`}</li>`;
}

function mark(alignment: Alignment): Markup {
  return html`<span class="badge ${TONES[alignment]}">${WORDS[alignment]}</span>`;
}
