// Draws calls as nested lists that fold without a script: the arguments, results and costs of each
// call, and between the calls the steps of the contract, behind which all its host calls fold.

import { countedMore } from "../../base/text/counted.ts";
import { grouped } from "../../base/text/grouped.ts";
import { cutVisibly } from "../../base/text/neutralise.ts";
import type { Alignment } from "../../model/what-if.ts";
import { hasFailed } from "../document/calls.ts";
import type { Item, Signature } from "../document/document.ts";
import { bar, html, type Markup, type Place, prose } from "./markup.ts";

/** Longer values are cut in the line of a call. Below it they are shown in full. */
const SHOWN_VALUE = 120;
/** A page with more of them is slow. The JSON report has all. */
const MOST_CALLS = 10_000;
const MOST_STEPS = 20_000;
const MOST_HOST_CALLS = 20_000;
/** Up to this number of calls, all of them are open at first. */
const OPEN_CALLS = 40;
const OPEN_DEPTH = 2;
/** Up to this number, host calls are open at first if one of them failed. */
const OPEN_HOST_CALLS = 20;

const ALIGNMENTS: Readonly<Record<Alignment, readonly [tone: string, words: string]>> = {
  same: ["", "unchanged"],
  different: ["caution", "different"],
  gone: ["bad", "only without the overrides"],
  new: ["good", "only with the overrides"],
};

export function alignmentBadge(alignment: Alignment | undefined): Markup | null {
  if (alignment === undefined) return null;
  const [tone, words] = ALIGNMENTS[alignment];
  return html`<span class="badge ${tone}">${words}</span> `;
}

/** Counts the calls so far, whether they are drawn or not. */
interface Tree {
  readonly opensAll: boolean;
  readonly prefix: string;
  calls: number;
  steps: number;
  hostCalls: number;
}

function openTree(roots: readonly Item[], prefix = ""): Tree {
  const all = roots.reduce((sum, each) => sum + countOf(each), 0);
  return { opensAll: all <= OPEN_CALLS, prefix, calls: 0, steps: 0, hostCalls: 0 };
}

/** Draws a tree, with a search and buttons that fold if there is a script. */
export function callTree(roots: readonly Item[], { prefix }: Place): Markup {
  const tree = openTree(roots, prefix);
  const list = drawItems(tree, roots, 0);
  const kinds = [
    { more: tree.calls - MOST_CALLS, noun: ["call", "calls"] },
    { more: tree.steps - MOST_STEPS, noun: ["step", "steps"] },
    { more: tree.hostCalls - MOST_HOST_CALLS, noun: ["host call", "host calls"] },
  ] as const;
  const omitted = kinds.flatMap(({ more, noun }) => (more > 0 ? [countedMore(more, noun)] : []));
  return html`<div data-tree>
<div class="tools" hidden><label>Search <input type="search" autocomplete="off"
spellcheck="false" placeholder="function, value or key"></label>
<button type="button" data-fold="open">Expand all</button>
<button type="button" data-fold="close">Collapse all</button><output></output></div>
<ul class="tree">${list}</ul>${
    omitted.length > 0 && html`<p>In the JSON report: ${omitted.join(", ")}.</p>`
  }</div>`;
}

/** Draws only the items of a list. */
export function rowsOfCalls(items: readonly Item[]): Markup {
  return html`${drawItems(openTree(items), items, 0)}`;
}

function countOf({ role, below = [] }: Item): number {
  return below.reduce(
    (sum, each) => sum + countOf(each),
    role === "call" || role === undefined ? 1 : 0,
  );
}

/** The target of links to the item. */
function idOf({ prefix }: Tree, { id }: Item): Markup | false {
  return id !== undefined && html` id="${prefix}${id}"`;
}

/** Host calls between two calls fold together, behind the steps that describe them. */
function drawItems(tree: Tree, items: readonly Item[], depth: number): (Markup | null)[] {
  const drawn: (Markup | null)[] = [];
  let hostCalls: Item[] = [];
  for (const item of items) {
    if (item.role === "host-call") {
      hostCalls.push(item);
      continue;
    }
    if (item.role === "step") {
      drawn.push(drawStep(tree, item));
      continue;
    }
    drawn.push(drawHostCalls(tree, hostCalls), drawCall(tree, item, depth));
    hostCalls = [];
  }
  return [...drawn, drawHostCalls(tree, hostCalls)];
}

