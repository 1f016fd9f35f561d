// The resources beside what was declared and what the network allows, the fees, and the cost of
// each type of host work.

import { grouped } from "../../base/text/grouped.ts";
import type { CostByType, Execution } from "../../model/execution.ts";
import type { Explanation, FeeFacts, ResourceRow } from "../../model/explanation.ts";
import { type Content, type Row, rowsOf, type Stack, type Table } from "./document.ts";
import { numberOf, percent, shareOf } from "./numbers.ts";

export function resourceContent({ resources }: Pick<Explanation, "resources">): Content {
  const rows = resources.map((row) => [
    `${row.name} ${row.unit}`,
    numberOf(row.used),
    numberOf(row.declared),
    numberOf(row.limit),
    shareCell(row),
  ]);
  const headings = ["", "used", "declared", "network limit", "share"];
  return [{ kind: "table", title: "Resources", headings, rows }, limitNote(resources)];
}

/** Nothing that is compared depends on a limit that was not reached. */
function limitNote(rows: readonly ResourceRow[]): string | null {
  const kinds = new Set(rows.map(({ limitProvenance }) => limitProvenance));
  if (kinds.has("assumed")) return "The network limits are assumed.";
  if (!kinds.has("rpc-unchanged")) return null;
  return "The network limits are as a node reports them; no ledger that was read confirms them.";
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
  ["rentStroops", "rent"],
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

export function feeContent(explanation: Fees): Content {
  return [
    stackOf("Charged", "chargedStroops", CHARGED, explanation),
    stackOf("Resource fee declared", "resourceFeeStroops", DECLARED, explanation),
    rowsOf(feeRows(explanation), { layout: "amounts" }),
  ];
}

/** The known fees. The resource fee charged is a row only if the chain does not have its parts. */
export function feeRows({ fees, replayOnly }: Fees): Row[] {
  const hasNoParts = replayOnly.includes("fees.nonRefundableStroops");
  return NAMES.flatMap(([field, name]) => {
    if (field === "resourceFeeChargedStroops" && !hasNoParts) return [];
    const stroops = fees[field];
    if (stroops === null) return [];
    const label = replayOnly.includes(`fees.${field}`) ? `${name} (in the replay)` : name;
    const depth = field === "rentStroops" ? 1 : 0;
    return [{ label, values: [grouped(stroops)], depth, unit: "stroops" }];
  });
}

/**
 * Null when the known parts are not the whole. A part that only an unproven replay has is no
 * part of what the chain charged.
 */
function stackOf(
  title: string,
  whole: keyof FeeFacts,
  fields: readonly (keyof FeeFacts)[],
  { fees, replayOnly }: Fees,
): Stack | null {
  const names = new Map(NAMES);
  const parts = fields
    .filter((field) => fees[field] !== null)
    .map((field) => ({ name: names.get(field) ?? "", amount: BigInt(fees[field] ?? 0) }));
  const sum = parts.reduce((all, { amount }) => all + amount, 0n);
  const isReplayed = fields.some((field) => replayOnly.includes(`fees.${field}`));
  const isWhole = sum > 0n && sum === BigInt(fees[whole] ?? -1);
  if (isReplayed || !isWhole || parts.some(({ amount }) => amount < 0n)) return null;
  return { kind: "stack", title, parts, unit: "stroops", detail: "page" };
}
