// Draws a stepper's position as a part of a page: the frames, the code around the position, and the
// values. The script of the page moves the focus and sends the keys.

import { grouped } from "../base/text/grouped.ts";
import type { StepperStanding } from "../library/step.ts";
import { headingMarkup, html, type Markup, prose, tableMarkup } from "../report/html/markup.ts";

const KEYS: readonly (readonly [key: string, label: string])[] = [
  ["n", "Next"],
  ["N", "Back"],
  ["s", "Into"],
  ["S", "Into, back"],
  ["f", "Out"],
  ["i", "Instruction"],
  ["I", "Instruction, back"],
  ["c", "Continue"],
  ["C", "Continue, back"],
  ["g", "Beginning"],
  ["e", "Failure"],
  ["w", "What decided"],
  ["b", "Breakpoint"],
];
/** Lines that are shown before and after the position. */
const AROUND = 12;

export function standingMarkup(standing: StepperStanding): Markup {
  const { title, moment, last, message, failed, frames, frame, source, scopes } = standing;
  return html`<p class="soft">${title} · moment ${grouped(moment)} of ${grouped(last)}</p>
<div class="buttons" role="toolbar" aria-label="Steps">${KEYS.map(
    ([key, label]) =>
      html`<button type="button" data-step="${key}" aria-keyshortcuts="${key}">${label} <kbd>${key}</kbd></button>`,
  )}</div>
<p role="status" class="${failed && "bad"}">${prose(message)}</p>
<div class="beside"><div>${headingMarkup("Calls", 3)}<ol class="frames">${frames.map(
    (name, index) =>
      html`<li><button type="button" data-frame="${index}" aria-pressed="${index === frame ? "true" : "false"}">${name}</button></li>`,
  )}</ol>${source !== null && sourceMarkup(source)}</div>
<div>${scopes
    .filter(({ values }) => values.length > 0)
    .map(({ name, values }) => {
      const rows = values.map((each) => [
        each.name,
        html`<code class="value">${each.value}</code>${each.changed && html` <span class="badge caution">changed</span>`}`,
      ]);
      return html`${headingMarkup(name, 3)}${tableMarkup(name, ["name", "value"], rows, "fields")}`;
    })}</div></div>`;
}

function sourceMarkup(source: NonNullable<StepperStanding["source"]>): Markup {
  const { name, lines, at, missing, breakpoints } = source;
  const first = Math.max(1, at - AROUND);
  const shown = lines.slice(first - 1, at + AROUND);
  return html`${headingMarkup(name, 3)}
${missing !== null && html`<p class="soft">${prose(missing)}</p>`}
<ol class="code" start="${first}" tabindex="0" aria-label="Code">${shown.map((line, index) => {
    const number = first + index;
    const here = number === at;
    const stops =
      breakpoints.includes(number) && html`<span class="bad" title="breakpoint">● </span>`;
    return here
      ? html`<li aria-current="step"><code>${stops}${line}</code></li>`
      : html`<li><code>${stops}${line}</code></li>`;
  })}</ol>`;
}
