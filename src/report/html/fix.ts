// The fix of a failed transaction: the changed values, the proof, the signers, and the envelope to
// copy.

import { grouped } from "../../base/text/grouped.ts";
import type { Fix, FixChange } from "../../model/fix.ts";
import type { Investigation } from "../../model/investigation.ts";
import {
  changeInWords,
  envelopesOf,
  headroomSentence,
  isLowered,
  nextRemedy,
  proofSentences,
  resubmissionRows,
  shownChanges,
} from "../text/fix.ts";
import {
  copyable,
  definitions,
  headingMarkup,
  html,
  type Markup,
  type Place,
  prose,
} from "./markup.ts";

/** Null when nothing ran that could be fixed. */
export function fixMarkup(
  { fix, execution }: Investigation,
  { prefix, level }: Place,
): Markup | null {
  if (fix === null || execution === null) return null;
  const { proof, prelude, headroom, changes } = fix;
  const proven = proof?.outcome === "succeeds";
  const next = nextRemedy(proof);
  const resubmission = resubmissionRows(fix).map(([name, value]): [string, string] => [
    name,
    value.replace(" -> ", " → "),
  ]);
  const badge = proven && html` <span class="badge good">proven by a run</span>`;
  const { rows, lowered } = rowsOf(fix);
  return html`<div class="fix">${headingMarkup(html`Fix${badge}`, level + 1)}
<p class="lead">${prose(fix.summary)}</p>
${
  prelude !== null &&
  html`<p>${prose(prelude.summary)}</p>${changesMarkup(prelude.changes)}
${changes.length > 0 && html`<p>Then:</p>`}`
}
${changesMarkup(rows)}
${
  proof?.outcome === "recorded" &&
  html`<p><a href="#${prefix}authorization">Required authorizations, beside the supplied ones</a></p>`
}
${lowered.length > 0 && html`<p>Recorded resources:</p>${changesMarkup(lowered)}`}
${next !== null && html`<p>${prose(next)}</p>`}
${proofSentences(proof).map((sentence) => html`<p class="soft">${prose(sentence)}</p>`)}
${headroom !== null && html`<p class="soft">${headroomSentence(headroom)}</p>`}
${resubmission.length > 0 && html`<p>To resubmit the transaction:</p>${definitions(resubmission)}`}
${envelopesOf(fix).map(({ title, xdr }, index) =>
  copyable(title.replace(/:$/, ""), xdr, `${prefix}envelope-${index + 1}`),
)}</div>`;
}

/** Recorded authorizations are drawn as a tree, beside the ones in the envelope. */
function rowsOf(fix: Fix): { readonly rows: FixChange[]; readonly lowered: FixChange[] } {
  const rows = shownChanges(fix);
  if (fix.proof?.outcome !== "recorded") return { rows, lowered: [] };
  const others = rows.filter(({ what, from }) => what !== "authorization" || from !== null);
  return {
    rows: others.filter((row) => !isLowered(row)),
    lowered: others.filter(isLowered),
  };
}

function changesMarkup(changes: readonly FixChange[]): Markup | null {
  if (changes.length === 0) return null;
  return definitions(
    changes.map((change): [string, string | Markup] => {
      const { what, from, to } = change;
      if (!isNumber(from) || !isNumber(to)) return [what, changeInWords(change)];
      const more = BigInt(to) - BigInt(from);
      const sign = more > 0n ? "+" : "−";
      return [
        what,
        html`${grouped(from)} → <strong>${grouped(to)}</strong>
<span class="soft">${sign}${grouped(more < 0n ? -more : more)}</span>`,
      ];
    }),
  );
}

function isNumber(value: string | null): value is string {
  return value !== null && /^\d+$/.test(value);
}
