// Draws the stepper's state as lines: exactly one for each row of the screen, none wider than its
// columns. A wide terminal has the source on the left and the values on the right.

import type { Tone } from "../report/document/document.ts";
import { cut, fitColumns, widthOf, wrapColumns } from "../report/tui/columns.ts";
import { isTooSmall, LEAST_SIZE, type Size } from "../report/tui/geometry.ts";
import type { Glyphs } from "../report/tui/glyphs.ts";
import { type Help, type Hint, helpPages, helpStatus, hintsIn } from "../report/tui/help.ts";
import { beside, EMPTY_LINE, filledTo, type Line, lineOf } from "../report/tui/lines.ts";
import type { StepperStanding } from "../stepping/session.ts";

const HINTS: readonly Hint[] = [
  ["n/N next, back", 6],
  ["s/S into", 4],
  ["f out", 2],
  ["c/C go on", 3],
  ["w why", 5],
  ["b break", 1],
  ["? help", 7],
  ["q leave", 8],
];
const TWO_COLUMNS = 120;
/** The most frames on a usual screen, and on one with few rows. */
const MOST_FRAMES = [5, 2] as const;
/** The most rows of a message, for the same two screens. */
const MOST_SAID = [6, 4] as const;
const MOST_MISSING = 3;
/** The rows of the title, the hints, and the rules above source and values. */
const OTHER_ROWS = 4;
const USUAL_ROWS = 20;

const HELP: Help = [
  "Forwards, and backwards",
  ["n N", "the next line"],
  ["s S", "into calls"],
  ["i I", "one instruction"],
  ["f", "out of the function"],
  ["c C", "on to a stop or error"],
  ["g", "to the beginning"],
  ["e", "to the failure"],
  ["w", "to what decided"],
  "",
  "Looking",
  ["u d  up down", "the frame above, below"],
  ["click", "a frame"],
  ["J K  wheel", "scroll the values"],
  ["v", "values in full, or not"],
  ["b", "a breakpoint, or none"],
  ["m", "mouse to the terminal"],
  "",
  ["Ctrl-L", "draw again"],
  ["Ctrl-Z", "suspend (fg returns)"],
  ["?", "this help"],
  ["q Esc  Ctrl-C", "leave, interrupt"],
  "A star marks a value that the last step changed.",
];

export function stepperHelp(size: Size): string[][] {
  return helpPages(size, HELP);
}

/** Returns the frames that are drawn, from the second row of the screen on. */
export function drawnFrames({ frames, frame }: StepperStanding, size: Size) {
  const most = forRows(MOST_FRAMES, size);
  const first = Math.max(0, frame - most + 1);
  return { first, names: frames.slice(first, first + most) };
}

export interface Looks {
  readonly size: Size;
  readonly glyphs: Glyphs;
  /** The page of the help that is shown, from 1; 0 if none is. */
  readonly help: number;
  /** True if long values take several lines. */
  readonly whole: boolean;
  /** The index of the first value that is drawn. */
  readonly top: number;
}

export function drawStanding(standing: StepperStanding, looks: Looks): Line[] {
  const { columns, rows } = looks.size;
  if (isTooSmall(looks.size)) {
    const text = `The stepper needs ${LEAST_SIZE.columns}x${LEAST_SIZE.rows}. q leaves.`;
    return filledTo(rows, [lineOf(cut(text, columns, ""))]);
  }
  const pages = looks.help === 0 ? [] : stepperHelp(looks.size);
  const page = pages[looks.help - 1];
  const { said, wide, left, valueColumns, sourceRows, valueRows } = layoutOf(standing, looks);
  const source =
    standing.source === null
      ? []
      : [
          rule(standing.source.name, left, looks.glyphs),
          ...drawSource(standing.source, sourceRows, left, looks.glyphs),
        ];
  const values = drawValues(standing, valueRows, valueColumns, looks);
  const body = wide ? beside(source, values, left + 1) : [...source, ...values];
  const first = title(standing, columns, looks.glyphs);
  if (page !== undefined) {
    const help = page.map((text) => lineOf(cut(text, columns, "")));
    const status = lineOf(helpStatus(looks.help, pages), "faint");
    return [...filledTo(rows - 1, [first, EMPTY_LINE, ...help]), status];
  }
  const lines = [first, ...drawFrames(standing, columns, looks), ...body];
  const above = rows - 1 - said.length;
  const filled = filledTo(above, lines);
  const tone = standing.failed ? "bad" : "heading";
  const words = said.map((text) => lineOf(` ${text}`, tone));
  return [...filled, ...words, lineOf(` ${hintsIn(columns - 1, HINTS)}`, "faint")];
}

