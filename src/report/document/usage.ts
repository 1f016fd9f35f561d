// The resources beside what was declared and what the network allows, the fees, and the cost of
// each type of host work.

import { grouped } from "../../base/text/grouped.ts";
import { sentenceStart } from "../../base/text/sentence.ts";
import type { CostByType, Execution } from "../../model/execution.ts";
import type { Explanation, FeeFacts, ResourceRow } from "../../model/explanation.ts";
import { type Content, type Row, rowsOf, type Stack, type Table } from "./document.ts";
import { numberOf, percent, shareOf } from "./numbers.ts";

/** Without rows of which nothing was used or declared. */
export function resourceContent({ resources }: Pick<Explanation, "resources">): Content {
  const shown = resources.filter(
    ({ used, declared }) => BigInt(used ?? declared ?? 1) + BigInt(declared ?? 0) > 0n,
  );
  const rows = shown.map((row) => [
    `${row.name} ${row.unit}`,
    numberOf(row.used),
    numberOf(row.declared),
    numberOf(row.limit),
    shareCell(row),
  ]);
  const failed = shown.flatMap((row, index) => (isExceeded(row) ? [index] : []));
  const headings = ["", "used", "declared", "network limit", "share"];
  const amounts = shown.map(({ used }) => (used === null ? null : BigInt(used)));
  const table = { kind: "table", title: "Resources", headings, rows, amounts, failed } as const;
  return [table, limitNote(resources)];
}

function isExceeded({ used, declared, limit }: ResourceRow): boolean {
  return [declared, limit].some((most) => most !== null && BigInt(used ?? 0) > BigInt(most));
}

/** Nothing that is compared depends on a limit that was not reached. */
function limitNote(rows: readonly ResourceRow[]): string | null {
  const kinds = new Set(rows.map(({ limitProvenance }) => limitProvenance));
  if (kinds.has("assumed")) return "The network limits are assumed.";
  if (kinds.has("claimed")) return "Network limits from the capsule.";
  return kinds.has("rpc-unchanged") ? "Network limits reported by the node." : null;
}

/** The share of the declared amount, or otherwise of the network's limit. */
function shareCell({ used, declared, limit }: ResourceRow) {
  const whole = BigInt(declared ?? limit ?? 0);
  if (used === null || whole === 0n) return null;
  const part = BigInt(used);
  return { text: percent(part, whole), share: shareOf(part, whole) };
}

/** The cost of each type of host work, the most expensive first. */
export function costsTable(execution: Execution | null): Table {
  const used = ({ cpu, memory }: CostByType) => BigInt(cpu) > 0n || BigInt(memory) > 0n;
  const sorted = (execution?.costs ?? [])
    .filter(used)
    .sort((a, b) => Number(BigInt(b.cpu) - BigInt(a.cpu)));
  const total = sorted.reduce((sum, { cpu }) => sum + BigInt(cpu), 0n);
  return {
    kind: "table",
    title: "Costs by type",
    headings: ["cost type", "instructions", "share", "bytes", "iterations", "inputs"],
    rows: sorted.map(({ type, cpu, memory, iterations, inputs }) => [
      type,
      grouped(cpu),
      { text: percent(BigInt(cpu), total), share: shareOf(BigInt(cpu), total) },
      grouped(memory),
      grouped(iterations),
      numberOf(inputs),
    ]),
    amounts: sorted.map(({ cpu }) => BigInt(cpu)),
  };
}

/**
 * In the order in which they add up: the fee charged is the sum of the rows after it, and the
 * declared resource fee is the sum of the resource rows around it.
 */
