// The tabs: sections of the document as outlines. A tab is one row here; what it says is decided
// in document/.

import { grouped } from "../../base/text/grouped.ts";
import { cutNeutral } from "../../base/text/neutralise.ts";
import type { Investigation } from "../../model/investigation.ts";
import { inWords } from "../document/calls.ts";
import {
  type Block,
  type Item,
  type Metered,
  type Detail as NodeDetail,
  only,
  type ReportDocument,
  type Row,
  type Section,
  type Signature,
  type Table,
  type Tone,
} from "../document/document.ts";
import { investigationDocument } from "../document/investigation.ts";
import { percent } from "../document/numbers.ts";
import { type Branch, type Detail, flattenBranches, type Outline } from "./outline.ts";
import type { Headline, Tab } from "./state.ts";

const DETAILS = new Set<NodeDetail>(["verbose", "host-calls", "storage", "costs", "values"]);
/** Limits in a label: the terminal's edge would cut longer ones anyway. */
const LONGEST_VALUE = 160;
const LONGEST_LABEL = 400;
const BADGE_COLUMNS = 8;

interface TabPlan {
  readonly name: string;
  /** One of them alone has no title. */
  readonly sections: readonly string[];
  /** In place of `sections` where those are empty: without the headings. */
  readonly otherwise?: readonly string[];
  readonly headings?: readonly string[];
  /** Minimum columns of the labels, where there are cells. */
  readonly leastLabelColumns?: number;
}

