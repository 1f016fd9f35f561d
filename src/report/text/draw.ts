// A document as lines for a terminal. Every text passes `neutralise` in layout.ts.

import { grouped } from "../../base/text/grouped.ts";
import { neutralise } from "../../base/text/neutralise.ts";
import type { Alignment } from "../../model/what-if.ts";
import { inWords } from "../document/calls.ts";
import { groupInWords } from "../document/caveat-groups.ts";
import {
  type Block,
  type Detail,
  type Head,
  type Item,
  type Items,
  only,
  type ReportDocument,
  type Row,
  type Rows,
  type Section,
  type Sentence,
  type Table,
  type Tone,
} from "../document/document.ts";
import { atWidth, pairs, table, wrap } from "./layout.ts";
import { openStyle, type Style } from "./style.ts";

export interface TextOptions {
  readonly color: boolean;
  /** The terminal's width; absent or 0 where there is none, or none that knows its width. */
  readonly columns?: number | undefined;
  /** Every comparison, and the provenance of each input of the replay. */
  readonly verbose?: boolean;
  /** The host calls of each call, if they were recorded. */
  readonly hostCalls?: boolean;
  /** Storage keys and values in full, below the host calls. */
  readonly storage?: boolean;
}

const INDENT = 2;
const DEEPEST_INDENT = 24;
/** A report is read by people. Further rows are only in --json. */
const SHOWN_HOST_CALLS = 2000;
const SHOWN_ROWS = 30;
/** `before` and `after` are in a column, also where one of them is alone. */
const LEAST_LABEL = 6;
const MARKS: Readonly<Record<Alignment, string>> = {
  same: "  ",
  different: "~ ",
  gone: "- ",
  new: "+ ",
};

const LEGEND = "+ only with the overrides, - only without them, ~ different";

interface Drawing {
  readonly style: Style;
  readonly verbose: boolean;
}

/** Lines as wide as the terminal, with a newline at the end. */
export function drawText(document: ReportDocument, options: TextOptions): string {
  return atWidth(options.columns, () => drawLines(document, options));
}

function drawLines(document: ReportDocument, options: TextOptions): string {
  const details = new Set<Detail>(["terminal"]);
  if (options.verbose === true) details.add("verbose");
  if (options.hostCalls === true) details.add("host-calls");
  if (options.storage === true) details.add("storage");
  const { head, sections } = only(document, details);
  const drawing = { style: openStyle(options.color), verbose: options.verbose === true };
  const parts = [
    head === null ? [] : drawHead(head, drawing),
    ...sections.map((section) => drawSection(section, drawing)),
  ];
  return `${parts.flatMap((lines) => (lines.length === 0 ? [] : [lines.join("\n")])).join("\n\n")}\n`;
}

function painter({ style }: Drawing, tone: Tone = "plain"): (line: string) => string {
  return tone === "plain" ? (line) => line : style[tone];
}

function drawHead({ headline, tone, verdict, body }: Head, drawing: Drawing): string[] {
  const lines = wrap(headline).map(painter(drawing, tone));
  if (verdict !== undefined) {
    const label = verdict.kind === null ? "No verdict:" : `Verdict: ${verdict.kind}.`;
    lines.push(...wrap(`${label} ${verdict.sentence}`).map(painter(drawing, verdict.tone)));
  }
  return [...lines, ...body.flatMap((block) => drawBlock(block, 0, drawing))];
}

function drawSection({ title, body }: Section, drawing: Drawing): string[] {
  const lines = body.flatMap((block) => drawBlock(block, title === null ? 0 : INDENT, drawing));
  if (lines.length === 0 || title === null) return lines;
  return [drawing.style.heading(neutralise(title)), ...lines];
}

