// The `?` key: every key, on as many pages as the screen needs.

import { fitColumns, widthOf, wrapColumns } from "./columns.ts";
import type { Size } from "./geometry.ts";

/** A line of its own is a heading, or a sentence at the end. */
export type Help = readonly (readonly [keys: string, does: string] | string)[];

const HELP: Help = [
  "Moving",
  ["j k  up down", "next, previous line"],
  ["PgUp PgDn", "a page (Ctrl-B Ctrl-F)"],
  ["Ctrl-U Ctrl-D", "half a page"],
  ["g G  Home End", "first, last line"],
  ["c C", "next, previous call"],
  ["e", "the failure, the next"],
  ["o", "where it came from"],
  ["1 to 6", "show a tab"],
  ["Tab  Shift-Tab", "next, previous tab"],
  "",
  "Folding",
  ["enter  space", "fold, unfold"],
  ["h  left", "fold, or go out"],
  ["l  right", "unfold, or go inside"],
  ["z Z", "fold, unfold all"],
  "",
  "Choosing",
  ["/ text enter", "only lines with a text"],
  ["f", "the other lines, too"],
  ["n N", "next, previous match"],
  ["Esc", "all lines again"],
  ["S", "sort by cost, and back"],
  ["v", "calls into the host"],
  "",
  "Values",
  ["J K", "scroll the details"],
  ["y Y", "copy details, the hash"],
  ["click  wheel", "select or fold, scroll"],
  ["m", "mouse to the terminal"],
  "",
  "Program",
  ["s", "step through the code"],
  ["Ctrl-L", "draw again"],
  ["Ctrl-Z", "suspend (fg returns)"],
  ["?", "this help"],
  ["q  Ctrl-C", "quit, interrupt"],
  "",
  "A mark before a name: it failed. Costs of a call include those below it.",
];

/** The rows of the title, the tabs and the status. */
const OTHER_ROWS = 3;
const LEAST_COLUMN = 40;
const MARGIN = 2;
const KEY_COLUMNS = 16;

/** The effect of a key. If there is no room, the hints with the least worth are left out first. */
export type Hint = readonly [text: string, worth: number];

export function hintsIn(columns: number, hints: readonly Hint[]): string {
  const text = hints.map(([each]) => each).join("  ");
  if (widthOf(text) <= columns || hints.length === 1) return text;
  const least = Math.min(...hints.map(([, worth]) => worth));
  return hintsIn(
    columns,
    hints.filter(([, worth]) => worth > least),
  );
}

/** Returns the page after a key, and 0 after the last page. */
export function turnedPage(page: number, pages: readonly unknown[], key: string): number {
  return key === "escape" || key === "q" || page >= pages.length ? 0 : page + 1;
}

export function helpStatus(page: number, pages: readonly unknown[]): string {
  return page < pages.length ? " any key: more" : " any key: close";
}

/** Returns the lines of each page. */
export function helpPages({ columns, rows }: Size, help: Help = HELP): string[][] {
  const beside = Math.max(1, Math.min(2, Math.floor(columns / LEAST_COLUMN)));
  const width = beside === 1 ? columns : Math.min(48, Math.floor(columns / beside));
  const margin = " ".repeat(MARGIN);
  const lines = help.flatMap((line) =>
    typeof line === "string"
      ? wrapColumns(line, width - MARGIN - 1).map((text) => `${margin}${text}`)
      : [`${margin}${line[0].padEnd(KEY_COLUMNS)}${line[1]}`],
  );
  const room = Math.max(1, rows - OTHER_ROWS);
  const pages: string[][] = [];
  for (let first = 0; first < lines.length; first += beside * room) {
    const [left, right] = [lines.slice(first, first + room), lines.slice(first + room)];
    pages.push(
      beside === 1
        ? left.map((text) => fitColumns(text, width, ""))
        : left.map(
            (text, row) => fitColumns(text, width, "") + fitColumns(right[row] ?? "", width, ""),
          ),
    );
  }
  return pages;
}
