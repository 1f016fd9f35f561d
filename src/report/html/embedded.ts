// The data that a page contains besides the visible text: the report for programs, the capsule for
// another run with `svc debug --from page.html`, and the data and the page of the flamegraph.

import { withShortAddresses } from "../../base/text/found-by-form.ts";
import { grouped } from "../../base/text/grouped.ts";
import { cutVisibly } from "../../base/text/neutralise.ts";
import type { Investigation } from "../../model/investigation.ts";
import { percent } from "../document/numbers.ts";
import { type Frame, frameTree } from "../profile/frame-tree.ts";
import { embeddedViewer, profileData } from "../profile/html.ts";
import { profileOf, type TransactionProfile } from "../profile/transaction-profile.ts";
import { embeddedJson, html, type Markup, type Place, prose } from "./markup.ts";

/** `capsule` is the text of its file. `report` is the JSON document. */
export function embeddedMarkup(
  investigation: Investigation,
  report: unknown,
  capsule: string | null,
  { prefix }: Place,
): Markup {
  const { hash } = investigation.record;
  const profile = profileOf(investigation);
  return html`<script type="application/json" id="${prefix}report" data-file="${hash}.report.json"
>${embeddedJson(report)}</script>
${
  capsule !== null &&
  html`<script type="application/json" class="svc-capsule" id="${prefix}capsule"
data-file="${hash}.capsule.json">${embeddedJson(JSON.parse(capsule))}</script>`
}
${
  profile !== null &&
  html`<script type="application/json" id="${prefix}profile"
>${embeddedJson(profileData(profile))}</script>`
}`;
}

/** The viewer is once in a page, for all its transactions. */
export function viewerMarkup(): Markup {
  return html`<script type="application/json" id="viewer">${embeddedJson(embeddedViewer())}</script>`;
}

/**
 * Draws the place of the flamegraph, and the sentence about its functions. Returns null without a
 * profile.
 */
export function flamegraphMarkup(investigation: Investigation, { prefix }: Place): Markup | null {
  const profile = profileOf(investigation);
  if (profile === null) return null;
  return html`<div class="flamegraph" data-profile="${prefix}profile"
></div>
${drawnFlamegraph(profile)}
<p class="soft">${prose(profile.functions)}</p>`;
}

const WIDTH = 700;
const ROW = 15;
const LETTER = 5.5;
/** Frames with a smaller share of all instructions are left out. */
const LEAST_SHARE = 0.003;

/**
 * Draws the graph for paper, and for browsers without scripts: every frame that is wide enough to
 * be seen, and the sum of the others.
 */
function drawnFlamegraph(profile: TransactionProfile): Markup {
  const frames = frameTree(profile);
  const whole = frames[0]?.cpuInstructions ?? 0;
  const inside = new Map<number, number[]>();
  for (const [index, { parent }] of frames.entries())
    inside.set(parent, [...(inside.get(parent) ?? []), index]);
  const drawn: Markup[] = [];
  let rows = 0;
  let leftOut = 0;
  const draw = (index: number, left: number, row: number) => {
    const { name, kind, cpuInstructions } = frames[index] as Frame;
    const width = (cpuInstructions / whole) * WIDTH;
    if (!(width >= LEAST_SHARE * WIDTH)) {
      leftOut += cpuInstructions;
      return;
    }
    rows = Math.max(rows, row + 1);
    const text = `${withShortAddresses(name)} ${grouped(cpuInstructions)}`;
    const room = Math.floor(width / LETTER) - 1;
    drawn.push(html`<rect class="${kind}" x="${left.toFixed(2)}" y="${row * ROW}"
width="${Math.max(0.5, width - 0.7).toFixed(2)}" height="${ROW - 1}"/>${
      room > 2 &&
      html`<text x="${(left + 3).toFixed(2)}" y="${row * ROW + 10.5}">${cutVisibly(text, room)}</text>`
    }`);
    const byCost = (left: number, right: number) => costAt(frames, right) - costAt(frames, left);
    let at = left;
    for (const child of (inside.get(index) ?? []).sort(byCost)) {
      draw(child, at, row + 1);
      at += (costAt(frames, child) / whole) * WIDTH;
    }
  };
  draw(0, 0, 0);
  const isTiny = leftOut * 1000 < whole;
  const share = isTiny ? "less than 0.1 %" : percent(BigInt(leftOut), BigInt(whole), 1);
  const omission =
    `Not drawn: frames with less than ${100 * LEAST_SHARE} % of the instructions each, ` +
    `${share} of them together.`;
  return html`<div class="drawn"><svg viewBox="0 0 ${WIDTH} ${rows * ROW}" role="img"
aria-label="Flamegraph of CPU instructions">${drawn}</svg>${
    leftOut > 0 && html`<p class="soft">${omission}</p>`
  }</div>`;
}

function costAt(frames: readonly Frame[], index: number): number {
  return frames[index]?.cpuInstructions ?? 0;
}
