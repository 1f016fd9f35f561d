// An outline is the content of a tab: a tree of one-line nodes in the order in which they are
// drawn, each with details. It is flat, so that moving among ten thousand nodes needs no search for
// parents.

import type { Tone } from "../document/document.ts";

/** A named value in the pane below. Only the name is shown if the text is empty. */
export interface DetailLine {
  readonly name: string;
  readonly text: string;
  readonly tone?: Tone;
}

/** One node of a tab. Its texts are neutralised when they are drawn. */
export interface OutlineItem {
  /** The text in the outline, cut to one line. */
  readonly label: string;
  /** The texts under the outline's headings, from the left. They are aligned to the right. */
  readonly cells?: readonly string[] | undefined;
  /** The number by which nodes are ordered if they are sorted by cost. */
  readonly cost?: bigint | null | undefined;
  readonly tone?: Tone | undefined;
  /** True if the node failed. It is marked, and the `e` key stops at it. */
  readonly failed?: boolean;
  /** True for a contract call. The `c` key stops at it. */
  readonly call?: boolean;
  /** True for the contract host's own work, which is not shown at first. */
  readonly host?: boolean;
  /** The name of the node that `to` of other nodes refers to. The `o` key follows `to`. */
  readonly id?: string | undefined;
  readonly to?: string | undefined;
  /** The details are created when they are shown or searched. */
  readonly details: () => readonly DetailLine[];
}

export interface OutlineNode extends OutlineItem {
  readonly depth: number;
  /** The index of the parent; -1 for a node at the top. */
  readonly parent: number;
  /** The index after the last node below this one. */
  readonly end: number;
  /** The index in the order of the document. */
  readonly order: number;
}

export interface Outline {
  /** The headings of the cells. */
  readonly headings: readonly string[];
  /** The heading of the labels. */
  readonly title: string;
  readonly nodes: readonly OutlineNode[];
  /** The number of nodes that are the host's own work. */
  readonly hosts: number;
  /** The minimum columns of the labels. In a narrow terminal, cells are dropped instead. */
  readonly leastLabelColumns: number;
  /** The text that is shown if there are no nodes. */
  readonly emptyText: string;
}

/** An item with the items below it. */
export interface Branch extends OutlineItem {
  readonly below?: readonly Branch[];
}

/** Returns the nodes depth first, children in their order. */
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

/** Returns the same tree, with the children of each node ordered by `rank`, the least first. */
export function rearranged(
  nodes: readonly OutlineNode[],
  rank: (node: OutlineNode) => bigint,
): OutlineNode[] {
  const moved: OutlineNode[] = [];
  const add = (from: number, to: number, parent: number) => {
    const roots: number[] = [];
    for (let index = from; index < to; index = nodes[index]?.end ?? to) roots.push(index);
    const ranks = new Map(roots.map((index) => [index, rank(nodes[index] as OutlineNode)]));
    const ranked = roots.toSorted((a, b) => Number((ranks.get(a) ?? 0n) - (ranks.get(b) ?? 0n)));
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

export function hasChildren(nodes: readonly OutlineNode[], index: number): boolean {
  return (nodes[index]?.end ?? 0) > index + 1;
}

/** Returns the indexes of the nodes that are shown and not hidden by a folded node, ascending. */
export function visibleNodes(
  nodes: readonly OutlineNode[],
  folded: ReadonlySet<number>,
  isShown: (index: number) => boolean = () => true,
): readonly number[] {
  const visible: number[] = [];
  for (let index = 0; index < nodes.length; ) {
    const shown = isShown(index);
    if (shown) visible.push(index);
    // No node below a hidden one is shown.
    index = shown && !folded.has(index) ? index + 1 : (nodes[index]?.end ?? nodes.length);
  }
  return visible;
}

/**
 * Returns the position in an ascending list of the last value that is not above `limit`, or -1.
 */
export function positionOf(ascending: readonly number[], limit: number): number {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ascending[middle] ?? 0) <= limit) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
