// The tabs: sections of the document as outlines. A tab is one row here. The code in document/
// decides what it says.

import { withShortAddresses } from "../../base/text/found-by-form.ts";
import { grouped } from "../../base/text/grouped.ts";
import { cutVisibly } from "../../base/text/neutralise.ts";
import type { Investigation } from "../../model/investigation.ts";
import { calledInWords } from "../document/calls.ts";
import { ABSENT } from "../document/changes.ts";
import {
  type Block,
  type Head,
  type Item,
  type Link,
  type Detail as NodeDetail,
  only,
  type ReportDocument,
  type Row,
  rowInWords,
  type Section,
  type Sentence,
  type Signature,
  type Stack,
  type Table,
  type Tone,
} from "../document/document.ts";
import { investigationDocument } from "../document/investigation.ts";
import {
  type Branch,
  type DetailLine,
  flatten,
  type Outline,
  type OutlineNode,
} from "./outline.ts";
import type { Headline, Tab } from "./state.ts";

const DETAILS = new Set<NodeDetail>([
  "terminal",
  "full",
  "verbose",
  "trace",
  "messages",
  "host-calls",
  "costs",
  "values",
]);
/** The limits of a label. The terminal's edge would cut longer ones anyway. */
const LONGEST_VALUE = 160;
const LONGEST_LABEL = 400;
const BADGE_COLUMNS = 8;

interface TabPlan {
  readonly name: string;
  /** The sections of the tab. A tab with a single section shows no section title. */
  readonly sections: readonly string[];
  /** The sections that are shown, without headings, if those of `sections` are empty. */
  readonly otherwise?: readonly string[];
  readonly headings?: readonly string[];
  readonly hasHead?: true;
  /** The minimum columns of the labels, if there are cells. */
  readonly leastLabelColumns?: number;
}

/** The tabs in the order of the keys 1, 2, … */
const TABS: readonly TabPlan[] = [
  {
    name: "Summary",
    hasHead: true,
    sections: [
      "cause",
      "remedy",
      "fix",
      "next",
      "tokens",
      "difference",
      "caveats",
      "failed-runs",
      "verdict",
      "transaction",
      "comparisons",
      "inputs",
    ],
  },
  {
    name: "Calls",
    sections: ["calls"],
    otherwise: ["diagnostic-calls", "envelope-calls"],
    headings: ["instructions", "share", "bytes"],
    leastLabelColumns: 56,
  },
  { name: "State", sections: ["changes"] },
  { name: "Events", sections: ["events"] },
  { name: "Auth", sections: ["authorization"] },
  {
    name: "Resources",
    sections: ["resources", "fees", "costs"],
    headings: ["used", "declared", "limit", "share"],
    leastLabelColumns: 30,
  },
];

export function shownOf(investigation: Investigation) {
  const document = only(investigationDocument(investigation, true), DETAILS);
  const { headline: text = "", verdict, tone } = document.head ?? {};
  const headline: Headline = {
    text,
    verdict: verdict?.kind ? `Verdict: ${verdict.kind}` : "Not replayed",
    success: tone === "good",
    hash: investigation.record.hash,
  };
  return { headline, tabs: tabsOf(document) };
}

export function tabsOf(document: ReportDocument): Tab[] {
  return TABS.map((plan) => {
    const outline = outlineOf(plan, document);
    return { name: plan.name, outline, failure: failureIn(outline, plan.hasHead === true) };
  });
}

/**
 * Finds the first failure that contains no other one; in a summary it is the cause. A failure that
 * a caller caught counts only if there is no other. Returns null if nothing failed.
 */
function failureIn({ nodes }: Outline, isSummary: boolean): number | null {
  const isFailed = ({ failed, host, depth }: OutlineNode) =>
    failed === true && host !== true && (!isSummary || depth === 0);
  const isCaught = ({ parent }: OutlineNode): boolean => {
    const above = nodes[parent];
    return above !== undefined && ((above.call === true && !isFailed(above)) || isCaught(above));
  };
  const failed = nodes.filter(isFailed);
  const uncaught = failed.filter((node) => !isCaught(node));
  const all = uncaught.length > 0 ? uncaught : failed;
  const failure = all.find(({ order, end }) => !all.some((n) => n.order > order && n.order < end));
  return failure?.order ?? null;
}

