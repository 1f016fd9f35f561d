// A terminal's screen as an SVG picture: text that can be selected and searched, with the colors
// that the program gave it.

import { escapeToBuffer } from "hono/utils/html";

export interface Screen {
  /** Lines with escape sequences of colors and attributes, as tmux captures them. */
  readonly painted: string;
  readonly columns: number;
  /** For screen readers. */
  readonly title: string;
}

const CELL = { width: 8.4, height: 19 };
const PADDING = 18;
const INK = "#e8ebf0";
const PAGE = "#14171c";
/** Black, red, green, yellow, blue, magenta, cyan, white. */
const COLORS = [
  "#2a313b",
  "#ff9d94",
  "#6dd49b",
  "#f1c265",
  "#8ab4f8",
  "#c9a6f5",
  "#7fd4d8",
  "#e8ebf0",
];

interface Look {
  readonly color: string | null;
  readonly background: string | null;
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

export function terminalSvg({ painted, columns, title }: Screen): string {
  const lines = painted.trimEnd().split("\n");
  const width = Math.ceil(columns * CELL.width + 2 * PADDING);
  const height = Math.ceil(lines.length * CELL.height + 2 * PADDING);
  let look = PLAIN;
  const rows = lines.map((line, row) => {
    const read = runsOf(line, look);
    look = read.last;
    return read.runs.map((run) => draw(run, PADDING + row * CELL.height)).join("");
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" \
role="img" aria-label="${escaped(title)}" font-size="14" font-family="ui-monospace,Menlo,Consolas,\
'DejaVu Sans Mono',monospace" fill="${INK}">
<rect width="100%" height="100%" rx="10" fill="${PAGE}"/>
${rows.filter((row) => row !== "").join("\n")}
</svg>
`;
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
  if (code >= 30 && code <= 37) return { ...look, color: COLORS[code - 30] ?? null };
  if (code === 39) return { ...look, color: null };
  if (code >= 40 && code <= 47) return { ...look, background: COLORS[code - 40] ?? null };
  return code === 49 ? { ...look, background: null } : look;
}

function draw({ text, column, look }: Run, top: number): string {
  const { bold, faint, reverse } = look;
  const color = reverse ? (look.background ?? PAGE) : look.color;
  const background = reverse ? (look.color ?? INK) : look.background;
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
