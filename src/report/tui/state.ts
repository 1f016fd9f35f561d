// The state of the interactive view is plain data that is never changed in place. Invariants: the
// selected node is visible (no folded node hides it) and within the rows that are drawn.

import { detailLines } from "./details.ts";
import { type Geometry, geometryOf, type Size } from "./geometry.ts";
import { hasChildren, type Outline, positionOf, visibleNodes } from "./outline.ts";

export interface Tab {
  readonly name: string;
  readonly outline: Outline;
  /** The node that is selected first, if something failed. */
  readonly failure: number | null;
}

export interface Search {
  readonly text: string;
  /** The indexes of the matching nodes, ascending. */
  readonly matches: readonly number[];
  /** The matches and all nodes above them, if only these are shown; null if all nodes are. */
  readonly kept: ReadonlySet<number> | null;
}

/** The outcome, the verdict and the hash. */
export interface Headline {
  readonly text: string;
  readonly verdict: string;
  readonly success: boolean;
  readonly hash: string;
}

/** The state of one tab. It is kept while another tab is shown. */
export interface View {
  readonly outline: Outline;
  /** The node that failed, by its place in the document. */
  readonly failure: number | null;
  readonly folded: ReadonlySet<number>;
  /** True if siblings are ordered by their cost instead of by the document. */
  readonly sorted: boolean;
  /** True if the contract host's own work is shown too. */
  readonly withHost: boolean;
  /** The nodes that are shown and not folded away, derived from the other fields. */
  readonly visible: readonly number[];
  /** The index of a node; 0 if there is none. */
  readonly selected: number;
  /** The position in `visible` of the first row that is drawn. */
  readonly top: number;
  /** The first line of the details that is drawn. */
  readonly detailTop: number;
  readonly search: Search | null;
}

export interface ViewState {
  readonly size: Size;
  readonly headline: Headline;
  readonly tabs: readonly string[];
  readonly tab: number;
  readonly views: readonly View[];
  /** While a search is typed: its text, and the view to return to if it is cancelled. */
  readonly prompt: { readonly text: string; readonly before: View } | null;
  /** The page of the help that is shown, from 1; 0 if none is. */
  readonly help: number;
  /** True if the terminal reports the mouse, and does not select text itself. */
  readonly mouse: boolean;
  /** The text that the last key copied to the clipboard. */
  readonly copied: string | null;
  /** The effect of the last key, if it is not visible otherwise. */
  readonly message: string;
  /**
   * The reason why the view ended. `step` means that the user steps through the transaction's code,
   * and comes back.
   */
  readonly ended: "quit" | "step" | null;
}

export function openState(
  headline: Headline,
  tabs: readonly Tab[],
  size: Size,
  withHost = false,
): ViewState {
  return {
    size,
    headline,
    tabs: tabs.map(({ name }) => name),
    tab: 0,
    views: tabs.map((tab) => scrolled({ size }, reveal(openView(tab, withHost), tab.failure ?? 0))),
    prompt: null,
    help: 0,
    mouse: true,
    copied: null,
    message: "",
    ended: null,
  };
}

function openView({ outline, failure }: Tab, withHost: boolean): View {
  const { nodes } = outline;
  // The host's own work for one of its calls is a detail of that call.
  const folded = new Set(
    nodes.flatMap(({ host }, index) => (host === true && hasChildren(nodes, index) ? index : [])),
  );
  const modes = { sorted: false, withHost, search: null };
  return shownAs({
    outline,
    failure,
    folded,
    ...modes,
    visible: [],
    selected: 0,
    top: 0,
    detailTop: 0,
  });
}

export function isShown({ search, withHost, outline }: View, index: number): boolean {
  if (search !== null && search.kept !== null) return search.kept.has(index);
  return withHost || outline.nodes[index]?.host !== true;
}

/**
 * Updates a view after a change. If the selected node is hidden, the nearest one above it is
 * selected.
 */