function outlineOf(plan: TabPlan, document: ReportDocument): Outline {
  const { head, sections } = document;
  const { name, headings = [], otherwise = [] } = plan;
  const has = (ids: readonly string[]) =>
    sections.some(({ id, body }) => ids.includes(id) && body.length > 0);
  if (!has(plan.sections) && has(otherwise))
    return outlineOf({ name, sections: otherwise }, document);
  const of = plan.sections.flatMap((id) => sections.filter((section) => section.id === id));
  const full = of.filter(({ body }) => body.length > 0);
  const alone = plan.hasHead === true || full.length > 1 ? undefined : (full[0] ?? of[0]);
  const groups = [
    ...(plan.hasHead && head !== null ? headBranches(head) : []),
    ...full.map((section) => groupOf(section, headings)),
  ];
  const nodes = flatten(alone === undefined ? groups : branchesOf(alone.body, headings));
  return {
    title: alone?.title ?? name,
    headings,
    nodes,
    hosts: nodes.filter(({ host }) => host === true).length,
    leastLabelColumns: plan.leastLabelColumns ?? 0,
    emptyText: alone?.empty ?? "",
  };
}

function headBranches({ headline, tone, verdict, body }: Head): Branch[] {
  const first = [line(headline, tone), ...branchesOf(body)];
  if (verdict === undefined || verdict.last === true) return first;
  const label = verdict.kind === null ? "No verdict:" : `Verdict: ${verdict.kind}.`;
  return [...first, line(`${label} ${verdict.sentence}`, verdict.tone)];
}

/** A section that begins with a sentence becomes one line with it. */
function groupOf({ id, title, badge, body }: Section, headings: readonly string[]): Branch {
  const [first, ...others] = body;
  if (first?.kind !== "sentence" || first.label !== undefined)
    return { ...line(title ?? "", "heading"), id, below: branchesOf(body, headings) };
  const { links = [] } = first;
  const below = [...links.map(linkBranch), ...branchesOf(others, headings)];
  const lead = title === null ? "" : `${title}${badge === undefined ? "" : ` (${badge})`}: `;
  const tone = first.tone === "good" || first.tone === "alert" ? first.tone : "heading";
  const to = links[0]?.to;
  return { ...line(`${lead}${first.text}`, tone), failed: id === "cause", to, below };
}

function branchesOf(blocks: readonly Block[], headings: readonly string[] = []): Branch[] {
  return blocks.flatMap((block) => {
    switch (block.kind) {
      case "sentence":
        return [sentenceBranch(block)];
      case "rows":
        return block.rows.map(rowBranch);
      case "table":
        return tableBranches(block, headings);
      case "items":
        return block.items.map((item) => itemBranch(item, block.badgeColumns));
      case "columns":
        return block.columns.flatMap(({ body }) => branchesOf(body, headings));
      case "stack":
        return [stackBranch(block)];
      default:
        return [];
    }
  });
}

function line(text: string, tone: Tone = "plain"): Branch {
  return { label: short(text), tone, details: () => [{ name: text, text: "" }] };
}

function sentenceBranch({ text, label, tone }: Sentence): Branch {
  return { ...line(label ? `${label}: ${text}` : text, tone), failed: tone === "bad" };
}

function rowBranch({ label, values, unit, amount, depth = 0 }: Row): Branch {
  const text = values.join(" -> ");
  const details = () => [{ name: label, text: unit === undefined ? text : `${text} ${unit}` }];
  if (unit !== undefined)
    return { label: `${"  ".repeat(depth)}${label}`, cells: [text], cost: amount, details };
  return { label: short(label === "" ? text : `${label}: ${text}`), details };
}

function stackBranch({ title, parts, unit }: Stack): Branch {
  const whole = parts.reduce((sum, { amount }) => sum + amount, 0n);
  const row = (label: string, amount: bigint) =>
    rowBranch({ label, values: [grouped(amount)], amount, unit });
  return { ...row(title, whole), below: parts.map(({ name, amount }) => row(name, amount)) };
}

/** A table with other columns than the tab's has one cell. The details have the rest. */
function tableBranches(table: Table, headings: readonly string[]): Branch[] {
  const { leads } = table;
  return table.rows.map((row, index) => {
    const texts = row.map((cell) => (typeof cell === "string" ? cell : (cell?.text ?? null)));
    if (leads !== undefined) return line(rowInWords(texts, table.headings, leads));
    const [name = "", ...cells] = texts.map((text) => text ?? "-");
    const details = cells.map((text, i) => ({ name: table.headings[i + 1] ?? "", text }));
    return {
      label: name,
      failed: table.failed?.includes(index) === true,
      cells: cells.length === headings.length ? cells : cells.slice(0, 1),
      cost: table.amounts?.[index],
      details: () => [{ name, text: "" }, ...details],
    };
  });
}

function itemBranch(item: Item, badgeColumns = BADGE_COLUMNS): Branch {
  const {
    text,
    role,
    badge,
    tone,
    subjects = [],
    below = [],
    where,
    cells,
    links = [],
    amount,
  } = item;
  if (role === "step") return { ...stepBranch(item), host: isOfHost(item) };
  const isFailed = badge === "different" || (typeof text !== "string" && text.result === null);
  const label = typeof text === "string" ? short(text) : signatureLabel(text, where?.name);
  return {
    label: badge ? `${badge.padEnd(badgeColumns)}  ${label}${valuesLabel(item)}` : label,
    tone: role === undefined ? tone : undefined,
    failed: item.failed ?? isFailed,
    call: role === "call" && where !== undefined,
    host: isOfHost(item),
    cells,
    cost: amount,
    id: item.id,
    to: links[0]?.to,
    details: () => itemDetails(item),
    below: [...links.map(linkBranch), ...subjects.map((each) => line(each)), ...nested(below)],
  };
}

