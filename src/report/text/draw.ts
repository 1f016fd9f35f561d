// A document as lines for a terminal. Every text passes `neutralise` in layout.ts.

import { countedMore } from "../../base/text/counted.ts";
import { withShortBytes } from "../../base/text/found-by-form.ts";
import { grouped } from "../../base/text/grouped.ts";
import { neutralise } from "../../base/text/neutralise.ts";
import type { Alignment } from "../../model/what-if.ts";
import { callSignatureInWords, hasFailed } from "../document/calls.ts";
import { groupInWords } from "../document/caveat-groups.ts";
import {
  type Block,
  type Detail,
  type Excerpt,
  type Head,
  type Item,
  type Items,
  only,
  type ReportDocument,
  type Row,
  type Rows,
  rowInWords,
  type Section,
  type Sentence,
  type Table,
  type Tone,
} from "../document/document.ts";
import { drawCallTree, omitted, type TreeDrawing } from "./call-tree.ts";
import { atWidth, commandLine, pairs, table, wrap } from "./layout.ts";
import { openStyle } from "./style.ts";

export interface TextOptions {
  readonly color: boolean;
  /** The terminal's width; absent or 0 where there is none, or none that knows its width. */
  readonly columns?: number | undefined;
  /** Only what one screen has room for. */
  readonly brief?: boolean;
  /** Lists in full. */
  readonly verbose?: boolean;
  /** What calls did between their calls. */
  readonly trace?: boolean;
  /** The host's messages about that, every comparison, and the provenance of each input. */
  readonly messages?: boolean;
  /** The host calls of each call, if they were recorded. */
  readonly hostCalls?: boolean;
  /** Names of the sections that alone are shown, in full. */
  readonly show?: readonly string[] | undefined;
}

const INDENT = 2;
const DEEPEST_INDENT = 24;
/** A report is read by people. Further rows are only in --json. */
const SHOWN_ROWS = 30;
const BRIEF_ROWS = 4;
/** `before` and `after` are in a column, also where one of them is alone. */
const LEAST_LABEL = 6;
const MARKS: Readonly<Record<Alignment, string>> = {
  same: "  ",
  different: "~ ",
  gone: "- ",
  new: "+ ",
};

const LEGEND = "+ only with the overrides, - only without them, ~ different";

interface Drawing extends TreeDrawing {
  readonly isBrief: boolean;
  readonly verbose: boolean;
}

/** Lines as wide as the terminal, with a newline at the end. */
export function drawText(document: ReportDocument, options: TextOptions): string {
  return drawExcerpt(excerptOf(document, options), options);
}

/** As much of the document as the options want. */
export function excerptOf(document: ReportDocument, options: TextOptions): Excerpt {
  const { brief, trace, messages, hostCalls, show } = options;
  const details = new Set<Detail>(["terminal"]);
  if (brief !== true) details.add("full");
  if (trace === true) details.add("trace");
  if (messages === true) details.add("messages").add("verbose");
  if (hostCalls === true) details.add("host-calls");
  return only(document, details, show);
}

export function drawExcerpt({ head, sections }: ReportDocument, options: TextOptions): string {
  const { color, brief: isBrief = false, verbose = false, show = [] } = options;
  const { messages = false, hostCalls = false } = options;
  const inFull = show.length > 0;
  const trace = inFull || options.trace === true;
  const values = hostCalls ? "all" : messages || inFull ? "many" : "few";
  const whole = verbose || inFull;
  const drawing: Drawing = { style: openStyle(color), isBrief, verbose: whole, trace, values };
  const parts = atWidth(options.columns, () => [
    head === null ? [] : drawHead(head, drawing),
    ...sections.map((section) => drawSection(section, drawing)),
  ]);
  return `${parts.flatMap((lines) => (lines.length === 0 ? [] : [lines.join("\n")])).join("\n\n")}\n`;
}

function painter({ style }: Drawing, tone: Tone = "plain"): (line: string) => string {
  return tone === "plain" ? (line) => line : style[tone];
}

