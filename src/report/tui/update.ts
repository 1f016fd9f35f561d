// The effect of each key on the state. All functions are pure. Keys without a meaning do not change
// the state.

import { grouped } from "../../base/text/grouped.ts";
import { neutralise } from "../../base/text/neutralise.ts";
import { isTooSmall, ROWS_ABOVE } from "./geometry.ts";
import { helpPages, turnedPage } from "./help.ts";
import { mouseOf, WHEEL_LINES, writes } from "./keys.ts";
import { hasChildren, type OutlineNode, positionOf, rearranged } from "./outline.ts";
import { findMatches, keptOf, nextMatch } from "./search-outline.ts";
import {
  clamp,
  geometryOfView,
  refolded,
  reveal,
  shownAs,
  tabAt,
  type View,
  type ViewState,
  viewOf,
  withView,
} from "./state.ts";

const LONGEST_SEARCH = 200;
/** Terminals take at most this much for the clipboard, and many take less. */
const LONGEST_COPY = 70_000;

type Action = (state: ViewState) => ViewState;

/** The effect of each key, by its name. */
export const ACTIONS: Readonly<Record<string, Action>> = {
  j: (state) => move(state, 1),
  down: (state) => move(state, 1),
  k: (state) => move(state, -1),
  up: (state) => move(state, -1),
  pagedown: (state) => move(state, pageOf(state)),
  pageup: (state) => move(state, -pageOf(state)),
  halfdown: (state) => move(state, pageOf(state) >> 1),
  halfup: (state) => move(state, -(pageOf(state) >> 1)),
  g: (state) => move(state, Number.NEGATIVE_INFINITY),
  home: (state) => move(state, Number.NEGATIVE_INFINITY),
  G: (state) => move(state, Number.POSITIVE_INFINITY),
  end: (state) => move(state, Number.POSITIVE_INFINITY),
  enter: toggleFold,
  " ": toggleFold,
  S: sort,
  v: toggleHost,
  f: toggleFilter,
  y: (state) => copy(state, "the details", textOf(viewOf(state))),
  Y: (state) => copy(state, "the hash", state.headline.hash),
  m: toggleMouse,
  h: closeOrLeave,
  left: closeOrLeave,
  l: openOrEnter,
  right: openOrEnter,
  z: foldAll,
  Z: (state) => withView(state, refolded(viewOf(state), new Set())),
  J: (state) => scrollDetails(state, 1),
  K: (state) => scrollDetails(state, -1),
  "/": (state) => ({ ...state, prompt: { text: "", before: viewOf(state) } }),
  n: (state) => stepMatch(state, 1),
  N: (state) => stepMatch(state, -1),
  c: (state) => stepCall(state, 1),
  C: (state) => stepCall(state, -1),
  e: stepError,
  o: goToOrigin,
  escape: (state) => withView(state, withoutSearch(viewOf(state))),
  tab: (state) => showTab(state, (state.tab + 1) % state.tabs.length),
  backtab: (state) => showTab(state, (state.tab + state.tabs.length - 1) % state.tabs.length),
  "?": (state) => ({ ...state, help: 1 }),
  s: (state) => ({ ...state, ended: "step" }),
  q: (state) => ({ ...state, ended: "quit" }),
};

export function update(previous: ViewState, key: string): ViewState {
  const state = { ...previous, message: "", copied: null };
  if (isTooSmall(state.size)) return key === "q" ? { ...state, ended: "quit" } : previous;
  if (state.prompt !== null) return updatePrompt(state, key);
  if (state.help > 0) return { ...state, help: turnedPage(state.help, helpPages(state.size), key) };
  const mouse = mouseOf(key);
  if (mouse !== null) return point(state, mouse);
  const digit = /^[1-9]$/.test(key) ? Number(key) - 1 : -1;
  if (digit !== -1) return digit < state.tabs.length ? showTab(state, digit) : state;
  return Object.hasOwn(ACTIONS, key) ? (ACTIONS[key] as Action)(state) : state;
}

