// Where the stepper stands → lines: exactly one for each row of the screen, none wider than its
// columns. A wide terminal has the source on the left and the values on the right.

import type { Tone } from "../report/document/document.ts";
import { cut, fit, widthOf, wrapColumns } from "../report/tui/columns.ts";
import { isTooSmall, LEAST_SIZE, type Size } from "../report/tui/geometry.ts";
import type { Glyphs } from "../report/tui/glyphs.ts";
import { beside, EMPTY_LINE, type Line, lineOf } from "../report/tui/paint.ts";
import type { Standing } from "./session.ts";

const HINTS = "n/N next, back  s/S into  f out  c/C go on  w why  b break  ? help  q leave";
const TWO_COLUMNS = 120;
const MOST_FRAMES = 5;
const MOST_SAID = 3;
/** Title, hints, and the rules above source and values. */
const OTHER_ROWS = 4;

export const HELP: readonly string[] = [
  "  n, N   next line, and back to the one before, over calls",
  "  s, S   into calls, forwards and backwards",
  "  i, I   one instruction, forwards and backwards",
  "  f      out of the function",
  "  c, C   go on to the next breakpoint or error, forwards and backwards",
  "  b      set or clear a breakpoint in the line of the selected frame",
  "  u, d   the frame above or below (up, down)",
  "  e      where the transaction failed      g   its beginning",
  "  w      the branch that decided, and why",
  "  J, K   scroll the values                 q   leave",
];

export interface Looks {
  readonly size: Size;
  readonly glyphs: Glyphs;
  readonly help: boolean;
  /** The first value that is drawn. */
  readonly top: number;
}

export function drawStanding(standing: Standing, looks: Looks): Line[] {
  const { columns, rows } = looks.size;
  if (isTooSmall(looks.size)) {
    const text = `The stepper needs ${LEAST_SIZE.columns}x${LEAST_SIZE.rows}. q leaves.`;
    const line = lineOf(cut(text, columns, ""));
    return Array.from({ length: rows }, (_, row) => (row === 0 ? line : EMPTY_LINE));
  }
  const frames = standing.frames.slice(0, MOST_FRAMES);
  const said = wrapColumns(standing.message, columns - 2).slice(0, MOST_SAID);
  const room = rows - OTHER_ROWS - frames.length - said.length;
  const wide = columns >= TWO_COLUMNS;
  const left = wide ? Math.floor(columns * 0.58) : columns;
  const sourceRows = wide ? room + 1 : Math.ceil(room * 0.55);
  const valueRows = wide ? room + 1 : room - sourceRows;
  const source = [
    rule(standing.source?.name ?? "no code here", left, looks.glyphs),
    ...drawSource(standing, sourceRows, left, looks.glyphs),
  ];
  const values = [
    rule("values", columns - (wide ? left + 1 : 0), looks.glyphs),
    ...drawValues(standing, valueRows, columns - (wide ? left + 1 : 0), looks),
  ];
  const middle = looks.help
    ? HELP.map((text) => lineOf(cut(text, columns, looks.glyphs.more)))
    : [];
  const body = wide ? beside(source, values, left + 1) : [...source, ...values];
  const shown = looks.help ? middle : body;
  const lines = [
    title(standing, columns, looks.glyphs),
    ...drawFrames(standing, columns, looks),
    ...shown,
  ];
  const above = rows - 1 - said.length;
  const filled = filledTo(above, lines);
  const words = said.map((text) => lineOf(` ${text}`, "bad"));
  return [...filled, ...words, lineOf(cut(` ${HINTS}`, columns, looks.glyphs.more), "faint")];
}

function title({ title: text, moment, last }: Standing, columns: number, glyphs: Glyphs): Line {
  const right = ` moment ${moment} of ${last} `;
  const room = columns - widthOf(right);
  return {
    spans: [
      { text: fit(` ${text}`, room, glyphs.more), tone: "heading" },
      { text: right, tone: "plain", column: room },
    ],
    bar: true,
  };
}

function drawFrames(standing: Standing, columns: number, { glyphs }: Looks): Line[] {
  const first = Math.max(0, standing.frame - MOST_FRAMES + 1);
  return standing.frames.slice(first, first + MOST_FRAMES).map((name, index) => {
    const selected = first + index === standing.frame;
    const text = ` ${selected ? glyphs.selected : " "} ${name}`;
    return lineOf(cut(text, columns, glyphs.more), selected ? "plain" : "faint");
  });
}

function rule(name: string, columns: number, glyphs: Glyphs): Line {
  const text = `${glyphs.rule.repeat(2)} ${name} `;
  const rest = glyphs.rule.repeat(Math.max(0, columns - widthOf(text)));
  return lineOf(cut(`${text}${rest}`, columns, glyphs.more), "faint");
}

/** The line where it stands is in the middle where there are lines around it. */
function drawSource({ source }: Standing, rows: number, columns: number, glyphs: Glyphs): Line[] {
  if (source === null) return filledTo(rows, []);
  if (source.lines.length === 0)
    return filledTo(rows, [
      lineOf(cut(" This file is not on this machine.", columns, ""), "faint"),
    ]);
  const { lines, at, breakpoints } = source;
  const first = Math.max(0, Math.min(at - 1 - (rows >> 1), lines.length - rows));
  const width = String(lines.length).length;
  const drawn = lines.slice(first, first + rows).map((text, index): Line => {
    const number = first + index + 1;
    const here = number === at;
    const stop = breakpoints.includes(number) ? "*" : " ";
    const head = `${stop}${String(number).padStart(width)} ${here ? glyphs.selected : " "} `;
    const whole = cut(`${head}${text.replaceAll("\t", "    ")}`, columns, glyphs.more);
    return lineOf(whole, here ? "good" : "plain");
  });
  return filledTo(rows, drawn);
}

function drawValues({ scopes }: Standing, rows: number, columns: number, looks: Looks): Line[] {
  const { glyphs, top } = looks;
  const all = scopes.flatMap(({ name, values }): Line[] =>
    values.length === 0
      ? []
      : [
          lineOf(cut(` ${name}`, columns, glyphs.more), "heading"),
          ...values.map(({ name: of, value, changed }) => {
            const tone: Tone = changed ? "caution" : "plain";
            const mark = changed ? "*" : " ";
            return lineOf(cut(` ${mark} ${of}: ${value}`, columns, glyphs.more), tone);
          }),
        ],
  );
  const first = Math.max(0, Math.min(top, all.length - rows));
  return filledTo(rows, all.slice(first, first + rows));
}

function filledTo(rows: number, lines: readonly Line[]): Line[] {
  return Array.from({ length: rows }, (_, row) => lines[row] ?? EMPTY_LINE);
}
