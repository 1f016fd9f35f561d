// Lines for a terminal of 40 to 120 columns. Every text passes `neutralise` here before it is colored, so a
// line never contains anything that is unsafe to print.

import { codePieces } from "../../base/text/code-marks.ts";
import { neutralise } from "../../base/text/neutralise.ts";

const LEAST_COLUMNS = 40;
/** Longer lines are hard to read. */
const MOST_COLUMNS = 120;
/** The width for a pipe, a file, or a terminal that does not know its size. */
const OTHERWISE = 80;

let columns = OTHERWISE;

/** Renders for a terminal of that width; without one, or with 0, for 80 columns. */
export function atWidth<Drawn>(terminalColumns: number | undefined, render: () => Drawn): Drawn {
  const before = columns;
  columns = Math.min(Math.max(terminalColumns || OTHERWISE, LEAST_COLUMNS), MOST_COLUMNS);
  try {
    return render();
  } finally {
    columns = before;
  }
}

/** The columns of a line that begins with `margin` characters. */
export function roomOf(margin: number): number {
  return Math.max(columns - margin, LEAST_VALUE_COLUMNS);
}

/**
 * Words in lines that fit the terminal: the first line begins with `first`, the others with the
 * same number of blanks, or with a text of their own. A word longer than a line is not cut, and
 * neither is a command between backticks: addresses and commands are copied from here.
 */
export function wrap(text: string, first = "", indent: number | string = first.length): string[] {
  const hangingIndent = typeof indent === "string" ? indent : " ".repeat(indent);
  const lines: string[] = [];
  let line = first;
  let empty = true;
  for (const word of uncutWords(neutralise(text))) {
    if (!empty && line.length + 1 + word.length > columns) {
      lines.push(line);
      line = hangingIndent;
      empty = true;
    }
    line += empty ? word : ` ${word}`;
    empty = false;
  }
  lines.push(line);
  return lines;
}

/** One line, however long it is: a command is copied from here. */
export function commandLine(text: string, first: string): string {
  return `${first}${neutralise(text)}`;
}

/** Words. Code is one word, with the marks around it. */
function uncutWords(text: string): string[] {
  const words = [""];
  for (const { text: piece, isCode } of codePieces(text)) {
    const [first = "", ...others] = isCode ? [`\`${piece}\``] : piece.split(" ");
    words.push(`${words.pop() ?? ""}${first}`, ...others);
  }
  return words;
}

const MARGIN = "  ";
/** In the margin of a row. */
const MARK = "! ";
/** Words in narrower columns are hard to read. */
const LEAST_VALUE_COLUMNS = 20;

/** `name  value` lines with the values in one column, or below the names where it is too narrow. */
export function pairs(rows: readonly (readonly [string, string])[], indent = 2): string[] {
  const width = Math.max(0, ...rows.map(([name]) => name.length));
  const margin = " ".repeat(indent);
  const room = columns - indent - width - 2;
  if (room < LEAST_VALUE_COLUMNS && rows.some(([, value]) => value.length > room))
    return rows.flatMap(([name, value]) => [
      ...wrap(name.trim(), margin),
      ...wrap(value.trim(), `${margin}  `),
    ]);
  return rows.flatMap(([name, value]) => wrap(value, `${margin}${name.padEnd(width)}  `));
}

/**
 * Each column is as wide as its widest cell; all but the first are aligned to the right. Where that
 * is too wide, each row is a list of its cells, with the names of the first row.
 */
export function table(
  rows: readonly (readonly string[])[],
  marked: ReadonlySet<number> = new Set(),
  paintMarked: (line: string) => string = (line) => line,
): string[] {
  const indent = MARGIN.length;
  const margin = (index: number) => (marked.has(index) ? MARK : MARGIN);
  const widths: number[] = [];
  for (const row of rows) {
    for (const [i, cell] of row.entries()) widths[i] = Math.max(widths[i] ?? 0, cell.length);
  }
  const whole = widths.reduce((sum, width) => sum + width + 2, indent - 2);
  if (whole > columns)
    return rows.slice(1).flatMap((row, i) => {
      const [title = "", ...cells] = cellsBelow(rows[0] ?? [], row, margin(i + 1));
      return [marked.has(i + 1) ? paintMarked(title) : title, ...cells];
    });
  return rows.map((row, index) => {
    const cells = row.map((cell, i) => {
      const width = widths[i] ?? 0;
      return i === 0 ? neutralise(cell).padEnd(width) : neutralise(cell).padStart(width);
    });
    const line = `${margin(index)}${cells.join("  ")}`.trimEnd();
    return marked.has(index) ? paintMarked(line) : line;
  });
}

function cellsBelow(names: readonly string[], row: readonly string[], margin: string): string[] {
  const [title = "", ...cells] = row;
  const named = cells.map((cell, i) => [names[i + 1] ?? "", cell] as const);
  return [...wrap(title, margin), ...pairs(named, margin.length + 2)];
}