const NAMES: readonly (readonly [keyof FeeFacts, string])[] = [
  ["bidStroops", "bid"],
  ["chargedStroops", "charged"],
  ["inclusionFeeStroops", "inclusion fee"],
  ["resourceFeeChargedStroops", "resource fee charged"],
  ["nonRefundableStroops", "non-refundable"],
  ["refundableConsumedStroops", "rent and events"],
  ["rentStroops", "rent alone"],
  ["refundNotDeductedStroops", "refund not deducted"],
  ["resourceFeeStroops", "resource fee declared"],
  ["refundStroops", "refunded"],
];
const CHARGED: readonly (keyof FeeFacts)[] = [
  "inclusionFeeStroops",
  "nonRefundableStroops",
  "refundableConsumedStroops",
  "refundNotDeductedStroops",
];
const DECLARED: readonly (keyof FeeFacts)[] = [
  "nonRefundableStroops",
  "refundableConsumedStroops",
  "refundStroops",
];

type Fees = Pick<Explanation, "fees" | "replayOnly">;

/** Fees that are in a sum are rows of a page only. */
export function feeContent(explanation: Fees): Content {
  const sums = [
    sumOf("Charged", "chargedStroops", CHARGED, explanation),
    sumOf("Resource fee declared", "resourceFeeStroops", DECLARED, explanation),
  ].filter((each) => each !== null);
  const summed = new Set(sums.flatMap(({ fields }) => fields));
  return [
    sums.map(({ stack }) => stack),
    rowsOf(feeRows(explanation, summed), { layout: "amounts" }),
  ];
}

/** Without those of 0. The resource fee charged is a row if the chain does not have its parts. */
function feeRows({ fees, replayOnly }: Fees, summed: ReadonlySet<keyof FeeFacts>): Row[] {
  const hasNoParts = replayOnly.includes("fees.nonRefundableStroops");
  return NAMES.flatMap(([field, name]) => {
    if (field === "resourceFeeChargedStroops" && !hasNoParts) return [];
    const stroops = fees[field];
    if (stroops === null || BigInt(stroops) === 0n) return [];
    const label = replayOnly.includes(`fees.${field}`) ? `${name} (in the replay)` : name;
    // Below the row that it is a part of, if that is a row.
    const depth = field === "rentStroops" && !summed.has("refundableConsumedStroops") ? 1 : 0;
    const detail = summed.has(field) ? ("page" as const) : undefined;
    const amount = { values: [grouped(stroops)], amount: BigInt(stroops), unit: "stroops" };
    return [{ label: sentenceStart(label), ...amount, depth, detail }];
  });
}

/**
 * Null when the known parts are not the whole. A part that only an unproven replay has is no
 * part of what the chain charged.
 */
function sumOf(
  title: string,
  whole: keyof FeeFacts,
  fields: readonly (keyof FeeFacts)[],
  { fees, replayOnly }: Fees,
): { readonly stack: Stack; readonly fields: readonly (keyof FeeFacts)[] } | null {
  const names = new Map(NAMES);
  const parts = fields
    .filter((field) => fees[field] !== null)
    .map((field) => ({ name: names.get(field) ?? "", amount: BigInt(fees[field] ?? 0) }));
  const sum = parts.reduce((all, { amount }) => all + amount, 0n);
  const isReplayed = fields.some((field) => replayOnly.includes(`fees.${field}`));
  const isWhole = sum > 0n && sum === BigInt(fees[whole] ?? -1);
  if (isReplayed || !isWhole || parts.some(({ amount }) => amount < 0n)) return null;
  const known = parts.filter(({ amount }) => amount > 0n);
  const stack = { kind: "stack", title, parts: known, unit: "stroops" } as const;
  const isCharged = whole === "chargedStroops";
  return {
    stack: isCharged ? { ...stack, note: inXlm(sum) } : stack,
    fields: [whole, ...fields],
  };
}

function inXlm(stroops: bigint): string {
  const digits = String(stroops).padStart(8, "0");
  const fraction = digits.slice(-7).replace(/0+$/, "");
  return `${grouped(digits.slice(0, -7))}${fraction === "" ? "" : `.${fraction}`} XLM`;
}
