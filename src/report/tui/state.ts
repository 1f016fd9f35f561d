// The state of the interactive view: plain data, never changed in place. Invariants: the selected
// node is visible (no folded node hides it) and within the rows that are drawn.

import { detailLines } from "./details.ts";
import { geometryOf, type Size } from "./geometry.ts";
import { type Outline, positionOf, visibleNodes } from "./outline.ts";

export interface Tab {
  readonly name: string;
  readonly outline: Outline;
  /** The node that is selected first. */
  readonly start: number;
}

export interface Search {
  readonly text: string;
  /** Indexes of the matching nodes, ascending. */
  readonly matches: readonly number[];
}

/** The outcome, the verdict and the hash. */
export interface Headline {
  readonly text: string;
  readonly verdict: string;
  readonly success: boolean;
  readonly hash: string;
}

/** The state of one tab; it is kept while another tab is shown. */
export interface View {
  readonly outline: Outline;
  readonly folded: ReadonlySet<number>;
  /** Nodes that are not hidden by folding, derived from `folded`. */
  readonly visible: readonly number[];
  /** Index of a node; 0 when there is none. */
  readonly selected: number;
  /** Position in `visible` of the first row drawn. */
  readonly top: number;
  /** First line of the details drawn. */
  readonly detailTop: number;
  readonly search: Search | null;
}

export interface State {
  readonly size: Size;
  readonly headline: Headline;
  readonly tabs: readonly string[];
  readonly tab: number;
  readonly views: readonly View[];
  /** While a search is typed: its text, and the view to return to if it is cancelled. */
  readonly prompt: { readonly text: string; readonly before: View } | null;
  readonly help: boolean;
  /** The effect of the last key, if it is not visible otherwise. */
  readonly message: string;
  /** What ends the view; `step`: to go through the transaction's code, and come back. */
  readonly ended: "quit" | "interrupt" | "step" | null;
}

export function openState(headline: Headline, tabs: readonly Tab[], size: Size): State {
  return {
    size,
    headline,
    tabs: tabs.map(({ name }) => name),
    tab: 0,
    views: tabs.map(({ outline, start }) => scrolled({ size }, reveal(openView(outline), start))),
    prompt: null,
    help: false,
    message: "",
    ended: null,
  };
}

function openView(outline: Outline): View {
  const folded = new Set<number>();
  const visible = visibleNodes(outline.nodes, folded);
  return { outline, folded, visible, selected: 0, top: 0, detailTop: 0, search: null };
}

export function viewOf(state: State): View {
  // There are as many views as tabs, and `tab` is always one of them.
  return state.views[state.tab] as View;
}

/** The state with its current view replaced, and scrolled so that the selected node is visible. */
export function withView(state: State, view: View): State {
  const views = state.views.map((old, index) =>
    index === state.tab ? scrolled(state, view) : old,
  );
  return { ...state, views };
}

export function resized(state: State, size: Size): State {
  const larger = { ...state, size };
  return { ...larger, views: state.views.map((view) => scrolled(larger, view)) };
}

/** Selects a node and unfolds the nodes that hide it. */
export function reveal(view: View, node: number): View {
  const folded = new Set(view.folded);
  const { nodes } = view.outline;
  for (let above = nodes[node]?.parent ?? -1; above !== -1; above = nodes[above]?.parent ?? -1)
    folded.delete(above);
  const selected = {
    ...view,
    selected: node,
    detailTop: node === view.selected ? view.detailTop : 0,
  };
  return folded.size === view.folded.size ? selected : refolded(selected, folded);
}

/** If the selected node is hidden, selects the nearest visible node above it. */
export function refolded(view: View, folded: ReadonlySet<number>): View {
  const visible = visibleNodes(view.outline.nodes, folded);
  const selected = visible[positionOf(visible, view.selected)] ?? 0;
  const detailTop = selected === view.selected ? view.detailTop : 0;
  return { ...view, folded, visible, selected, detailTop };
}

function scrolled({ size }: Pick<State, "size">, view: View): View {
  const { outlineRows, detailRows } = geometryOf(size, view.outline.nodes.length);
  const position = Math.max(0, positionOf(view.visible, view.selected));
  const last = Math.max(0, view.visible.length - outlineRows);
  let { top } = view;
  if (position < top - outlineRows || position >= top + 2 * outlineRows) {
    // A jump shows some rows around the node.
    top = position - Math.floor(outlineRows / 2);
  } else if (position < top) top = position;
  else if (position >= top + outlineRows) top = position - outlineRows + 1;
  const node = view.outline.nodes[view.selected];
  const lines = node === undefined ? 0 : detailLines(node, size.columns).length;
  return {
    ...view,
    top: clamp(top, 0, last),
    detailTop: clamp(view.detailTop, 0, Math.max(0, lines - detailRows)),
  };
}

export function clamp(value: number, least: number, most: number): number {
  return Math.min(Math.max(value, least), most);
}
