// state → lines: exactly one for each row of the screen, none wider than its columns.

import { cut, fit, widthOf } from "./columns.ts";
import { detailLines } from "./details.ts";
import { drawOutline } from "./draw-outline.ts";
import { geometryOf, isTooSmall, LEAST_SIZE } from "./geometry.ts";
import type { Glyphs } from "./glyphs.ts";
import { EMPTY_LINE, type Line, lineOf, type Span } from "./paint.ts";
import { type State, type View, viewOf } from "./state.ts";

const HINTS = "j/k move  enter fold  / search  e error  s step  Tab tabs  ? help  q quit";
const SEARCH_HINTS = "n/N next, previous match  Esc end the search  ? help  q quit";

export function draw(state: State, glyphs: Glyphs): Line[] {
  if (isTooSmall(state.size)) return drawTooSmall(state, glyphs);
  const { columns, rows } = state.size;
  const head = [drawTitle(state, glyphs), drawTabs(state)];
  const body = state.help
    ? HELP_LINES.map((text) => lineOf(cut(text, columns, glyphs.more)))
    : drawBody(state, glyphs);
  const lines = [...head, ...body].slice(0, rows - 1);
  while (lines.length < rows - 1) lines.push(EMPTY_LINE);
  return [...lines, drawStatus(state, glyphs)];
}

function drawBody(state: State, glyphs: Glyphs): Line[] {
  const view = viewOf(state);
  const { columns } = state.size;
  const { outlineRows, detailRows } = geometryOf(state.size, view.outline.nodes.length);
  const outline = drawOutline(view, { rows: outlineRows, columns, glyphs });
  return [...outline, ...drawDetails(view, { rows: detailRows, columns, glyphs })];
}

/** The outcome on the left, the verdict on the right, and the hash if there is room. */
function drawTitle({ headline, size }: State, glyphs: Glyphs): Line {
  const { columns } = size;
  const { text, verdict, hash, success } = headline;
  const short = `${hash.slice(0, 8)}${glyphs.more}${hash.slice(-8)}`;
  const longer = ` ${verdict}  ${short} `;
  const right = widthOf(text) + widthOf(longer) + 1 <= columns ? longer : ` ${verdict} `;
  const room = columns - widthOf(right);
  const tone = success ? "good" : "bad";
  return {
    spans: [
      { text: fit(` ${text}`, room, glyphs.more), tone },
      { text: right, tone: "plain", column: room },
    ],
    bar: true,
  };
}

function drawTabs({ tabs, tab }: State): Line {
  const spans = tabs.map((name, index): Span => {
    const text = `${index + 1} ${name}`;
    // The brackets mark the current tab without colors.
    return index === tab
      ? { text: `[${text}]`, tone: "heading" }
      : { text: ` ${text} `, tone: "faint" };
  });
  return { spans };
}

interface Room {
  readonly rows: number;
  readonly columns: number;
  readonly glyphs: Glyphs;
}

function drawDetails(view: View, { rows, columns, glyphs }: Room): Line[] {
  const node = view.outline.nodes[view.selected];
  const all = node === undefined ? [] : detailLines(node, columns);
  const shown = all.slice(view.detailTop, view.detailTop + rows);
  const place =
    all.length <= rows
      ? ""
      : ` lines ${view.detailTop + 1}-${view.detailTop + shown.length} of ${all.length} (J/K) `;
  const left = `${glyphs.rule.repeat(2)} Details `;
  const rule = glyphs.rule.repeat(Math.max(0, columns - widthOf(left) - widthOf(place) - 2));
  const mark = view.search?.text ?? "";
  return [
    lineOf(`${left}${rule}${place}${glyphs.rule.repeat(2)}`, "faint"),
    ...shown.map(({ text, tone }) => ({ spans: [{ text, tone }], mark })),
    ...Array.from({ length: rows - shown.length }, () => EMPTY_LINE),
  ];
}

function drawStatus(state: State, glyphs: Glyphs): Line {
  const { columns } = state.size;
  const view = viewOf(state);
  const right = ` ${countOf(view)}`;
  const room = columns - widthOf(right) - 1;
  const left = state.prompt === null ? statusText(state) : promptText(state, room, glyphs);
  const spans: Span[] = [
    { text: fit(left, room, glyphs.more), tone: state.prompt === null ? "faint" : "plain" },
    { text: right, tone: "plain", column: room },
  ];
  return { spans };
}

function statusText(state: State): string {
  if (state.help) return " press any key to close";
  if (state.message !== "") return ` ${state.message}`;
  return ` ${viewOf(state).search === null ? HINTS : SEARCH_HINTS}`;
}

/** Shows the end of a long text, because letters are added there. */
function promptText({ prompt }: State, room: number, glyphs: Glyphs): string {
  const text = prompt?.text ?? "";
  const cursor = "_";
  if (widthOf(text) + 2 <= room) return `/${text}${cursor}`;
  return `/${glyphs.more}${[...text].slice(-Math.floor(room / 2 - 4)).join("")}${cursor}`;
}

/** The position of the selected node among the matches, or among all nodes. */
function countOf({ search, selected, outline }: View): string {
  const { nodes } = outline;
  if (search === null) return nodes.length === 0 ? "" : `${selected + 1}/${nodes.length}`;
  const { matches } = search;
  if (matches.length === 0) return "no match";
  const at = matches.indexOf(selected);
  if (at === -1) return `${matches.length} ${matches.length === 1 ? "match" : "matches"}`;
  return `match ${at + 1} of ${matches.length}`;
}

function drawTooSmall({ size }: State, glyphs: Glyphs): Line[] {
  const { columns, rows } = size;
  const least = `${LEAST_SIZE.columns}x${LEAST_SIZE.rows}`;
  const texts = [`This window is ${columns}x${rows};`, `svc needs ${least}.`, "", "q quits."];
  const lines = texts.map((text) => lineOf(cut(text, columns, glyphs.more)));
  while (lines.length < rows) lines.push(EMPTY_LINE);
  return lines.slice(0, Math.max(0, rows));
}

// The text of the `?` key; fits the smallest screen.

const HELP_LINES: readonly string[] = [
  "",
  "  j k  up down       next, previous line      / text enter  search this tab",
  "  PgUp PgDn          a page                   n N           next, previous match",
  "  g G  Home End      first, last line         Esc           end the search",
  "",
  "  enter  space       fold, unfold             c C           next, previous call",
  "  h  left            fold, or go to parent    e             next error",
  "  l  right           unfold, or go inside     J K           scroll the details",
  "  z Z                fold all, unfold all     o             where a value came from",
  "",
  "  1 2 3 4 5 6        show a tab               Ctrl-L        draw again",
  "  Tab  Shift-Tab     next, previous tab",
  "  s                  step through the code    Ctrl-Z        suspend (fg returns)",
  "  ?                  this help                q             quit",
  "",
  "  A mark before a name means that it failed. Instructions and bytes of a call",
  "  are totals that include all calls below it; the details show the self cost.",
  "  The details show the selected line in full. A search covers lines and details.",
];