function pageOf(state: ViewState): number {
  return geometryOfView(state, viewOf(state)).outlineRows - 1;
}

function move(state: ViewState, by: number): ViewState {
  const view = viewOf(state);
  const from = positionOf(view.visible, view.selected);
  const position = clamp(from + by, 0, Math.max(0, view.visible.length - 1));
  return select(state, view, view.visible[position] ?? 0);
}

function select(state: ViewState, view: View, node: number): ViewState {
  return withView(state, reveal(view, node));
}

function showTab(state: ViewState, tab: number): ViewState {
  return { ...state, tab };
}

function toggleFold(state: ViewState): ViewState {
  const view = viewOf(state);
  return view.folded.has(view.selected) ? unfold(state, view) : fold(state, view);
}

function fold(state: ViewState, view: View): ViewState {
  if (!hasChildren(view.outline.nodes, view.selected)) return state;
  return withView(state, refolded(view, new Set(view.folded).add(view.selected)));
}

function unfold(state: ViewState, view: View): ViewState {
  const folded = new Set(view.folded);
  folded.delete(view.selected);
  return withView(state, refolded(view, folded));
}

function closeOrLeave(state: ViewState): ViewState {
  const view = viewOf(state);
  const { nodes } = view.outline;
  if (hasChildren(nodes, view.selected) && !view.folded.has(view.selected))
    return fold(state, view);
  const parent = nodes[view.selected]?.parent ?? -1;
  return parent === -1 ? state : select(state, view, parent);
}

function openOrEnter(state: ViewState): ViewState {
  const view = viewOf(state);
  if (view.folded.has(view.selected)) return unfold(state, view);
  const next = view.visible[positionOf(view.visible, view.selected) + 1];
  const isInside = next !== undefined && next < (view.outline.nodes[view.selected]?.end ?? 0);
  return isInside ? select(state, view, next) : state;
}

/** Folds all nodes with nodes below them, except the top ones, so that something stays visible. */
function foldAll(state: ViewState): ViewState {
  const view = viewOf(state);
  const { nodes } = view.outline;
  const folded = new Set<number>();
  for (const [index, { depth }] of nodes.entries())
    if (depth > 0 && hasChildren(nodes, index)) folded.add(index);
  return withView(state, refolded(view, folded));
}

function scrollDetails(state: ViewState, by: number): ViewState {
  const view = viewOf(state);
  return withView(state, { ...view, detailTop: view.detailTop + by });
}

/** Sorts lines by cost, or as they happened. The same line stays selected. */
function sort(state: ViewState): ViewState {
  const view = viewOf(state);
  const { nodes } = view.outline;
  if (!nodes.some(({ cost }) => cost != null))
    return { ...state, message: "The lines of this tab have no cost to sort by" };
  const sorted = !view.sorted;
  // Lines without a cost stay in their order after those with one.
  const rank = (node: OutlineNode) => (sorted ? -(node.cost ?? -1n) : BigInt(node.order));
  const moved = rearranged(nodes, rank);
  const places = new Map(moved.map(({ order }, index) => [order, index]));
  const placeOf = (index: number) => places.get(nodes[index]?.order ?? 0) ?? 0;
  const search = view.search && {
    text: view.search.text,
    matches: view.search.matches.map(placeOf).sort((a, b) => a - b),
    kept: view.search.kept && new Set([...view.search.kept].map(placeOf)),
  };
  return withView(
    state,
    shownAs({
      ...view,
      sorted,
      outline: { ...view.outline, nodes: moved },
      folded: new Set([...view.folded].map(placeOf)),
      selected: placeOf(view.selected),
      search,
    }),
  );
}

function toggleHost(state: ViewState): ViewState {
  const view = viewOf(state);
  if (view.outline.hosts === 0)
    return { ...state, message: "No calls into the contract host are recorded in this tab" };
  return withView(state, shownAs({ ...view, withHost: !view.withHost }));
}

