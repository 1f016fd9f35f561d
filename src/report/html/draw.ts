// Draws a document as markup: sections of sentences, rows, tables and items.

import type { Noun } from "../../base/text/counted.ts";
import { grouped } from "../../base/text/grouped.ts";
import {
  type Block,
  type Cell,
  type Columns,
  type Detail,
  type Item,
  type Items,
  type Note,
  only,
  type ReportDocument,
  type Row,
  type Rows,
  type Section,
  type Stack,
  type Table,
  type Tone,
} from "../document/document.ts";
import { shareOf } from "../document/numbers.ts";
import { alignmentBadge, callTree, rowsOfCalls, signatureMarkup } from "./calls.ts";
import {
  bar,
  copyable,
  definitions,
  headingMarkup,
  html,
  limited,
  linkedProse,
  type Markup,
  NO_VALUE,
  type Place,
  prose,
  tableMarkup,
} from "./markup.ts";

const PAGE: ReadonlySet<Detail> = new Set([
  "full",
  "verbose",
  "trace",
  "host-calls",
  "costs",
  "page",
]);
/** A page with more of them is slow. The JSON report has all. */
const MOST_SHOWN = 2000;
/** Up to this number, the subjects of a sentence are open at first. */
const OPEN_SUBJECTS = 5;
const CLASSES: Readonly<Record<Tone, string>> = {
  plain: "",
  heading: "",
  faint: "soft",
  good: "good",
  bad: "bad",
  alert: "bad",
  caution: "caution",
};

/** Returns the document with the parts that a page has room for, and without empty sections. */
export function pageDocument(document: ReportDocument): ReportDocument {
  const { head, sections } = only(document, PAGE);
  return { head, sections: sections.filter(({ body }) => body.length > 0) };
}

/** Draws a part of the page's top: the cause, and what to do. */
export function answerMarkup({ id, title, badge, body }: Section, place: Place): Markup {
  const [first, ...others] = body;
  const lead =
    first?.kind === "sentence" &&
    html`<p class="lead">${linkedProse(first.text, first.links ?? [], place)}</p>`;
  const mark = badge !== undefined && html` <span class="badge good">${badge}</span>`;
  const kind = badge === undefined ? id : `${id} proven`;
  return html`<div class="${kind}">${title !== null && headingMarkup(html`${title}${mark}`, place.level + 1)}
${lead}${(lead === false ? body : others).map((block) => blockMarkup(block, place))}</div>`;
}

export function sectionMarkup({ id, title, level, body }: Section, place: Place): Markup {
  const name = `${place.prefix}${id}`;
  const heading = headingMarkup(title ?? "", place.level + 1);
  const blocks = body.map((block) => blockMarkup(block, place));
  // The addresses on a page are short. The list of full ones is only for looking them up.
  if (level !== "evidence" && id !== "addresses")
    return html`<section id="${name}">${heading}${blocks}</section>`;
  return html`<section id="${name}" class="folded">
<details><summary>${heading}</summary>${blocks}</details></section>`;
}

export function blockMarkup(block: Block, place: Place): Markup {
  switch (block.kind) {
    case "sentence":
      return html`<p class="${CLASSES[block.tone ?? "plain"]}">${
        block.label !== undefined && html`<strong>${block.label}:</strong> `
      }${linkedProse(block.text, block.links ?? [], place)}</p>`;
    case "rows":
      return rowsMarkup(block);
    case "table":
      return drawnTable(block);
    case "items":
      return block.layout === "list" ? listMarkup(block, place) : itemsMarkup(block, place);
    case "columns":
      return columnsMarkup(block, place);
    case "stack":
      return stackMarkup(block);
    case "copyable":
      return copyable(block.title, block.text, `${place.prefix}${block.id}`, block.openers);
  }
}

function rowsMarkup({ layout, rows }: Rows): Markup {
  if (layout === "amounts") {
    const cells = rows.map(({ label, values }) => [label, ...values]);
    return tableMarkup("Fees", ["fee", rows[0]?.unit ?? ""], cells, "numbers narrow");
  }
  const first = rows.findIndex(({ beside }) => beside === true);
  const sides = rows.filter(({ beside }) => beside === true);
  const others = (some: readonly Row[]) =>
    some.length > 0 && definitions(some.map((row) => [row.label, valuesMarkup(row)]));
  if (first === -1) return html`${others(rows)}`;
  return html`${others(rows.slice(0, first))}${fieldsMarkup(sides)}${others(rows.slice(first + sides.length))}`;
}

function valuesMarkup({ values, note }: Row): Markup {
  const [first = "", ...after] = values.map((value) => prose(value));
  return html`${first}${after.map((value) => html` → ${value}`)}${
    note && html` <span class="soft">${prose(note)}</span>`
  }`;
}

function drawnTable({ title, headings, leads, rows, failed = [] }: Table): Markup {
  const head = headings.map((heading) => heading || title);
  const cells = rows.slice(0, MOST_SHOWN).map((row) => row.map(cellMarkup));
  return tableMarkup(title, head, cells, leads === undefined ? "numbers" : "tokens", failed);
}