export function shownAs(view: View): View {
  const visible = visibleNodes(view.outline.nodes, view.folded, (index) => isShown(view, index));
  const selected = visible[Math.max(0, positionOf(visible, view.selected))] ?? 0;
  const detailTop = selected === view.selected ? view.detailTop : 0;
  return { ...view, visible, selected, detailTop };
}

/** The current tab is in brackets. If there is no room, the other tabs are shown by their keys. */
export function tabLabels({ tabs, tab, size }: Pick<ViewState, "tabs" | "tab" | "size">): string[] {
  const whole = tabs.map((name, index) => `${index + 1} ${name}`);
  const isNarrow = whole.join("").length + 2 * whole.length > size.columns;
  return whole.map((name, index) => {
    if (index === tab) return `[${name}]`;
    return ` ${isNarrow ? index + 1 : name} `;
  });
}

/** Returns the tab whose label is at that column, or -1. */
export function tabAt(state: ViewState, column: number): number {
  let end = 0;
  return tabLabels(state).findIndex((label) => {
    end += label.length;
    return column < end;
  });
}

export function viewOf(state: ViewState): View {
  // There are as many views as tabs, and `tab` is always one of them.
  return state.views[state.tab] as View;
}

/**
 * Returns the state with its current view replaced, and scrolled so that the selected node is
 * visible.
 */
export function withView(state: ViewState, view: View): ViewState {
  const views = state.views.map((old, index) =>
    index === state.tab ? scrolled(state, view) : old,
  );
  return { ...state, views };
}

export function resized(state: ViewState, size: Size): ViewState {
  const larger = { ...state, size };
  return { ...larger, views: state.views.map((view) => scrolled(larger, view)) };
}

/** Selects a node and shows it. A filter ends, and folded nodes around it open. */
export function reveal(from: View, node: number): View {
  const view = isShown(from, node) ? from : withAll(from, node);
  const folded = new Set(view.folded);
  const { nodes } = view.outline;
  for (let above = nodes[node]?.parent ?? -1; above !== -1; above = nodes[above]?.parent ?? -1)
    folded.delete(above);
  const selected = {
    ...view,
    selected: node,
    detailTop: node === view.selected ? view.detailTop : 0,
  };
  const same = folded.size === view.folded.size && view === from;
  return same ? selected : refolded(selected, folded);
}

function withAll(view: View, node: number): View {
  const withHost = view.withHost || view.outline.nodes[node]?.host === true;
  return { ...view, withHost, search: view.search && { ...view.search, kept: null } };
}

export function refolded(view: View, folded: ReadonlySet<number>): View {
  return shownAs({ ...view, folded });
}

export function geometryOfView({ size }: Pick<ViewState, "size">, view: View): Geometry {
  const { nodes, hosts } = view.outline;
  return geometryOf(size, view.withHost ? nodes.length : nodes.length - hosts);
}

function scrolled({ size }: Pick<ViewState, "size">, view: View): View {
  const { outlineRows, detailRows, detailColumns } = geometryOfView({ size }, view);
  const position = Math.max(0, positionOf(view.visible, view.selected));
  const last = Math.max(0, view.visible.length - outlineRows);
  let { top } = view;
  if (position < top - outlineRows || position >= top + 2 * outlineRows) {
    // A jump shows some rows around the node.
    top = position - Math.floor(outlineRows / 2);
  } else if (position < top) top = position;
  else if (position >= top + outlineRows) top = position - outlineRows + 1;
  const node = view.outline.nodes[view.selected];
  const lines = node === undefined ? 0 : detailLines(node, detailColumns).length;
  return {
    ...view,
    top: clamp(top, 0, last),
    detailTop: clamp(view.detailTop, 0, Math.max(0, lines - detailRows)),
  };
}

export function clamp(value: number, least: number, most: number): number {
  return Math.min(Math.max(value, least), most);
}