function isOfHost({ detail }: Item): boolean {
  return detail === "host-calls" || detail === "messages";
}

/** Host calls that the host made itself are below the call that the contract made. */
function nested(items: readonly Item[]): Branch[] {
  const roots: Branch[] = [];
  const around: { readonly depth: number; readonly below: Branch[] }[] = [];
  for (const item of items) {
    const below: Branch[] = [];
    const { depth = 0, role } = item;
    if (role !== "host-call") {
      roots.push(itemBranch(item));
      continue;
    }
    while (around.length > 0 && (around.at(-1)?.depth ?? 0) >= depth) around.pop();
    (around.at(-1)?.below ?? roots).push({ ...itemBranch(item), below });
    around.push({ depth, below });
  }
  return roots;
}

function linkBranch({ words, to }: Link): Branch {
  const details = () => [
    { name: words, text: "" },
    { name: "o", text: "goes to where it came from" },
  ];
  return { ...line(words), to, details };
}

function stepBranch(item: Item): Branch {
  const { badge, text, values = [], outcome, times = 1, tone = "plain" } = item;
  const label = typeof text === "string" ? short(text) : signatureLabel(text, undefined);
  const cuts = values.map(shortValue);
  const shown = [label, cuts.join(" -> "), outcome ?? ""].filter((part) => part !== "");
  const often = times === 1 ? "" : ` (${times} times)`;
  return {
    label: `${badge === undefined ? "" : `${badge} `}${shown.join(": ")}${often}`,
    tone,
    id: item.id,
    details: () => [
      ...itemDetails(item),
      ...values.map((value, i) => ({
        name: VALUE_NAMES[values.length - 1]?.[i] ?? "",
        text: value,
      })),
    ],
  };
}

const VALUE_NAMES = [["value"], ["before", "after"]];

/** Shows the values before and after, as far as a line has room. */
function valuesLabel({ rows = [] }: Item): string {
  const values = ["before", "after"].flatMap(
    (name) => rows.findLast(({ label }) => label === name)?.values ?? [],
  );
  const known = values.filter((value) => value !== ABSENT);
  if (known.length === 0) return "";
  return `: ${known.map(shortValue).join(" -> ")}`;
}

function signatureLabel(
  { name, values, result, error }: Signature,
  where: string | undefined,
): string {
  const shortened = values.map((each) => ({ ...each, value: shortValue(each.value) }));
  const ended = result
    ? ` -> ${shortValue(result)}`
    : error === undefined
      ? ""
      : `: ${shortValue(error)}`;
  const shown = `${calledInWords({ name, values: shortened })}${ended}`;
  return withShortAddresses(where === undefined ? shown : `${where} ${shown}`);
}

/** Returns the name of the property that an item's badge shows. */
function badgeName(role: Item["role"], rows: readonly Row[]): string {
  if (role === "step") return "kind";
  return rows.some(({ label }) => label === "before" || label === "after") ? "change" : "result";
}

function itemDetails({
  text,
  role,
  badge,
  tone = "plain",
  where,
  rows = [],
  notes = [],
}: Item): DetailLine[] {
  const { name, values, result, error } =
    typeof text === "string" ? { name: text, values: [] } : text;
  const passed = values.map((each, i): DetailLine => {
    return { name: each.name ?? `argument ${i + 1}`, text: each.value };
  });
  const failed: DetailLine = { name: "result", text: error ?? "failed", tone: "bad" };
  const details: (DetailLine | undefined)[] = [
    typeof text === "string" ? { name, text: "" } : { name: "function", text: name },
    where && { name: where.lead === "in" ? "contract" : where.lead, text: where.name },
    ...passed,
    result === null ? failed : result === undefined ? result : { name: "result", text: result },
    badge === undefined ? undefined : { name: badgeName(role, rows), text: badge, tone },
    ...notes.map((note) =>
      note.lead ? { name: note.lead.trim(), text: note.text } : { name: note.text, text: "" },
    ),
    ...rows.map((row) => ({ name: row.label, text: row.values.join(" -> ") })),
  ];
  return details.filter((each) => each !== undefined);
}

function short(text: string): string {
  return cutVisibly(withShortAddresses(text), LONGEST_LABEL);
}

function shortValue(value: string): string {
  return cutVisibly(withShortAddresses(value), LONGEST_VALUE);
}
