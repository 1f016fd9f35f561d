// The markup of pages. Every text in a template is neutralised and escaped here. Text from the
// chain cannot become markup, and cannot hide or reorder what a person reads.

import { html as escaped, raw } from "hono/html";
import { codePieces } from "../../base/text/code-marks.ts";
import { countedMore, type Noun } from "../../base/text/counted.ts";
import { byShortAddresses } from "../../base/text/found-by-form.ts";
import { jsonDocument } from "../../base/text/json-document.ts";
import { neutralise } from "../../base/text/neutralise.ts";
import type { Copyable, Link } from "../document/document.ts";

/** Finished markup. */
export type Markup = ReturnType<typeof raw>;
type TemplateValue = string | number | null | false | undefined | Markup | readonly TemplateValue[];

/** A template. Its attributes must be in double quotes. */
export function html(strings: TemplateStringsArray, ...values: readonly TemplateValue[]): Markup {
  return escaped(strings, ...values.map(safe)) as Markup;
}

/** Finished markup is an object, and a text is not. */
function safe(value: TemplateValue): unknown {
  if (typeof value === "string") return neutralise(value);
  return Array.isArray(value) ? value.map(safe) : value;
}

/** Data for a script. Without `<` it cannot contain the end of the element, or a comment. */
export function embeddedJson(value: unknown): Markup {
  return raw(jsonDocument(value, undefined, 0).trimEnd().replaceAll("<", "\\u003c"));
}

/** svc's own code, which is known when svc is built. */
export function ownCode(code: string): Markup {
  return raw(code);
}

/** The part of a page that is about one transaction. */
export interface Place {
  /** The beginning of the id of every element. */
  readonly prefix: string;
  /** The level of the heading with the outcome: 1, or 2 in a list of transactions. */
  readonly level: 1 | 2;
}

export function headingMarkup(title: string | Markup, level: number): Markup {
  if (level === 1) return html`<h1>${title}</h1>`;
  if (level === 2) return html`<h2>${title}</h2>`;
  return level === 3 ? html`<h3>${title}</h3>` : html`<h4>${title}</h4>`;
}

/** A text with a button that copies it. The button appears if there is a script. */
export function copyable(
  label: string,
  text: string,
  id: string,
  openers: Copyable["openers"] = [],
): Markup {
  // A site gets a tab of its own, so that this page stays; a wallet has none.
  const links = openers.map(({ words, url }) =>
    url.startsWith("https:")
      ? html` <a href="${url}" target="_blank" rel="noreferrer">${words}</a>`
      : html` <a href="${url}">${words}</a>`,
  );
  return html`<div class="copyable"><p><span>${prose(label)}</span> ${copyButton(id, label)}${links}</p>
<pre id="${id}" tabindex="0" role="group" aria-label="${label}">${text}</pre></div>`;
}

/** `id` is the id of the element whose text is copied. */
export function copyButton(id: string, label: string): Markup {
  return html`<button type="button" data-copy="${id}" aria-label="Copy: ${label}" hidden
>Copy</button>`;
}

export function definitions(rows: readonly (readonly [string, string | Markup])[]): Markup {
  return html`<dl class="facts">${rows.map(
    ([name, value]) => html`<div><dt>${name}</dt><dd>${prose(value)}</dd></div>`,
  )}</dl>`;
}

/** The text in the cell of a number that does not exist. */
export const NO_VALUE = "—";

/** On narrow screens each row is a block. The roles keep it a table for screen readers. */
export function tableMarkup(
  label: string,
  head: readonly string[],
  rows: readonly (readonly (string | Markup)[])[],
  kind = "",
  failed: readonly number[] = [],
): Markup {
  return html`<div class="wide" tabindex="0" role="group" aria-label="${label}">
<table class="${kind}" role="table"><thead role="rowgroup"><tr role="row">${head.map(
    (cell) => html`<th role="columnheader" scope="col">${cell}</th>`,
  )}</tr></thead>
<tbody role="rowgroup">${rows.map(
    (
      [first = "", ...cells],
      row,
    ) => html`<tr role="row" class="${failed.includes(row) && "bad"}"><th role="rowheader" scope="row">${prose(first)}</th>
${cells.map(
  (cell, index) => html`<td role="cell" class="${cell === NO_VALUE && "nothing"}"
data-head="${head[index + 1] ?? ""}"><div>${prose(cell)}</div></td>`,
)}</tr>`,
  )}</tbody></table></div>`;
}

/** A sentence. Commands become code, and short addresses stay on one line. */
export function prose(text: string | Markup): Markup {
  if (typeof text !== "string") return text;
  const parts = codePieces(text).flatMap((piece) =>
    piece.isCode ? html`<code>${piece.text}</code>` : onOneLine(piece.text),
  );
  return html`${parts}`;
}

function onOneLine(text: string): (string | Markup)[] {
  return byShortAddresses(text).map((piece) =>
    piece.isAddress ? html`<span class="address">${piece.text}</span>` : piece.text,
  );
}

/** A sentence with links from words to the origins of their values, in their order. */
export function linkedProse(text: string, links: readonly Link[], place: Place): Markup {
  let end = 0;
  const drawn = links.flatMap(({ words, at, to }) => {
    // Words within other linked words lead where those lead.
    if (at < end) return [];
    const before = text.slice(end, at);
    end = at + words.length;
    return html`${prose(before)}<a class="origin" href="#${place.prefix}${to}">${prose(words)}</a>`;
  });
  return html`${drawn}${prose(text.slice(end))}`;
}

/** Shows the first rows. The report in the page has all of them. */
export function limited<Row>(
  rows: readonly Row[],
  most: number,
  noun: Noun,
  draw: (row: Row) => Markup,
): Markup {
  const more = rows.length - most;
  const moreMarkup =
    more > 0 && html`<p class="soft">In the JSON report: ${countedMore(more, noun)}.</p>`;
  return html`${rows.slice(0, most).map(draw)}${moreMarkup}`;
}

/** A bar without an inline style, which the page's policy forbids. Shares are parts of 1. */
export function bar(parts: readonly { readonly share: number; readonly kind: string }[]): Markup {
  let begin = 0;
  const drawn = parts.map(({ share, kind }) => {
    const x = begin;
    begin = Math.min(1, begin + share);
    return html`<rect class="${kind}" x="${percent(x)}" width="${percent(begin - x)}" height="8"/>`;
  });
  return html`<svg class="bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true"
><rect class="track" width="100" height="8"/>${drawn}</svg>`;
}

function percent(share: number): string {
  return (100 * Math.max(0, share)).toFixed(2);
}