function drawHead({ headline, tone, verdict, body }: Head, drawing: Drawing): string[] {
  const lines = wrap(headline).map(painter(drawing, tone));
  lines.push(...body.flatMap((block) => drawBlock(block, 0, drawing)));
  if (verdict === undefined || verdict.last === true) return lines;
  const label = verdict.kind === null ? "No verdict:" : `Verdict: ${verdict.kind}.`;
  return [...lines, ...wrap(`${label} ${verdict.sentence}`).map(painter(drawing, verdict.tone))];
}

function drawSection({ title, badge, body }: Section, drawing: Drawing): string[] {
  const lines = body.flatMap((block) => drawBlock(block, title === null ? 0 : INDENT, drawing));
  if (lines.length === 0 || title === null) return lines;
  const { heading } = drawing.style;
  return [heading(neutralise(badge === undefined ? title : `${title} (${badge})`)), ...lines];
}

function drawBlock(block: Block, indent: number, drawing: Drawing): string[] {
  switch (block.kind) {
    case "sentence":
      return drawSentence(block, " ".repeat(indent), drawing);
    case "rows":
      return drawRows(block, drawing);
    case "table":
      return drawTable(block, drawing);
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
    case "stack": {
      const { title, parts, unit, note } = block;
      const whole = grouped(parts.reduce((sum, { amount }) => sum + amount, 0n));
      const sum = parts.map(({ name, amount }) => `${grouped(amount)} ${name}`).join(" + ");
      const also = note === undefined ? "" : ` (${note})`;
      return wrap(`${title}: ${whole} ${unit}${also} = ${sum}`, " ".repeat(indent), 2 * INDENT);
    }
  }
}

function drawSentence(sentence: Sentence, margin: string, drawing: Drawing): string[] {
  const { label, hangs, apart, tone } = sentence;
  const text = drawing.isBrief ? withShortBytes(sentence.text) : sentence.text;
  const first = label === undefined ? margin : `${margin}${neutralise(label)}: `;
  const lines = wrap(text, first, hangs === true ? margin.length + INDENT : first.length);
  return [...(apart === true ? [""] : []), ...lines.map(painter(drawing, tone))];
}

