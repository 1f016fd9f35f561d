// What a terminal showed as an SVG picture: text that can be selected and searched, with the colors
// that the program gave it. Several screens are shown in turn. Viewers without animation, and readers
// who want no motion, see the last one alone.

import { escapeToBuffer } from "hono/utils/html";

export interface Screen {
  /** Lines with escape sequences of colors and attributes, as tmux captures them. */
  readonly painted: string;
  readonly seconds: number;
}

export interface Recording {
  readonly screens: readonly Screen[];
  readonly columns: number;
  /** For screen readers. */
  readonly title: string;
  /** Default: dark. */
  readonly theme?: keyof typeof THEMES;
}

const CELL = { width: 8.4, height: 19 };
const PADDING = 18;

interface Theme {
  readonly ink: string;
  readonly page: string;
  /** Black, red, green, yellow, blue, magenta, cyan, white. */
  readonly colors: string;
}

const THEMES = {
  dark: {
    ink: "#e8ebf0",
    page: "#14171c",
    colors: "#2a313b #ff9d94 #6dd49b #f1c265 #8ab4f8 #c9a6f5 #7fd4d8 #e8ebf0",
  },
  light: {
    ink: "#1c2128",
    page: "#f6f7f9",
    colors: "#1c2128 #b3261e #1a7f37 #8a5a00 #0b57d0 #7b3fb5 #0f6f78 #57606a",
  },
} as const satisfies Readonly<Record<string, Theme>>;

interface Look {
  /** Numbers of colors. */
  readonly color: number | null;
  readonly background: number | null;
  readonly bold: boolean;
  readonly faint: boolean;
  readonly reverse: boolean;
}

interface Run {
  readonly text: string;
  readonly column: number;
  readonly look: Look;
}

const PLAIN: Look = { color: null, background: null, bold: false, faint: false, reverse: false };

export function terminalSvg({ screens, columns, title, theme: name = "dark" }: Recording): string {
  const theme = THEMES[name];
  const pages = screens.map(({ painted }) => painted.trimEnd().split("\n"));
  const width = Math.ceil(columns * CELL.width + 2 * PADDING);
  const rows = Math.max(...pages.map(({ length }) => length));
  const height = Math.ceil(rows * CELL.height + 2 * PADDING);
  const drawn = pages.map((lines) => drawLines(lines, theme));
  const body =
    drawn.length === 1
      ? drawn.join("")
      : [
          `<style>${inTurn(screens)}</style>`,
          ...drawn.map((page, index) => {
            // A viewer without animation shows only the last screen.
            const hidden = index === drawn.length - 1 ? "" : ' opacity="0"';
            return `<g class="screen s${index}"${hidden}>\n${page}\n</g>`;
          }),
        ].join("\n");
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" \
role="img" aria-label="${escaped(title)}" font-size="14" font-family="ui-monospace,Menlo,Consolas,\
'DejaVu Sans Mono',monospace" fill="${theme.ink}">
<rect width="100%" height="100%" rx="10" fill="${theme.page}"/>
${body}
</svg>
`;
}

function drawLines(lines: readonly string[], theme: Theme): string {
  let look = PLAIN;
  const rows = lines.map((line, row) => {
    const read = runsOf(line, look);
    look = read.last;
    return read.runs.map((run) => draw(run, PADDING + row * CELL.height, theme)).join("");
  });
  return rows.filter((row) => row !== "").join("\n");
}

/** Each screen for its time, again and again. */
function inTurn(screens: readonly Screen[]): string {
  const total = screens.reduce((sum, { seconds }) => sum + seconds, 0);
  const percent = (seconds: number) => `${((100 * seconds) / total).toFixed(2)}%`;
  let before = 0;
  const rules = screens.map(({ seconds }, index) => {
    const [begin, end] = [before, before + seconds];
    before = end;
    const shown = `${percent(begin)}{opacity:1}${end < total ? `${percent(end)}{opacity:0}` : ""}`;
    const frames = begin === 0 ? shown : `0%{opacity:0}${shown}`;
    return `@keyframes s${index}{${frames}}.s${index}{animation-name:s${index}}`;
  });
  const all = `.screen{animation:${total}s step-end infinite}`;
  const still = "@media (prefers-reduced-motion:reduce){.screen{animation:none}}";
  return [all, ...rules, still].join("");
}

function runsOf(line: string, before: Look): { readonly runs: Run[]; readonly last: Look } {
  const runs: Run[] = [];
  let look = before;
  let column = 0;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one
  for (const [, codes, text] of line.matchAll(/\u001b\[([\d;]*)m|([^\u001b]+)/g)) {
    if (text === undefined) look = changed(look, codes ?? "");
    else {
      runs.push({ text, column, look });
      column += [...text].length;
    }
  }
  return { runs, last: look };
}

function changed(look: Look, codes: string): Look {
  return codes.split(";").map(Number).reduce(changedBy, look);
}

function changedBy(look: Look, code: number): Look {
  if (code === 0) return PLAIN;
  if (code === 1) return { ...look, bold: true };
  if (code === 2) return { ...look, faint: true };
  if (code === 22) return { ...look, bold: false, faint: false };
  if (code === 7) return { ...look, reverse: true };
  if (code === 27) return { ...look, reverse: false };
  if (code >= 30 && code <= 37) return { ...look, color: code - 30 };
  if (code === 39) return { ...look, color: null };
  if (code >= 40 && code <= 47) return { ...look, background: code - 40 };
  return code === 49 ? { ...look, background: null } : look;
}

function draw({ text, column, look }: Run, top: number, { ink, page, colors }: Theme): string {
  const { bold, faint, reverse } = look;
  const named = (number: number | null) =>
    number === null ? null : (colors.split(" ")[number] ?? null);
  const color = reverse ? (named(look.background) ?? page) : named(look.color);
  const background = reverse ? (named(look.color) ?? ink) : named(look.background);
  const x = (PADDING + column * CELL.width).toFixed(1);
  const width = ([...text].length * CELL.width).toFixed(1);
  const box =
    background === null
      ? ""
      : `<rect x="${x}" y="${top}" width="${width}" height="${CELL.height}" fill="${background}"/>`;
  if (text.trim() === "") return box;
  const attributes = [
    `x="${x}" y="${top + 14}" textLength="${width}"`,
    ...(color === null ? [] : [`fill="${color}"`]),
    ...(bold ? [`font-weight="700"`] : []),
    ...(faint ? [`opacity="0.65"`] : []),
  ];
  return `${box}<text xml:space="preserve" ${attributes.join(" ")}>${escaped(text)}</text>`;
}

function escaped(text: string): string {
  const buffer: [string] = [""];
  escapeToBuffer(text, buffer);
  return buffer[0];
}
