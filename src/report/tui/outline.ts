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
}

export interface Outline {
  /** Headings of the cells. */
  readonly headings: readonly string[];
  /** Heading of the labels. */
  readonly title: string;
  readonly nodes: readonly OutlineNode[];
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
    nodes.push({ ...item, parent, depth, end: 0 });
    for (const each of below) add(each, index, depth + 1);
    nodes[index] = { ...item, parent, depth, end: nodes.length };
  };
  for (const each of roots) add(each, -1, 0);
  return nodes;
}

export function hasChildren(nodes: readonly OutlineNode[], index: number): boolean {
  return (nodes[index]?.end ?? 0) > index + 1;
}

/** Indexes of the nodes that are not hidden by a folded node, ascending. */
export function visibleNodes(
  nodes: readonly OutlineNode[],
  folded: ReadonlySet<number>,
): readonly number[] {
  const visible: number[] = [];
  for (let index = 0; index < nodes.length; ) {
    visible.push(index);
    index = folded.has(index) ? (nodes[index]?.end ?? nodes.length) : index + 1;
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