/** Shows only the lines with the text, or all lines with the text marked. */
function toggleFilter(state: ViewState): ViewState {
  const view = viewOf(state);
  const { search, outline, selected } = view;
  if (search === null) return { ...state, message: "No filter yet. Press / to type one" };
  const kept = search.kept === null ? keptOf(outline, search.matches) : null;
  const shown = shownAs({ ...view, search: { ...search, kept } });
  return withView(state, kept === null ? reveal(shown, selected) : shown);
}

function withoutSearch(view: View): View {
  return reveal(shownAs({ ...view, search: null }), view.selected);
}

/**
 * Copies a single value without its name. The text is as safe as the text on the screen, because
 * the user may paste it into a shell.
 */
function textOf({ outline, selected }: View): string {
  const [first, ...others] = outline.nodes[selected]?.details() ?? [];
  if (first === undefined) return "";
  if (others.length === 0) return neutralise(first.text || first.name);
  return [first, ...others]
    .map(({ name, text }) => neutralise(text === "" ? name : `${name}: ${text}`))
    .join("\n");
}

function copy(state: ViewState, label: string, text: string): ViewState {
  if (text === "") return { ...state, message: "There is nothing to copy" };
  const characters = `${grouped(text.length)} characters`;
  if (text.length > LONGEST_COPY)
    return { ...state, message: `Not copied: ${characters} are too many for a terminal` };
  const message = `Copied ${label} (${characters}), if this terminal allows it (OSC 52)`;
  return { ...state, copied: text, message };
}

function toggleMouse(state: ViewState): ViewState {
  const mouse = !state.mouse;
  const message = mouse
    ? "The mouse selects and scrolls lines; m gives it back to the terminal"
    : "The terminal has its mouse again, to select text; m takes it back";
  return { ...state, mouse, message };
}

/**
 * A click selects a tab or a line, and folds a line that is already selected. The wheel scrolls.
 */
function point(
  state: ViewState,
  { kind, column, row }: NonNullable<ReturnType<typeof mouseOf>>,
): ViewState {
  const view = viewOf(state);
  const { outlineRows, outlineColumns } = geometryOfView(state, view);
  const line = row - ROWS_ABOVE;
  const isInside = line >= 0 && line < outlineRows && column < outlineColumns;
  if (kind !== "click") {
    const by = kind === "wheelup" ? -WHEEL_LINES : WHEEL_LINES;
    return isInside ? scroll(state, by) : scrollDetails(state, by);
  }
  if (row === 1) {
    const tab = tabAt(state, column);
    return tab === -1 ? state : showTab(state, tab);
  }
  const node = isInside ? view.visible[view.top + line] : undefined;
  if (node === undefined) return state;
  return node === view.selected ? toggleFold(state) : select(state, view, node);
}

/** The selected line moves only as far as it must. */
function scroll(state: ViewState, by: number): ViewState {
  const view = viewOf(state);
  const { outlineRows } = geometryOfView(state, view);
  const last = Math.max(0, view.visible.length - outlineRows);
  const top = clamp(view.top + by, 0, last);
  const at = positionOf(view.visible, view.selected);
  const position = clamp(at, top, Math.min(top + outlineRows, view.visible.length) - 1);
  return select(state, { ...view, top }, view.visible[position] ?? 0);
}

function stepMatch(state: ViewState, direction: 1 | -1): ViewState {
  const view = viewOf(state);
  if (view.search === null) return { ...state, message: "No search yet. Press / to search" };
  const match = nextMatch(view.search.matches, view.selected, direction);
  return match === -1 ? state : select(state, view, match);
}

function stepCall(state: ViewState, direction: 1 | -1): ViewState {
  const callIndex = nextNode(state, direction, ({ call }) => call === true);
  if (callIndex !== -1) return select(state, viewOf(state), callIndex);
  return { ...state, message: direction === 1 ? "No further call" : "No earlier call" };
}