/** If there is no code to show, the values get its room. */
function layoutOf(standing: StepperStanding, { size, glyphs }: Pick<Looks, "size" | "glyphs">) {
  const { columns, rows } = size;
  const { names } = drawnFrames(standing, size);
  const said = sentenceLines(standing.message, columns, forRows(MOST_SAID, size), glyphs);
  const room = Math.max(0, rows - OTHER_ROWS - names.length - said.length);
  const hasSource = standing.source !== null;
  const wide = hasSource && columns >= TWO_COLUMNS;
  const left = wide ? Math.floor(columns * 0.58) : columns;
  const sourceRows = wide ? room + 1 : Math.ceil(room * 0.55);
  const valueRows = wide || !hasSource ? room + 1 : room - sourceRows;
  return {
    said,
    wide,
    left,
    valueColumns: wide ? columns - left - 1 : columns,
    sourceRows,
    valueRows,
  };
}

function forRows([usual, few]: readonly [number, number], { rows }: Size): number {
  return rows < USUAL_ROWS ? few : usual;
}

function sentenceLines(text: string, columns: number, most: number, { more }: Glyphs): string[] {
  const lines = wrapColumns(text, columns - 2, more);
  if (lines.length <= most) return lines;
  const last = cut(lines.slice(most - 1).join(" "), columns - 2, more);
  return [...lines.slice(0, most - 1), last];
}

/** Returns the last scroll position of the values. */
export function lastTop(standing: StepperStanding, looks: Looks): number {
  const { valueColumns, valueRows } = layoutOf(standing, looks);
  return Math.max(0, valueLines(standing, valueColumns, looks).length - valueRows);
}

function title(
  { title: text, moment, last }: StepperStanding,
  columns: number,
  glyphs: Glyphs,
): Line {
  const right = ` moment ${moment} of ${last} `;
  const room = columns - widthOf(right);
  return {
    spans: [
      { text: fitColumns(` ${text}`, room, glyphs.more), tone: "heading" },
      { text: right, tone: "plain", column: room },
    ],
    bar: true,
  };
}

function drawFrames(standing: StepperStanding, columns: number, { glyphs, size }: Looks): Line[] {
  const { first, names } = drawnFrames(standing, size);
  return names.map((name, index) => {
    const selected = first + index === standing.frame;
    const text = ` ${selected ? glyphs.selected : " "} ${name}`;
    return lineOf(cut(text, columns, glyphs.more), selected ? "plain" : "faint");
  });
}

function rule(name: string, columns: number, glyphs: Glyphs): Line {
  const text = `${glyphs.rule.repeat(2)} ${name} `;
  const line = glyphs.rule.repeat(Math.max(0, columns - widthOf(text)));
  return lineOf(cut(`${text}${line}`, columns, glyphs.more), "faint");
}

function drawSource(
  { lines, at, breakpoints, missing }: NonNullable<StepperStanding["source"]>,
  all: number,
  columns: number,
  glyphs: Glyphs,
): Line[] {
  const most = Math.min(MOST_MISSING, all - 1);
  const words =
    missing === null || most < 1 ? [] : sentenceLines(`${missing}.`, columns, most, glyphs);
  const said = words.map((text) => lineOf(` ${text}`, "caution"));
  const rows = all - said.length;
  // The current line is in the middle, unless it is near the beginning or the end of the file.
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
  return [...said, ...filledTo(rows, drawn)];
}

function drawValues(
  standing: StepperStanding,
  rows: number,
  columns: number,
  looks: Looks,
): Line[] {
  const all = valueLines(standing, columns, looks);
  const first = Math.max(0, Math.min(looks.top, all.length - rows));
  const shown = all.slice(first, first + rows);
  const title = standing.source === null ? "values (no code here)" : "values";
  const place =
    shown.length === all.length
      ? ""
      : `, lines ${first + 1}-${first + shown.length} of ${all.length} (J/K)`;
  return [rule(`${title}${place}`, columns, looks.glyphs), ...filledTo(rows, shown)];
}

function valueLines({ scopes }: StepperStanding, columns: number, looks: Looks): Line[] {
  const { glyphs } = looks;
  return scopes.flatMap(({ name, values }): Line[] =>
    values.length === 0
      ? []
      : [
          lineOf(cut(` ${name}`, columns, glyphs.more), "heading"),
          ...values.flatMap(({ name: of, value, changed }) => {
            const tone: Tone = changed ? "caution" : "plain";
            const text = `${of}: ${value}`;
            const texts = looks.whole ? wrapColumns(text, columns - 3, glyphs.more) : [text];
            return texts.map((each, row) => {
              const mark = changed && row === 0 ? "*" : " ";
              return lineOf(cut(` ${mark} ${each}`, columns, glyphs.more), tone);
            });
          }),
        ],
  );
}