function drawCall(tree: Tree, item: Item, depth: number): Markup | null {
  const { text, frame, role, where, before, alignment, cost, below = [] } = item;
  if (frame === true) return html`${drawItems(tree, below, depth)}`;
  if (role === undefined)
    return html`<li class="soft">${prose(typeof text === "string" ? text : "")}</li>`;
  if (tree.calls >= MOST_CALLS) {
    tree.calls += countOf(item);
    return null;
  }
  tree.calls += 1;
  const failed = hasFailed(item);
  const line = html`<span class="what">${alignmentBadge(alignment)}${
    typeof text === "string" ? prose(text) : signatureMarkup(text)
  }</span>${before !== undefined && html`<span class="cost">was ${prose(before)}</span>`}<span class="cost parts">${
    where !== undefined && html`<span>${prose(where.name)}</span>`
  }${cost !== undefined && html`<span>${cost}</span>`}${costBar(item)}</span>`;
  const inside = [fullValues(text), ...drawItems(tree, below, depth + 1)];
  const kind = failed ? "call failed" : "call";
  if (inside.every((each) => each === null))
    return html`<li class="${kind}"${idOf(tree, item)}><div class="own">${line}</div></li>`;
  const open = tree.opensAll || depth < OPEN_DEPTH || leadsToFailure(item);
  return html`<li class="${kind}"${idOf(tree, item)}><details${open && html` open`}><summary class="own">${line}</summary>
<ul>${inside}</ul></details></li>`;
}

function drawStep(tree: Tree, item: Item) {
  const { badge, text, values = [], outcome, times = 1, tone } = item;
  tree.steps += 1;
  if (tree.steps > MOST_STEPS) return null;
  const label = typeof text === "string" ? prose(cut(text)) : signatureMarkup(text);
  const shown = values.map((value, index) => html`${index > 0 && " → "}${prose(cut(value))}`);
  const result = outcome !== undefined && html`: <b>${outcome}</b>`;
  const value = shown.length > 0 && html`: <span class="result">${shown}</span>`;
  const often = times > 1 && html` <span class="soft">${grouped(times)} times</span>`;
  return html`<li class="step"${idOf(tree, item)}><div class="own ${tone === "bad" && "bad"}">${
    badge !== undefined && html`<span class="kind">${badge}</span> `
  }<span class="what">${label}${value}${result}</span>${often}</div></li>`;
}

function leadsToFailure({ below = [] }: Item): boolean {
  return below.some((each) => each.role === "call" && (hasFailed(each) || leadsToFailure(each)));
}

export function signatureMarkup({ name, values, result, error }: Signature): Markup {
  const list = values.map(
    ({ name: of, value }, index) =>
      html`${index > 0 && ", "}${of !== null && html`<i>${of}:</i> `}${prose(cut(value))}`,
  );
  const outcome =
    result === null
      ? html` <b class="badge bad">failed</b>${error !== undefined && html` <span class="bad">${prose(cut(error))}</span>`}`
      : result !== undefined && html` <span class="result">→ ${prose(cut(result))}</span>`;
  return html`<b>${name}</b>(${list})${outcome}`;
}

function cut(value: string): string {
  return cutVisibly(value, SHOWN_VALUE);
}

/** Returns null if the line of the call shows all values in full. */
function fullValues(text: string | Signature): Markup | null {
  if (typeof text === "string") return null;
  const result = text.result ?? null;
  const argumentsShown = text.values.map(({ name, value }, i) => ({
    name: name ?? `value ${i + 1}`,
    value,
  }));
  const all =
    result === null ? argumentsShown : [...argumentsShown, { name: "result", value: result }];
  const long = all.filter(({ value }) => value.length > SHOWN_VALUE);
  if (long.length === 0) return null;
  return html`<li class="values">${long.map(
    ({ name, value }) => html`<div><i>${name}</i> <code>${value}</code></div>`,
  )}</li>`;
}

function costBar({ shares }: Item): Markup | null {
  if (shares === undefined) return null;
  const { self, total } = shares;
  return bar([
    { share: self, kind: "self" },
    { share: total - self, kind: "total" },
  ]);
}

function drawHostCalls(tree: Tree, calls: readonly Item[]): Markup | null {
  if (calls.length === 0) return null;
  const room = MOST_HOST_CALLS - tree.hostCalls;
  const many = calls.reduce((sum, { times = 1 }) => sum + times, 0);
  tree.hostCalls += many;
  if (room <= 0) return null;
  const open = many <= OPEN_HOST_CALLS && calls.some(hasFailed);
  const label = `${grouped(many)} host ${many === 1 ? "call" : "calls"}`;
  return html`<li class="host"><details${open && html` open`}><summary class="own">${label}</summary>
<ul>${calls.slice(0, room).map(drawHostCall)}</ul></details></li>`;
}

function drawHostCall({ text, depth = 0, cells = [] }: Item): Markup {
  const label = typeof text === "string" ? prose(text) : signatureMarkup(text);
  return html`<li><div class="own depth-${Math.min(depth, 4)}"><span class="line"><span class="what"
>${label}</span> <span class="soft">${cells[0] ?? ""}</span></span></div></li>`;
}