/**
 * Selects the failure. At an error it selects the next one, and after the last the first. If
 * nothing failed in this tab, it shows the failure in another one.
 */
function stepError(state: ViewState): ViewState {
  const view = viewOf(state);
  const isError = ({ failed }: OutlineNode) => failed === true;
  const failure = failureOf(view);
  if (failure === -1) return elsewhere(state);
  const isAt = view.outline.nodes[view.selected]?.failed === true;
  const next = isAt ? nextNode(state, 1, isError) : failure;
  if (next !== -1) return select(state, view, next);
  const first = view.outline.nodes.findIndex((node) => isError(node) && node.host !== true);
  return { ...select(state, view, first), message: "No further error; back at the first" };
}

/** Returns the index of the failed node, or -1. */
function failureOf({ outline, failure }: View): number {
  return outline.nodes.findIndex(({ order, failed, host }) =>
    failure === null ? failed === true && host !== true : order === failure,
  );
}

/** A call says more than the summary, which is the first tab. */
function elsewhere(state: ViewState): ViewState {
  const failureIndexes = state.views.map(failureOf);
  const later = failureIndexes.findIndex((node, tab) => tab > 0 && node !== -1);
  const tab = later === -1 ? 0 : later;
  const there = state.views[tab];
  if (there === undefined || failureIndexes[tab] === -1)
    return { ...state, message: "No line failed" };
  return select(showTab(state, tab), there, failureIndexes[tab] ?? 0);
}

/** Goes to the origin of the selected line's value, in whichever tab it is. */
function goToOrigin(state: ViewState): ViewState {
  const view = viewOf(state);
  const targetId = view.outline.nodes[view.selected]?.to;
  const originIndexes = state.views.map(({ outline }) =>
    outline.nodes.findIndex(({ id }) => targetId !== undefined && id === targetId),
  );
  const tab = originIndexes.findIndex((node) => node !== -1);
  const there = state.views[tab];
  if (there === undefined)
    return { ...state, message: "This line has no origin: choose a value that decided" };
  return select(showTab(state, tab), there, originIndexes[tab] ?? 0);
}

function nextNode(
  state: ViewState,
  direction: 1 | -1,
  accepts: (node: OutlineNode) => boolean,
): number {
  const { outline, selected, withHost } = viewOf(state);
  const { nodes } = outline;
  for (let index = selected + direction; index >= 0 && index < nodes.length; index += direction) {
    const node = nodes[index] as OutlineNode;
    if (accepts(node) && (withHost || node.host !== true)) return index;
  }
  return -1;
}

function updatePrompt(state: ViewState, key: string): ViewState {
  const { prompt } = state;
  if (prompt === null) return state;
  if (key === "enter") return { ...state, prompt: null };
  if (key === "escape") return { ...withView(state, prompt.before), prompt: null };
  if (key === "halfup") return searchFor(state, "");
  if (key === "backspace") {
    if (prompt.text === "") return { ...withView(state, prompt.before), prompt: null };
    return searchFor(state, [...prompt.text].slice(0, -1).join(""));
  }
  if (!writes(key) || prompt.text.length >= LONGEST_SEARCH) return state;
  return searchFor(state, prompt.text + key);
}

/** After each letter, selects the first match from the place where the search began. */
function searchFor(state: ViewState, text: string): ViewState {
  const { prompt } = state;
  if (prompt === null) return state;
  const { before } = prompt;
  const search = findMatches(before.outline, text);
  const match = search === null ? -1 : nextMatch(search.matches, before.selected - 1, 1);
  const folded = new Set([...before.folded].filter((index) => !search?.kept?.has(index)));
  const view = shownAs({ ...before, search, folded });
  const matchView = match === -1 ? view : reveal(view, match);
  return withView({ ...state, prompt: { ...prompt, text } }, matchView);
}
