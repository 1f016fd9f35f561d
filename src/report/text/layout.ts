// Lines for an 80-column terminal. Every text passes `neutralise` here before it is colored, so a
// line never contains anything that is unsafe to print.

import { grouped } from "../../base/text/grouped.ts";
import { cutNeutral, neutralise } from "../../base/text/neutralise.ts";

export const COLUMNS = 80;

/**
 * Words in lines of at most `COLUMNS`: the first line begins with `first`, the others with the same
 * number of blanks. A word longer than a line is not cut, because addresses are copied from here.
 */
export function wrap(text: string, first = "", indent = first.length): string[] {
  const lines: string[] = [];
  let line = first;
  let empty = true;
  for (const word of neutralise(text).split(" ")) {
    if (!empty && line.length + 1 + word.length > COLUMNS) {
      lines.push(line);
      line = " ".repeat(indent);
      empty = true;
    }
    line += empty ? word : ` ${word}`;
    empty = false;
  }
  lines.push(line);
  return lines;
}

/** `name  value` lines with the values in one column. */
export function pairs(rows: readonly (readonly [string, string])[], indent = 2): string[] {
  const width = Math.max(0, ...rows.map(([name]) => name.length));
  return rows.flatMap(([name, value]) =>
    wrap(value, `${" ".repeat(indent)}${name.padEnd(width)}  `),
  );
}

/** Each column is as wide as its widest cell; all but the first are aligned to the right. */
export function table(rows: readonly (readonly string[])[], indent = 2): string[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [i, cell] of row.entries()) widths[i] = Math.max(widths[i] ?? 0, cell.length);
  }
  return rows.map((row) => {
    const cells = row.map((cell, i) => {
      const width = widths[i] ?? 0;
      return i === 0 ? neutralise(cell).padEnd(width) : neutralise(cell).padStart(width);
    });
    return `${" ".repeat(indent)}${cells.join("  ")}`.trimEnd();
  });
}

/** At most `limit` characters, and the full length if the text was cut. */
export function shortened(text: string, limit: number): string {
  if (text.length <= limit) return text;
  return `${cutNeutral(text, limit)}... (${grouped(text.length)} characters)`;
}