/** In the order of the keys 1, 2, … */
const TABS: readonly TabPlan[] = [
  {
    name: "Calls",
    sections: ["calls"],
    otherwise: ["diagnostic-calls"],
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
  {
    name: "Verdict",
    sections: [
      "cause",
      "remedy",
      "fix",
      "difference",
      "caveats",
      "failed-runs",
      "comparisons",
      "transaction",
      "inputs",
    ],
  },
];

export interface Shown {
  readonly headline: Headline;
  readonly tabs: readonly Tab[];
}

export function shownOf(investigation: Investigation): Shown {
  const document = only(investigationDocument(investigation, true), DETAILS);
  const { head } = document;
  const kind = head?.verdict?.kind ?? null;
  return {
    headline: {
      text: head?.headline ?? "",
      verdict: kind === null ? "Not replayed" : `Verdict: ${kind}`,
      success: head?.tone === "good",
      hash: investigation.record.hash,
    },
    tabs: tabsOf(document),
  };
}

export function tabsOf(document: ReportDocument): Tab[] {
  return TABS.map((plan) => ({ name: plan.name, outline: outlineOf(plan, document) }));
}

function outlineOf(plan: TabPlan, document: ReportDocument): Outline {
  const { head, sections } = document;
  const { name, headings = [], otherwise = [] } = plan;
  const has = (ids: readonly string[]) =>
    sections.some(({ id, body }) => ids.includes(id) && body.length > 0);
  if (!has(plan.sections) && has(otherwise))
    return outlineOf({ name, sections: otherwise }, document);
  const of = plan.sections.flatMap((id) => sections.filter((section) => section.id === id));
  const alone = plan.sections.length === 1 ? of[0] : undefined;
  const groups = of
    .filter(({ body }) => body.length > 0)
    .map((section) => groupOf(section, headings));
  const top = name === "Verdict" && head !== null ? headBranches(head) : [];
  return {
    title: alone?.title ?? name,
    headings,
    nodes: flattenBranches(
      alone === undefined ? [...top, ...groups] : branchesOf(alone.body, headings),
    ),
    leastLabelColumns: plan.leastLabelColumns ?? 0,
    emptyText: alone?.empty ?? "",
  };
}

function headBranches({
  headline,
  tone,
  verdict,
  body,
}: NonNullable<ReportDocument["head"]>): Branch[] {
  const label = verdict?.kind == null ? "No verdict:" : `Verdict: ${verdict.kind}.`;
  const judged = line(`${label} ${verdict?.sentence ?? ""}`, verdict?.tone);
  return [line(headline, tone), { ...judged, below: branchesOf(body) }];
}

/** A section that begins with a sentence is one line with it. */
function groupOf({ id, title, body }: Section, headings: readonly string[]): Branch {
  const [first, ...others] = body;
  if (first?.kind !== "sentence" || first.label !== undefined)
    return { ...line(title ?? "", "heading"), below: branchesOf(body, headings) };
  const below = branchesOf(others, headings);
  return { ...line(`${title}: ${first.text}`, "heading"), failed: id === "cause", below };
}

/** Tables with other columns than `headings` have one cell, and all in their details. */
function branchesOf(blocks: readonly Block[], headings: readonly string[] = []): Branch[] {
  return blocks.flatMap((block) => {
    switch (block.kind) {
      case "sentence": {
        const { text, label, tone } = block;
        return [line(label === undefined ? text : `${label}: ${text}`, tone)];
      }
      case "rows":
        return block.rows.map(rowBranch);
      case "table":
        return tableBranches(block, headings);
      case "items":
        return block.items.map((item) => itemBranch(item, block.badgeColumns));
      case "columns":
        return block.columns.flatMap(({ body }) => branchesOf(body, headings));
      default:
        return [];
    }
  });
}

function line(text: string, tone: Tone = "plain"): Branch {
  return { label: short(text), tone, details: () => [{ name: text, text: "" }] };
}

function rowBranch({ label, values, unit, depth = 0 }: Row): Branch {
  const text = values.join(" -> ");
  const details = () => [{ name: label, text: unit === undefined ? text : `${text} ${unit}` }];
  if (unit !== undefined) return { label: `${"  ".repeat(depth)}${label}`, cells: [text], details };
  return { label: short(label === "" ? text : `${label}: ${text}`), details };
}

function tableBranches(table: Table, headings: readonly string[]): Branch[] {
  const { rows } = table;
  const textOf = (cell: Table["rows"][number][number]) =>
    typeof cell === "string" ? cell : (cell?.text ?? "-");
  return rows.map((row) => {
    const [name = "", ...cells] = row.map(textOf);
    const details = cells.map((text, i) => ({ name: table.headings[i + 1] ?? "", text }));
    const fits = cells.length === headings.length;
    return {
      label: name,
      cells: fits ? cells : cells.slice(0, 1),
      details: () => [{ name, text: "" }, ...details],
    };
  });
}

function itemBranch(item: Item, badgeColumns = BADGE_COLUMNS): Branch {
  const { text, badge, subjects = [], below = [], where, metered } = item;
  const failed =
    item.failed ?? (badge === "different" || (typeof text !== "string" && text.result === null));
  const label = typeof text === "string" ? short(text) : signatureLabel(text, where?.name);
  // The host calls that the host itself made are part of the one that the contract made.
  const inside = below.filter(({ depth = 0 }) => depth === 0);
  return {
    label:
      badge === undefined ? label : `${badge.padEnd(badgeColumns)}  ${label}${valuesLabel(item)}`,
    ...(item.tone !== undefined && item.role === undefined && { tone: item.tone }),
    failed,
    call: item.role === "call" && where !== undefined,
    ...(metered !== undefined && {
      cells: [
        grouped(metered.cpuInstructions),
        shareOf(BigInt(metered.cpuInstructions), metered),
        grouped(metered.memoryBytes),
      ],
    }),
    details: () => itemDetails(item),
    below: [...subjects.map((each) => line(each)), ...inside.map((each) => itemBranch(each))],
  };
}

/** Before and after, as far as a line has room. */
function valuesLabel({ rows = [], notes = [] }: Item): string {
  const values = ["before", "after"].flatMap((name) => {
    const row = rows.findLast(({ label }) => label === name);
    return row === undefined || row.values[0] === "(absent)" ? [] : row.values;
  });
  if (values.length === 0 || notes.length > 0) return "";
  return `: ${values.map((value) => cutNeutral(value, LONGEST_VALUE)).join(" -> ")}`;
}

function signatureLabel({ name, values, result }: Signature, where: string | undefined): string {
  const cut = (value: string) => cutNeutral(value, LONGEST_VALUE);
  const shown = inWords({
    name,
    values: values.map((each) => ({ ...each, value: cut(each.value) })),
    ...(typeof result === "string" && { result: cut(result) }),
  });
  return shortAddresses(where === undefined ? shown : `${where} ${shown}`);
}

function itemDetails(item: Item): Detail[] {
  const { text, badge, where, rows = [], notes = [] } = item;
  const [first, ...values] =
    typeof text === "string" ? [{ name: text, text: "" }] : signatureDetails(text);
  const place = where && { name: where.lead === "in" ? "contract" : where.lead, text: where.name };
  return [
    ...(first === undefined ? [] : [first]),
    ...(place === undefined ? [] : [place]),
    ...values,
    ...(badge === undefined ? [] : [{ name: "result", text: badge, tone: item.tone ?? "plain" }]),
    ...notes.map(({ lead, text }) =>
      lead === undefined ? { name: text, text: "" } : { name: lead.trim(), text },
    ),
    ...rows.map(({ label, values }) => ({ name: label, text: values.join(" -> ") })),
    ...meteredDetails(item),
  ];
}

function signatureDetails({ name, values, result }: Signature): Detail[] {
  const given = values.map((each, i) => ({
    name: each.name ?? `argument ${i + 1}`,
    text: each.value,
  }));
  const failed: Detail = { name: "result", text: "failed", tone: "bad" };
  const ended = result === null ? [failed] : [{ name: "result", text: result ?? "" }];
  return [{ name: "function", text: name }, ...given, ...(result === undefined ? [] : ended)];
}

/** The cost of a frame that is not drawn is part of the self cost of the one around it. */
function meteredDetails({ metered, below = [] }: Item): Detail[] {
  if (metered === undefined) return [];
  const rest = (of: (each: Item) => string | undefined) =>
    below
      .filter(({ role }) => role === "call")
      .reduce((left, each) => left - BigInt(of(each) ?? 0), 0n);
  const cpu = BigInt(metered.cpuInstructions);
  const memory = BigInt(metered.memoryBytes);
  const selfCpu = cpu + rest((each) => each.metered?.cpuInstructions);
  const selfMemory = memory + rest((each) => each.metered?.memoryBytes);
  return [
    {
      name: "instructions",
      text:
        `${grouped(cpu)} total (${shareOf(cpu, metered)}), ` +
        `${grouped(selfCpu)} self (${shareOf(selfCpu, metered)})`,
    },
    { name: "bytes", text: `${grouped(memory)} total, ${grouped(selfMemory)} self` },
  ];
}

function shareOf(part: bigint, { wholeInstructions }: Metered): string {
  return percent(part, BigInt(wholeInstructions), 1);
}

function short(text: string): string {
  return shortAddresses(cutNeutral(text, LONGEST_LABEL));
}

const ADDRESS = /\b([A-Z][A-Z2-7]{3})[A-Z2-7]{48}([A-Z2-7]{4})\b/g;

/** `CARMABI7…` → `CARM..JDFF`; StrKey of 56 characters (SEP-23). The details have it in full. */
export function shortAddresses(text: string): string {
  return text.replace(ADDRESS, "$1..$2");
}
