// Draws the visible rows of an outline under their headings: labels on the left, cells aligned to
// the right. In a narrow terminal the last cells are dropped first.

import { grouped } from "../../base/text/grouped.ts";
import { cut, fitColumns, widthOf } from "./columns.ts";
import type { Glyphs } from "./glyphs.ts";
import { filledTo, type Line, lineOf, type Span } from "./lines.ts";
import type { Outline, OutlineNode } from "./outline.ts";
import { isShown, type View } from "./state.ts";

const INDENT = 2;
const BETWEEN_CELLS = 2;
const LEAST_CELL_COLUMNS = 18;

export interface OutlineRoom {
  readonly rows: number;
  readonly columns: number;
  readonly glyphs: Glyphs;
}

interface OutlineColumns {
  /** The columns of the label, including the signs for selection and folding. */
  readonly label: number;
  /** The width of each cell that is drawn. */
  readonly cells: readonly number[];
}

/** Returns one line of headings, and `rows` lines. */
export function drawOutline(view: View, room: OutlineRoom): Line[] {
  const { outline } = view;
  const columns = columnsOf(outline, room.columns);
  const heading = drawHeadings(view, columns, room.glyphs);
  if (outline.nodes.length === 0)
    return filledTo(room.rows + 1, [
      heading,
      lineOf(`  ${cut(outline.emptyText, room.columns - 2, "")}`),
    ]);
  const shown = view.visible.slice(view.top, view.top + room.rows);
  const lines = shown.map((index) => drawNode(view, index, columns, room));
  return filledTo(room.rows + 1, [heading, ...lines]);
}

const CELL_WIDTHS = new WeakMap<Outline, readonly number[]>();

function cellWidths(outline: Outline): readonly number[] {
  const known = CELL_WIDTHS.get(outline);
  if (known !== undefined) return known;
  const widths = outline.headings.map(widthOf);
  for (const { cells } of outline.nodes)
    for (const [i, cell] of (cells ?? []).entries())
      widths[i] = Math.max(widths[i] ?? 0, widthOf(cell));
  CELL_WIDTHS.set(outline, widths);
  return widths;
}

function columnsOf(outline: Outline, columns: number): OutlineColumns {
  const cells: number[] = [];
  let label = columns;
  // At least the first cell must have room on a narrow screen.
  const least = Math.min(outline.leastLabelColumns, columns - LEAST_CELL_COLUMNS);
  for (const width of cellWidths(outline)) {
    if (label - width - BETWEEN_CELLS < least) break;
    label -= width + BETWEEN_CELLS;
    cells.push(width);
  }
  return { label, cells };
}

/** Words next to the title say in which ways the rows differ from the document. */
function drawHeadings(view: View, { label, cells }: OutlineColumns, glyphs: Glyphs): Line {
  const { title, headings, hosts } = view.outline;
  const { search, sorted, withHost } = view;
  const isFiltered = search !== null && search.kept !== null;
  const said = [
    isFiltered && `only lines with "${search.text}"`,
    sorted && "by cost",
    !isFiltered &&
      hosts > 0 &&
      !withHost &&
      `v shows ${grouped(hosts)} host ${hosts === 1 ? "line" : "lines"}`,
  ].filter((each) => each !== false);
  const name = cut(`  ${title} `, label, "");
  const words = fitColumns(
    said.length === 0 ? "" : `(${said.join("; ")})`,
    label - widthOf(name),
    glyphs.more,
  );
  const tone = isFiltered || sorted ? "caution" : "faint";
  const spans: Span[] = [
    { text: name, tone: "faint" },
    { text: words, tone },
  ];
  return { spans: [...spans, ...cellSpans(headings, label, cells, "faint")] };
}

function drawNode(
  view: View,
  index: number,
  columns: OutlineColumns,
  { glyphs, columns: all }: OutlineRoom,
): Line {
  const node = view.outline.nodes[index] as OutlineNode;
  const selected = index === view.selected;
  const tone = node.tone ?? (node.failed === true ? "bad" : "plain");
  const { cells = [] } = node;
  const label = drawLabel(view, index, columns.label, glyphs);
  const spans: Span[] = [
    { text: selected ? glyphs.selected : " ", tone: "heading" },
    { text: fitColumns(label, (cells.length === 0 ? all : columns.label) - 1, glyphs.more), tone },
    ...(cells.length === 0 ? [] : cellSpans(cells, columns.label, columns.cells, tone)),
  ];
  return { spans, bar: selected, mark: view.search?.text ?? "" };
}

/** The indent of deep nodes is limited, so that a part of the label is always visible. */
function drawLabel(view: View, index: number, columns: number, glyphs: Glyphs): string {
  const node = view.outline.nodes[index] as OutlineNode;
  const deepest = Math.floor(columns / 3 / INDENT);
  const indent = " ".repeat(INDENT * Math.min(node.depth, deepest));
  const depth = node.depth > deepest ? `(${node.depth}) ` : "";
  const fold = hasShown(view, index) ? (view.folded.has(index) ? glyphs.folded : glyphs.open) : " ";
  const failed = node.failed === true ? `${glyphs.failed} ` : "";
  return `${indent}${fold} ${depth}${failed}${node.label}`;
}

function hasShown(view: View, index: number): boolean {
  const { nodes } = view.outline;
  const end = nodes[index]?.end ?? 0;
  for (let below = index + 1; below < end; below = nodes[below]?.end ?? end)
    if (isShown(view, below)) return true;
  return false;
}

function cellSpans(
  texts: readonly string[],
  from: number,
  widths: readonly number[],
  tone: Span["tone"],
): Span[] {
  let column = from;
  return widths.map((width, i) => {
    const text = cut(texts[i] ?? "", width, "");
    const padded = " ".repeat(BETWEEN_CELLS + width - widthOf(text)) + text;
    const span = { text: padded, tone, column };
    column += BETWEEN_CELLS + width;
    return span;
  });
}
