// The pane below the outline: the full values of the selected node, wrapped to the terminal.

import type { Tone } from "../document/document.ts";
import { cut, widthOf, wrapColumns } from "./columns.ts";
import type { DetailLine, OutlineItem } from "./outline.ts";

const MARGIN = 2;
const WIDEST_NAME = 24;

/** Returns every line of a node's details, in at most `columns`. */
export function detailLines(
  item: OutlineItem,
  columns: number,
  more?: string,
): { readonly text: string; readonly tone: Tone }[] {
  const details = item.details();
  const named = details.filter(({ text }) => text !== "");
  const widest = Math.max(0, ...named.map(({ name }) => widthOf(name)));
  const column = MARGIN + (widest === 0 ? 0 : Math.min(widest, WIDEST_NAME) + 2);
  return details.flatMap((detail) => linesOf(detail, column, columns, more));
}

function linesOf(
  { name, text, tone = "plain" }: DetailLine,
  column: number,
  columns: number,
  more?: string,
) {
  const margin = " ".repeat(MARGIN);
  if (text === "")
    return wrapColumns(name, columns - MARGIN, more).map((line) => ({ text: margin + line, tone }));
  const label = margin + cut(name, column - MARGIN - 1, "");
  return wrapColumns(text, columns - column, more).map((line, index) => {
    const before = index === 0 ? label : "";
    return { text: before + " ".repeat(Math.max(0, column - widthOf(before))) + line, tone };
  });
}