function drawRows({ layout, rows, noun, inner, ...limits }: Rows, drawing: Drawing): string[] {
  const { most = rows.length, flag } = limitOf(limits, drawing);
  const shown = rows.slice(0, most);
  const more = omitted(rows.length - most, noun, flag);
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

/** How many are drawn, all if undefined, and what has the others. */
function limitOf(
  { brief, most }: { readonly brief?: number; readonly most?: number },
  { isBrief }: Drawing,
) {
  if (isBrief && brief !== undefined) return { most: brief, flag: "-v" };
  return { ...(most !== undefined && { most }), flag: "--json" };
}

function drawTable(
  { headings, leads, rows, failed = [], noun, ...limits }: Table,
  drawing: Drawing,
): string[] {
  const { most = rows.length, flag } = limitOf(limits, drawing);
  const texts = rows
    .slice(0, most)
    .map((row) => row.map((cell) => (typeof cell === "string" ? cell : (cell?.text ?? null))));
  const more = omitted(rows.length - most, noun, flag);
  if (leads === undefined) {
    const cells = texts.map((row) => row.map((cell) => cell ?? "-"));
    const marked = new Set(failed.map((index) => index + 1));
    return [...table([headings, ...cells], marked, drawing.style.bad), ...more];
  }
  const hang = leads[headings[0] ?? ""] === undefined ? 4 : 6;
  const lines = texts.flatMap((row) => wrap(rowInWords(row, headings, leads), "  ", hang));
  return [...lines, ...more];
}

/** Of sentences without a name for them, the first ones are enough. */
function drawList({ items, mostSubjects, noun, ...limits }: Items, drawing: Drawing): string[] {
  const all = Number.POSITIVE_INFINITY;
  const { most = all } = limitOf(limits, drawing);
  const [shown, subjects] = drawing.verbose ? [all, all] : [most, mostSubjects ?? all];
  const lines = items.slice(0, shown).flatMap((item) => {
    const text = groupInWords(
      { text: textOf(item, drawing), subjects: item.subjects ?? [] },
      subjects,
    );
    return wrap(text, "  - ").map(painter(drawing, item.tone));
  });
  const more = items.length - shown;
  if (noun === undefined) return lines;
  if (more > 0) lines.push(...wrap(`and ${countedMore(more, noun)}`, "  - "));
  // The last line of a short report says where the rest is.
  if (drawing.isBrief) return lines;
  const isCut = more > 0 || items.some((item) => (item.subjects?.length ?? 0) > subjects);
  return isCut ? [...lines, "  (use -v or --json to show all of them)"] : lines;
}

function textOf({ text }: Item, { isBrief }: Drawing): string {
  const words = typeof text === "string" ? text : callSignatureInWords(text);
  return isBrief ? withShortBytes(words) : words;
}

function drawTree(tree: Items, drawing: Drawing): string[] {
  const { items, noun } = tree;
  const { most = Number.POSITIVE_INFINITY, flag } = limitOf(tree, drawing);
  const isAligned = items.some(({ alignment }) => alignment !== undefined);
  // Each of its items with all its fields, which the calls of a report do without.
  const isItems = isAligned || tree.whole === true;
  const isCall = ({ role }: Item) => role === "call";
  if (!isItems && items.some(isCall)) return drawCallTree(tree, drawing, { most, section: flag });
  // What an authorization allows is shown in full.
  const whole = { ...drawing, trace: false, values: "all" } as const;
  if (!isItems && items.some(({ below = [] }) => below.some(isCall)))
    return drawCallTree(tree, whole, { most, section: flag });
  const lines = isAligned ? wrap(LEGEND, "  ").map(drawing.style.faint) : [];
  let left = most;
  let omittedItems = tree.omitted ?? 0;
  const visit = (item: Item, depth: number) => {
    left -= 1;
    if (left < 0) omittedItems += 1;
    else lines.push(...drawItem(item, depth, tree, drawing));
    for (const below of item.below ?? []) visit(below, depth + 1);
  };
  for (const item of items) visit(item, tree.inner === true ? 2 : 1);
  return [...lines, ...omitted(omittedItems, noun, flag)];
}

function drawItem(item: Item, depth: number, tree: Items, drawing: Drawing): string[] {
  const { badgeColumns } = tree;
  const { isBrief } = drawing;
  const { most, flag } = limitOf(tree, drawing);
  const { role, alignment, badge, before, where, cost, notes = [], rows = [] } = item;
  const indent = " ".repeat(Math.min(depth * INDENT, DEEPEST_INDENT));
  const mark = alignment === undefined ? "" : MARKS[alignment];
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
  const faint = painter(drawing, "faint");
  const width = Math.max(LEAST_LABEL, ...rows.map(({ label }) => label.length));
  // Where nothing is to be cut, no row is.
  const mostRows = isBrief ? BRIEF_ROWS : SHOWN_ROWS;
  const shownRows = most === undefined ? rows.length : mostRows;
  const rowLines = rows.slice(0, shownRows).flatMap(({ label, values, tone }) => {
    const [value = "", ...after] = values;
    const lines =
      after.length === 0
        ? pairs([[label.padEnd(width), value]], inner.length)
        : wrap(`${label}: ${values.join(" -> ")}`, inner, inner.length + 2);
    return lines.map(painter(drawing, tone));
  });
  return [
    ...wrap(textOf(item, drawing), first, hang).map(
      painter(drawing, hasFailed(item) ? "bad" : item.tone),
    ),
    ...(before === undefined ? [] : wrap(`was ${before}`, inner).map(faint)),
    ...(where === undefined ? [] : wrap(where.name, `${inner}${where.lead} `)),
    ...(cost === undefined || isBrief ? [] : wrap(cost, inner).map(faint)),
    ...notes.flatMap(({ text, isCommand, lead, tone }) => {
      const margin = lead === undefined ? inner : `${inner}${lead} `;
      const lines = isCommand === true ? [commandLine(text, margin)] : wrap(text, margin);
      return lines.map(painter(drawing, tone));
    }),
    ...rowLines,
    ...omitted(rows.length - shownRows, ["field", "fields"], flag),
  ];
}
