// An outline is the content of a tab: a tree of one-line nodes in the order they are drawn, each
// with details. It is flat, so that moving among ten thousand nodes needs no search for parents.

import type { Tone } from "../document/document.ts";

/** A named value in the pane below; only the name is shown when the text is empty. */
export interface Detail {
  readonly name: string;
  readonly text: string;
  readonly tone?: Tone;
}

/** One node of a tab. Texts are neutralised when they are drawn. */
export interface Item {
  /** Shown in the outline, cut to one line. */
  readonly label: string;
  /** Under the outline's headings, from the left; aligned to the right. */
  readonly cells?: readonly string[] | undefined;
  readonly tone?: Tone | undefined;
  /** The node failed: it is marked, and the `e` key stops at it. */
  readonly failed?: boolean;
  /** A contract call: the `c` key stops at it. */
  readonly call?: boolean;
  /** The node is the contract host's own work, which is not shown at first. */
  readonly host?: boolean;
  /** What `to` of others names: the `o` key leads there. */
  readonly id?: string | undefined;
  readonly to?: string | undefined;
  /** Created when they are shown or searched. */
  readonly details: () => readonly Detail[];
}

export interface OutlineNode extends Item {
  readonly depth: number;
  /** Index; -1 for a node at the top. */
  readonly parent: number;
  /** Index after the last node below it. */
  readonly end: number;
  /** Index in the order of the document. */
  readonly order: number;
}

export interface Outline {
  /** Headings of the cells. */
  readonly headings: readonly string[];
  /** Heading of the labels. */
  readonly title: string;
  readonly nodes: readonly OutlineNode[];
  /** How many of them are of the host. */
  readonly hosts: number;
  /** Minimum columns of the labels; in a narrow terminal, cells are dropped instead. */
  readonly leastLabelColumns: number;
  /** Shown when there are no nodes. */
  readonly emptyText: string;
}

/** An item with those below it. */
export interface Branch extends Item {
  readonly below?: readonly Branch[];
}

/** Depth first, children in their order. */
export function flatten(roots: readonly Branch[]): OutlineNode[] {
  const nodes: OutlineNode[] = [];
  const add = ({ below = [], ...item }: Branch, parent: number, depth: number) => {
    const index = nodes.length;
    nodes.push({ ...item, parent, depth, end: 0, order: index });
    for (const each of below) add(each, index, depth + 1);
    nodes[index] = { ...item, parent, depth, end: nodes.length, order: index };
  };
  for (const each of roots) add(each, -1, 0);
  return nodes;
}

/** The same tree, with the children of each node in the order that `rank` gives, the least first. */
export function rearranged(
  nodes: readonly OutlineNode[],
  rank: (node: OutlineNode) => number,
): OutlineNode[] {
  const moved: OutlineNode[] = [];
  const add = (from: number, to: number, parent: number) => {
    const roots: number[] = [];
    for (let index = from; index < to; index = nodes[index]?.end ?? to) roots.push(index);
    const ranks = new Map(roots.map((index) => [index, rank(nodes[index] as OutlineNode)]));
    const ranked = roots.toSorted((a, b) => (ranks.get(a) ?? 0) - (ranks.get(b) ?? 0));
    for (const index of ranked) {
      const node = nodes[index] as OutlineNode;
      const at = moved.length;
      moved.push({ ...node, parent, end: at + node.end - index });
      add(index + 1, node.end, at);
    }
  };
  add(0, nodes.length, -1);
  return moved;
}

/** The number at the head of the columns; null where there is none. */
export function costOf({ cells }: Item): number | null {
  const cost = Number(cells?.[0]?.replaceAll(",", "") || Number.NaN);
  return Number.isNaN(cost) ? null : cost;
}

export function hasChildren(nodes: readonly OutlineNode[], index: number): boolean {
  return (nodes[index]?.end ?? 0) > index + 1;
}

/** Indexes of the nodes that are shown and not hidden by a folded node, ascending. */
export function visibleNodes(
  nodes: readonly OutlineNode[],
  folded: ReadonlySet<number>,
  isShown: (index: number) => boolean = () => true,
): readonly number[] {
  const visible: number[] = [];
  for (let index = 0; index < nodes.length; ) {
    const shown = isShown(index);
    if (shown) visible.push(index);
    // Below a node that is not shown, none is.
    index = shown && !folded.has(index) ? index + 1 : (nodes[index]?.end ?? nodes.length);
  }
  return visible;
}

/** Position in an ascending list of the last value that is not above `wanted`; -1: none. */
export function positionOf(ascending: readonly number[], wanted: number): number {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ascending[middle] ?? 0) <= wanted) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