function drawBlock(block: Block, indent: number, drawing: Drawing): string[] {
  switch (block.kind) {
    case "sentence":
      return drawSentence(block, " ".repeat(indent), drawing);
    case "rows":
      return drawRows(block);
    case "table":
      return drawTable(block);
    case "items":
      return block.layout === "list" ? drawList(block, drawing) : drawTree(block, drawing);
    case "columns":
      return block.columns.flatMap(({ body }) =>
        body.flatMap((each) => drawBlock(each, indent, drawing)),
      );
    case "copyable":
      return [
        ...wrap(block.title, " ".repeat(indent)),
        `${" ".repeat(2 * indent)}${neutralise(block.text)}`,
      ];
    default:
      return [];
  }
}

function drawSentence(sentence: Sentence, margin: string, drawing: Drawing): string[] {
  const { text, label, hangs, apart, tone } = sentence;
  const first = label === undefined ? margin : `${margin}${neutralise(label)}: `;
  const lines = wrap(text, first, hangs === true ? margin.length + INDENT : first.length);
  return [...(apart === true ? [""] : []), ...lines.map(painter(drawing, tone))];
}

function drawRows({ layout, rows, most = rows.length, what = "", inner }: Rows): string[] {
  const shown = rows.slice(0, most);
  const more = omitted(rows.length - most, what);
  if (layout === "changes" || layout === "lines") {
    const between = layout === "lines" ? " " : ": ";
    const lines = shown.flatMap(({ label, values, note }) => [
      ...wrap(`${label}${between}${values.join(" -> ")}`, "  ", 4),
      ...(note ? wrap(note, "    ") : []),
    ]);
    return [...lines, ...more];
  }
  const width = Math.max(...shown.map(({ values }) => values.join("").length));
  const shownValue = ({ values, unit }: Row) =>
    layout === "amounts" ? `${values.join("").padStart(width)} ${unit}` : values.join(" -> ");
  const cells = shown.map(
    (row) => [`${"  ".repeat(row.depth ?? 0)}${row.label}`, shownValue(row)] as const,
  );
  return [...pairs(cells, inner === true ? 2 * INDENT : INDENT), ...more];
}

function drawTable({ headings, leads, rows, most = rows.length, what = "" }: Table): string[] {
  const texts = rows
    .slice(0, most)
    .map((row) => row.map((cell) => (typeof cell === "string" ? cell : (cell?.text ?? null))));
  const more = omitted(rows.length - most, what);
  if (leads === undefined)
    return [...table([headings, ...texts.map((row) => row.map((cell) => cell ?? "-"))]), ...more];
  const leadsOf = headings.map((heading) => leads[heading]);
  const [first] = leadsOf;
  const begin = first === undefined ? "  " : `  ${first} `;
  const lines = texts.flatMap((row) => {
    const words = row.flatMap((cell, i) => (cell === null ? [] : [i > 0 && leadsOf[i], cell]));
    return wrap(words.filter(Boolean).join(" "), begin, first === undefined ? 4 : 6);
  });
  return [...lines, ...more];
}

function drawList({ items, most, mostSubjects, what }: Items, drawing: Drawing): string[] {
  const all = Number.POSITIVE_INFINITY;
  const [shown, subjects] = drawing.verbose ? [all, all] : [most ?? all, mostSubjects ?? all];
  const lines = items.slice(0, shown).flatMap((item) => {
    const text = groupInWords({ text: textOf(item), subjects: item.subjects ?? [] }, subjects);
    return wrap(text, "  - ").map(painter(drawing, item.tone));
  });
  const more = items.length - shown;
  if (more > 0) lines.push(...wrap(`and ${grouped(more)} more ${what}`, "  - "));
  const isCut = more > 0 || items.some((item) => (item.subjects?.length ?? 0) > subjects);
  return isCut ? [...lines, "  (use --verbose or --json to show all of them)"] : lines;
}

function textOf({ text }: Item): string {
  return typeof text === "string" ? text : inWords(text);
}

