// Draws a state as lines: exactly one for each row of the screen, none wider than its columns.

import { cut, fitColumns, widthOf } from "./columns.ts";
import { detailLines } from "./details.ts";
import type { OutlineRoom } from "./draw-outline.ts";
import { drawOutline } from "./draw-outline.ts";
import { isTooSmall, LEAST_SIZE } from "./geometry.ts";
import type { Glyphs } from "./glyphs.ts";
import { type Hint, helpPages, helpStatus, hintsIn } from "./help.ts";
import { beside, filledTo, type Line, lineOf, type Span } from "./lines.ts";
import { positionOf } from "./outline.ts";
import { geometryOfView, tabLabels, type View, type ViewState, viewOf } from "./state.ts";

const END_HINTS: readonly Hint[] = [
  ["? help", 7],
  ["q quit", 8],
];
const HINTS: readonly Hint[] = [
  ["j/k move", 6],
  ["enter fold", 1],
  ["/ filter", 4],
  ["e error", 3],
  ["s step", 5],
  ["Tab tabs", 2],
  ...END_HINTS,
];
const SEARCH_HINTS: readonly Hint[] = [
  ["n/N next, previous match", 4],
  ["f all lines", 3],
  ["Esc end", 5],
  ...END_HINTS,
];

export function draw(state: ViewState, glyphs: Glyphs): Line[] {
  if (isTooSmall(state.size)) return drawTooSmall(state, glyphs);
  const { columns, rows } = state.size;
  const head = [drawTitle(state, glyphs), drawTabs(state)];
  const page = state.help === 0 ? undefined : helpPages(state.size)[state.help - 1];
  const body = page?.map((text) => lineOf(cut(text, columns, ""))) ?? drawBody(state, glyphs);
  return [...filledTo(rows - 1, [...head, ...body]), drawStatus(state, glyphs)];
}

function drawBody(state: ViewState, glyphs: Glyphs): Line[] {
  const view = viewOf(state);
  const room = geometryOfView(state, view);
  const { outlineRows, outlineColumns, detailRows, detailColumns } = room;
  const outline = drawOutline(view, { rows: outlineRows, columns: outlineColumns, glyphs });
  const details = drawDetails(view, { rows: detailRows, columns: detailColumns, glyphs });
  return room.beside ? beside(outline, details, outlineColumns + 1) : [...outline, ...details];
}

/** The outcome is on the left, the verdict on the right, and the hash is added if there is room. */
function drawTitle({ headline, size }: ViewState, glyphs: Glyphs): Line {
  const { columns } = size;
  const { text, verdict, hash, success } = headline;
  const short = `${hash.slice(0, 8)}${glyphs.more}${hash.slice(-8)}`;
  const longer = ` ${verdict}  ${short} `;
  const right = widthOf(text) + widthOf(longer) + 1 <= columns ? longer : ` ${verdict} `;
  const room = columns - widthOf(right);
  const tone = success ? "good" : "bad";
  return {
    spans: [
      { text: fitColumns(` ${text}`, room, glyphs.more), tone },
      { text: right, tone: "plain", column: room },
    ],
    bar: true,
  };
}

function drawTabs(state: ViewState): Line {
  const spans = tabLabels(state).map(
    (text, index): Span => ({ text, tone: index === state.tab ? "heading" : "faint" }),
  );
  return { spans };
}

function drawDetails(view: View, { rows, columns, glyphs }: OutlineRoom): Line[] {
  const node = view.outline.nodes[view.selected];
  const all = node === undefined ? [] : detailLines(node, columns, glyphs.more);
  const shown = all.slice(view.detailTop, view.detailTop + rows);
  const place =
    all.length <= rows
      ? ""
      : ` lines ${view.detailTop + 1}-${view.detailTop + shown.length} of ${all.length} (J/K) `;
  const left = cut(`${glyphs.rule.repeat(2)} Details `, columns - widthOf(place) - 2, "");
  const rule = glyphs.rule.repeat(Math.max(0, columns - widthOf(left) - widthOf(place) - 2));
  const mark = view.search?.text ?? "";
  return [
    lineOf(`${left}${rule}${place}${glyphs.rule.repeat(2)}`, "faint"),
    ...filledTo(
      rows,
      shown.map(({ text, tone }) => ({ spans: [{ text, tone }], mark })),
    ),
  ];
}

function drawStatus(state: ViewState, glyphs: Glyphs): Line {
  const { columns } = state.size;
  const view = viewOf(state);
  const right = ` ${countOf(view)}`;
  const room = columns - widthOf(right) - 1;
  const left = state.prompt === null ? statusText(state, room) : promptText(state, room, glyphs);
  const spans: Span[] = [
    { text: fitColumns(left, room, glyphs.more), tone: state.prompt === null ? "faint" : "plain" },
    { text: right, tone: "plain", column: room },
  ];
  return { spans };
}

function statusText(state: ViewState, room: number): string {
  if (state.help > 0) return helpStatus(state.help, helpPages(state.size));
  if (state.message !== "") return ` ${state.message}`;
  return ` ${hintsIn(room - 1, viewOf(state).search === null ? HINTS : SEARCH_HINTS)}`;
}

/** Shows the end of a long text, because letters are added there. */
function promptText({ prompt }: ViewState, room: number, glyphs: Glyphs): string {
  const text = prompt?.text ?? "";
  const cursor = "_";
  if (widthOf(text) + 2 <= room) return `/${text}${cursor}`;
  return `/${glyphs.more}${[...text].slice(-Math.floor(room / 2 - 4)).join("")}${cursor}`;
}

/** Returns the position of the selected node among the matches, or among all lines. */
function countOf({ search, selected, visible }: View): string {
  if (search === null)
    return visible.length === 0 ? "" : `${positionOf(visible, selected) + 1}/${visible.length}`;
  const { matches } = search;
  if (matches.length === 0) return "no match";
  const at = matches.indexOf(selected);
  if (at === -1) return `${matches.length} ${matches.length === 1 ? "match" : "matches"}`;
  return `match ${at + 1} of ${matches.length}`;
}

function drawTooSmall({ size }: ViewState, glyphs: Glyphs): Line[] {
  const { columns, rows } = size;
  const least = `${LEAST_SIZE.columns}x${LEAST_SIZE.rows}`;
  const texts = [`This window is ${columns}x${rows};`, `svc needs ${least}.`, "", "q quits."];
  const lines = texts.map((text) => lineOf(cut(text, columns, glyphs.more)));
  return filledTo(rows, lines);
}
