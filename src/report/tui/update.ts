// (state, key) → state: the effect of each key. Pure; keys without a meaning do not change the
// state.

import { geometryOf, isTooSmall } from "./geometry.ts";
import { writes } from "./keys.ts";
import { hasChildren, type Outline, type OutlineNode, positionOf } from "./outline.ts";
import {
  clamp,
  refolded,
  reveal,
  type Search,
  type State,
  type View,
  viewOf,
  withView,
} from "./state.ts";

const LONGEST_SEARCH = 200;

type Action = (state: State) => State;

const ACTIONS: Readonly<Record<string, Action>> = {
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
  escape: (state) => withView(state, { ...viewOf(state), search: null }),
  tab: (state) => showTab(state, (state.tab + 1) % state.tabs.length),
  backtab: (state) => showTab(state, (state.tab + state.tabs.length - 1) % state.tabs.length),
  "?": (state) => ({ ...state, help: true }),
  s: (state) => ({ ...state, ended: "step" }),
  q: (state) => ({ ...state, ended: "quit" }),
};

export function update(previous: State, key: string): State {
  const state = { ...previous, message: "" };
  if (key === "interrupt") return { ...state, ended: "interrupt" };
  if (isTooSmall(state.size)) return key === "q" ? { ...state, ended: "quit" } : previous;
  if (state.prompt !== null) return updatePrompt(state, key);
  if (state.help) return { ...state, help: false };
  const digit = /^[1-9]$/.test(key) ? Number(key) - 1 : -1;
  if (digit !== -1) return digit < state.tabs.length ? showTab(state, digit) : state;
  return Object.hasOwn(ACTIONS, key) ? (ACTIONS[key] as Action)(state) : state;
}

function pageOf(state: State): number {
  return geometryOf(state.size, viewOf(state).outline.nodes.length).outlineRows - 1;
}

function move(state: State, by: number): State {
  const view = viewOf(state);
  const from = positionOf(view.visible, view.selected);
  const position = clamp(from + by, 0, Math.max(0, view.visible.length - 1));
  return select(state, view, view.visible[position] ?? 0);
}

function select(state: State, view: View, node: number): State {
  return withView(state, reveal(view, node));
}

function showTab(state: State, tab: number): State {
  return { ...state, tab };
}

function toggleFold(state: State): State {
  const view = viewOf(state);
  return view.folded.has(view.selected) ? unfold(state, view) : fold(state, view);
}

function fold(state: State, view: View): State {
  if (!hasChildren(view.outline.nodes, view.selected)) return state;
  return withView(state, refolded(view, new Set(view.folded).add(view.selected)));
}

function unfold(state: State, view: View): State {
  const folded = new Set(view.folded);
  folded.delete(view.selected);
  return withView(state, refolded(view, folded));
}

function closeOrLeave(state: State): State {
  const view = viewOf(state);
  const { nodes } = view.outline;
  if (hasChildren(nodes, view.selected) && !view.folded.has(view.selected))
    return fold(state, view);
  const parent = nodes[view.selected]?.parent ?? -1;
  return parent === -1 ? state : select(state, view, parent);
}

function openOrEnter(state: State): State {
  const view = viewOf(state);
  if (view.folded.has(view.selected)) return unfold(state, view);
  return hasChildren(view.outline.nodes, view.selected)
    ? select(state, view, view.selected + 1)
    : state;
}

/** All nodes with nodes below them, except the top ones, so that something stays visible. */
function foldAll(state: State): State {
  const view = viewOf(state);
  const { nodes } = view.outline;
  const folded = new Set<number>();
  for (const [index, { depth }] of nodes.entries())
    if (depth > 0 && hasChildren(nodes, index)) folded.add(index);
  return withView(state, refolded(view, folded));
}

function scrollDetails(state: State, by: number): State {
  const view = viewOf(state);
  return withView(state, { ...view, detailTop: view.detailTop + by });
}

function stepMatch(state: State, direction: 1 | -1): State {
  const view = viewOf(state);
  if (view.search === null) return { ...state, message: "No search yet. Press / to search" };
  const match = nextMatch(view.search.matches, view.selected, direction);
  return match === -1 ? state : select(state, view, match);
}

function stepCall(state: State, direction: 1 | -1): State {
  const found = nextNode(state, direction, ({ call }) => call === true);
  if (found !== -1) return select(state, viewOf(state), found);
  return { ...state, message: direction === 1 ? "No further call" : "No earlier call" };
}

/** The next error, or the first one after the last. */
function stepError(state: State): State {
  const view = viewOf(state);
  const isError = ({ failed }: OutlineNode) => failed === true;
  const next = nextNode(state, 1, isError);
  const found = next === -1 ? view.outline.nodes.findIndex(isError) : next;
  if (found === -1) return { ...state, message: "No error in this tab" };
  const moved = select(state, view, found);
  return next === -1 ? { ...moved, message: "No further error; back at the first" } : moved;
}

/** To where the value of the selected line came from, in whichever tab that is. */
function goToOrigin(state: State): State {
  const view = viewOf(state);
  const wanted = view.outline.nodes[view.selected]?.to;
  const found = state.views.map(({ outline }) =>
    outline.nodes.findIndex(({ id }) => wanted !== undefined && id === wanted),
  );
  const tab = found.findIndex((node) => node !== -1);
  const there = state.views[tab];
  if (there === undefined)
    return { ...state, message: "This line has no origin: choose a value that decided" };
  return select(showTab(state, tab), there, found[tab] ?? 0);
}

function nextNode(state: State, direction: 1 | -1, wanted: (node: OutlineNode) => boolean): number {
  const { outline, selected } = viewOf(state);
  const { nodes } = outline;
  for (let index = selected + direction; index >= 0 && index < nodes.length; index += direction)
    if (wanted(nodes[index] as OutlineNode)) return index;
  return -1;
}

function updatePrompt(state: State, key: string): State {
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

/** After each letter, selects the first match from where the search began. */
function searchFor(state: State, text: string): State {
  const { prompt } = state;
  if (prompt === null) return state;
  const { before } = prompt;
  const search = findMatches(before.outline, text);
  const match = search === null ? -1 : nextMatch(search.matches, before.selected - 1, 1);
  const view = match === -1 ? before : reveal(before, match);
  return withView({ ...state, prompt: { ...prompt, text } }, { ...view, search });
}

// Finds nodes with a text in their label or in the values of their details, in upper or lower case.

// The search runs again with each typed letter, but an outline never changes.
const TEXTS = new WeakMap<Outline, readonly string[]>();

/** Null for an empty text. */
function findMatches(outline: Outline, text: string): Search | null {
  if (text === "") return null;
  const wanted = text.toLowerCase();
  const matches: number[] = [];
  for (const [index, held] of textsOf(outline).entries())
    if (held.includes(wanted)) matches.push(index);
  return { text, matches };
}

function textsOf(outline: Outline): readonly string[] {
  const known = TEXTS.get(outline);
  if (known !== undefined) return known;
  const texts = outline.nodes.map((node) => {
    const values = node.details().map(({ name, text }) => (text === "" ? name : text));
    return [node.label, ...values].join("\n").toLowerCase();
  });
  TEXTS.set(outline, texts);
  return texts;
}

/** The next or previous match from `from`, also beyond the ends; -1 when there is none. */
function nextMatch(matches: readonly number[], from: number, direction: 1 | -1): number {
  if (matches.length === 0) return -1;
  const after =
    direction === 1
      ? matches.find((match) => match > from)
      : matches.findLast((match) => match < from);
  return after ?? (direction === 1 ? matches[0] : matches.at(-1)) ?? -1;
}