function drawTree(tree: Items, drawing: Drawing): string[] {
  const { items, most = Number.POSITIVE_INFINITY, what = "" } = tree;
  const isAligned = items.some(({ alignment }) => alignment !== undefined);
  const lines = isAligned ? wrap(LEGEND, "  ").map(drawing.style.faint) : [];
  const left = { items: most, hostCalls: SHOWN_HOST_CALLS };
  const omittedOf = { items: tree.omitted ?? 0, hostCalls: 0 };
  const visit = (item: Item, depth: number) => {
    const kind = item.role === "host-call" ? "hostCalls" : "items";
    if (item.frame !== true) {
      left[kind] -= 1;
      if (left[kind] < 0) omittedOf[kind] += item.times ?? 1;
      else lines.push(...drawItem(item, depth + (item.depth ?? 0), tree, drawing));
    }
    for (const below of item.below ?? []) visit(below, item.frame === true ? depth : depth + 1);
  };
  for (const item of items) visit(item, tree.inner === true ? 2 : 1);
  return [
    ...lines,
    ...omitted(omittedOf.items, what),
    ...omitted(omittedOf.hostCalls, "host calls"),
  ];
}

function drawItem(item: Item, depth: number, tree: Items, drawing: Drawing): string[] {
  const { badgeColumns, most } = tree;
  const { role, alignment, badge, before, where, cost, notes = [], rows = [] } = item;
  const indent = " ".repeat(Math.min(depth * INDENT, DEEPEST_INDENT));
  const isHostCall = role === "host-call";
  const mark = isHostCall ? ". " : alignment === undefined ? "" : MARKS[alignment];
  const isColumn = badge !== undefined && badgeColumns !== undefined;
  const shown = isColumn
    ? `${badge.padEnd(badgeColumns)}  `
    : badge === undefined
      ? ""
      : `${badge} `;
  const first = `${indent}${mark}${shown}`;
  const inner = isColumn ? " ".repeat(first.length) : indent + " ".repeat(mark === "" ? 2 : 4);
  const hang = isColumn
    ? first.length
    : indent.length + (role === undefined && mark === "" ? 2 : 4);
  const failed = typeof item.text !== "string" && item.text.result === null;
  const faint = painter(drawing, "faint");
  const line = isHostCall && cost !== undefined ? `${textOf(item)} ${cost}` : textOf(item);
  const width = Math.max(LEAST_LABEL, ...rows.map(({ label }) => label.length));
  // Where nothing is to be cut, no row is.
  const shownRows = most === undefined ? rows.length : SHOWN_ROWS;
  const rowLines = rows.slice(0, shownRows).flatMap(({ label, values, tone }) => {
    const [value = "", ...after] = values;
    const lines =
      after.length === 0
        ? pairs([[label.padEnd(width), value]], inner.length)
        : wrap(`${label}: ${values.join(" -> ")}`, inner, inner.length + 2);
    return lines.map(painter(drawing, tone));
  });
  return [
    ...wrap(line, first, hang).map(painter(drawing, failed ? "bad" : item.tone)),
    ...(before === undefined ? [] : wrap(`was ${before}`, inner).map(faint)),
    ...(where === undefined ? [] : wrap(where.name, `${inner}${where.lead} `)),
    ...(isHostCall || cost === undefined ? [] : wrap(cost, inner).map(faint)),
    ...notes.flatMap(({ text, lead, tone, hangs }) => {
      const lines =
        hangs === true
          ? wrap(`${lead} ${text}`, inner, inner.length + 2)
          : wrap(text, lead === undefined ? inner : `${inner}${lead} `);
      return lines.map(painter(drawing, tone));
    }),
    ...rowLines,
    ...omitted(rows.length - shownRows, "fields"),
  ];
}

function omitted(count: number, what: string): string[] {
  if (count <= 0) return [];
  return [`  (${grouped(count)} more${what === "" ? "" : ` ${what}`}; see --json)`];
}