function cellMarkup(cell: Cell): string | Markup {
  if (cell === null || typeof cell === "string") return cell ?? NO_VALUE;
  const kind = cell.share > 1 ? "over" : "within";
  return html`<span class="share">${bar([{ share: cell.share, kind }])}<span class="percent">${cell.text}</span></span>`;
}

/** Folds the items that only some readers want. */
function listMarkup({ items }: Items, place: Place): Markup {
  const main = items.filter(({ detail }) => detail === undefined);
  const others = items.filter(({ detail }) => detail !== undefined);
  const drawn = (list: readonly Item[]) =>
    html`<ul>${list.map((item) => listItem(item, place))}</ul>`;
  const folded =
    others.length > 0 && html`<details><summary>More evidence</summary>${drawn(others)}</details>`;
  return html`${main.length > 0 && drawn(main)}${folded}`;
}

function listItem({ text, links = [], subjects = [] }: Item, place: Place): Markup {
  const sentence =
    typeof text === "string" ? linkedProse(text, links, place) : signatureMarkup(text);
  if (subjects.length === 0) return html`<li>${sentence}</li>`;
  const list = html`<ul>${subjects.map((each) => html`<li>${prose(each)}</li>`)}</ul>`;
  if (subjects.length <= OPEN_SUBJECTS) return html`<li>${sentence}${list}</li>`;
  return html`<li><details><summary>${sentence}</summary>${list}</details></li>`;
}

const OF_THEM: Noun = ["of them", "of them"];

function itemsMarkup({ items, noun = OF_THEM, omitted = 0 }: Items, place: Place): Markup {
  if (items.some(({ role }) => role !== undefined)) return callTree(items, place);
  const left = omitted > 0 && html`<p class="soft">${grouped(omitted)} more are left out.</p>`;
  return html`${limited(items, MOST_SHOWN, noun, itemMarkup)}${left}`;
}

function itemMarkup(item: Item): Markup {
  const { text, badge, badgeTone, alignment, before, where, notes = [], rows = [], below } = item;
  const label =
    typeof text === "string"
      ? prose(text)
      : html`<span class="what">${signatureMarkup(text)}</span>`;
  return html`<div class="card"><p>${alignmentBadge(alignment)}${
    badge !== undefined &&
    html`<span class="badge ${badgeTone === undefined ? badge : CLASSES[badgeTone]}">${badge}</span> `
  }<span class="${CLASSES[item.tone ?? "plain"]}">${label}</span></p>
${before !== undefined && html`<p class="soft">was ${prose(before)}</p>`}
${where !== undefined && html`<p class="cost">${where.lead} ${prose(where.name)}</p>`}
${notes.map(noteMarkup)}
${rows.length > 0 && fieldsMarkup(rows)}
${below !== undefined && html`<ul class="tree">${rowsOfCalls(below)}</ul>`}</div>`;
}

function noteMarkup({ text, isCommand, tone = "plain" }: Note): Markup {
  const content = isCommand === true ? html`<code>${text}</code>` : prose(text);
  return html`<p class="${CLASSES[tone]}">${content}</p>`;
}

/** Draws the changed fields of something, or its values. */
function fieldsMarkup(rows: readonly Row[]): Markup {
  const values = rows.map((row) => [
    row.label,
    ...row.values.map((each) => html`<code class="value">${prose(each)}</code>`),
  ]);
  if (rows.some((row) => row.values.length > 1))
    return tableMarkup("Changed fields", ["field", "before", "after"], values, "fields");
  return html`<div class="beside">${values.map(
    ([label = "", value = ""]) => html`<div><p class="soft">${label}</p>${value}</div>`,
  )}</div>`;
}

function columnsMarkup({ columns }: Columns, place: Place): Markup {
  if (columns.length === 1)
    return html`${columns[0]?.body.map((each) => blockMarkup(each, place))}`;
  return html`<div class="beside">${columns.map(
    ({ title, body }) => html`<div>${headingMarkup(title, place.level + 2)}
${body.map((each) => blockMarkup(each, place))}</div>`,
  )}</div>`;
}

function stackMarkup({ title, parts, unit, note }: Stack): Markup {
  const whole = parts.reduce((sum, { amount }) => sum + amount, 0n);
  const kindOf = (name: string) => `part-${name.replaceAll(" ", "-")}`;
  const shares = parts.map(({ name, amount }) => ({
    share: shareOf(amount, whole),
    kind: kindOf(name),
  }));
  return html`<div class="stack"><p>${title}: <strong>${grouped(whole)}</strong> ${unit}${
    note !== undefined && ` (${note})`
  } =</p>
${bar(shares)}<ul>${parts.map(
    ({ name, amount }) => html`<li><svg class="chip ${kindOf(name)}" viewBox="0 0 8 8"
aria-hidden="true"><rect width="8" height="8" rx="2"/></svg>${name} ${grouped(amount)}</li>`,
  )}</ul></div>`;
}
