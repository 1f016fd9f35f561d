// Resources as bars, and the fees as stacks: each part of a stack is drawn only where the parts add
// up to the whole.

import { grouped } from "../../base/text/grouped.ts";
import type { Execution } from "../../model/execution.ts";
import type { Explanation, FeeFacts, ResourceRow } from "../../model/explanation.ts";
import { feeRows } from "../fee-rows.ts";
import { limitNote } from "../text/usage.ts";
import { bar, html, type Markup, NOTHING, tableMarkup } from "./markup.ts";

export function resourcesMarkup(rows: readonly ResourceRow[]): Markup | null {
  if (rows.length === 0) return null;
  const note = limitNote(rows);
  const table = tableMarkup(
    "Resources",
    ["resource", "used", "declared", "of declared", "network limit", "of the limit"],
    rows.map(({ name, unit, used, declared, limit }) => [
      `${name} ${unit}`,
      number(used),
      number(declared),
      shareMarkup(used, declared),
      number(limit),
      shareMarkup(used, limit),
    ]),
    "numbers",
  );
  return note === null ? table : html`${table}<p>${note}</p>`;
}

function number(decimal: string | null): string {
  return decimal === null ? NOTHING : grouped(decimal);
}

function shareMarkup(used: string | null, whole: string | null): Markup | string {
  if (used === null || whole === null || BigInt(whole) === 0n) return NOTHING;
  const share = Number((BigInt(used) * 10_000n) / BigInt(whole)) / 10_000;
  const kind = share > 1 ? "over" : "within";
  return html`<span class="share">${bar([{ share, kind }])} ${percent(share)}</span>`;
}

function percent(share: number): string {
  return `${share > 0 && share < 0.01 ? "< 1" : grouped(Math.floor(share * 100))} %`;
}

/** What each type of host work cost, the most expensive first. */
export function costsMarkup(execution: Execution | null): Markup | null {
  const costs = (execution?.costs ?? []).filter(({ cpu }) => BigInt(cpu) > 0n);
  if (costs.length === 0) return null;
  const sorted = [...costs].sort((a, b) => Number(BigInt(b.cpu) - BigInt(a.cpu)));
  const total = sorted.reduce((sum, { cpu }) => sum + BigInt(cpu), 0n);
  const rows = sorted.map(({ type, cpu, memory }) => [
    type,
    grouped(cpu),
    shareMarkup(cpu, `${total}`),
    grouped(memory),
  ]);
  return tableMarkup(
    "Costs by type",
    ["cost type", "instructions", "share", "memory bytes"],
    rows,
    "numbers",
  );
}

const CHARGED: readonly (readonly [keyof FeeFacts, string])[] = [
  ["inclusionFeeStroops", "inclusion fee"],
  ["nonRefundableStroops", "non-refundable"],
  ["refundableConsumedStroops", "rent and events"],
  ["refundNotDeductedStroops", "refund not deducted"],
];
const DECLARED: readonly (readonly [keyof FeeFacts, string])[] = [
  ["nonRefundableStroops", "non-refundable"],
  ["refundableConsumedStroops", "rent and events"],
  ["refundStroops", "refunded"],
];

export function feesMarkup(explanation: Explanation): Markup {
  const { fees, replayOnly } = explanation;
  /** A part that only an unproven replay has is no part of what the chain charged. */
  const isReplayed = (parts: typeof CHARGED) =>
    parts.some(([field]) => replayOnly.includes(`fees.${field}`));
  const rows = feeRows(explanation).map(({ name, stroops }): [string, string] => [
    name.trim(),
    grouped(stroops),
  ]);
  const charged = isReplayed(CHARGED)
    ? null
    : stack("Charged", fees.chargedStroops, partsOf(fees, CHARGED));
  const declared =
    fees.resourceFeeStroops === null || isReplayed(DECLARED)
      ? null
      : stack("Resource fee declared", fees.resourceFeeStroops, partsOf(fees, DECLARED));
  const table = tableMarkup("Fees", ["fee", "stroops"], rows, "numbers narrow");
  if (charged === null) return table;
  return html`${charged}${declared}<details><summary>All fees</summary>${table}</details>`;
}

function partsOf(fees: FeeFacts, names: typeof CHARGED): FeePart[] {
  return names.flatMap(([field, name]) => {
    const stroops = fees[field];
    return stroops === null ? [] : [{ name, stroops: BigInt(stroops) }];
  });
}

interface FeePart {
  readonly name: string;
  readonly stroops: bigint;
}

/** Null when the known parts are not the whole. */
function stack(title: string, total: string, parts: readonly FeePart[]): Markup | null {
  const whole = BigInt(total);
  const sum = parts.reduce((all, { stroops }) => all + stroops, 0n);
  if (whole === 0n || sum !== whole || parts.some(({ stroops }) => stroops < 0n)) return null;
  const kindOf = (name: string) => `part-${name.replaceAll(" ", "-")}`;
  const shares = parts.map(({ name, stroops }) => ({
    share: Number((stroops * 10_000n) / whole) / 10_000,
    kind: kindOf(name),
  }));
  const legend = parts.map(
    ({
      name,
      stroops,
    }) => html`<li><svg class="chip ${kindOf(name)}" viewBox="0 0 8 8" aria-hidden="true"
><rect width="8" height="8" rx="2"/></svg>${name} ${grouped(stroops)}</li>`,
  );
  return html`<div class="stack"><p>${title}: <strong>${grouped(total)}</strong> stroops =</p>
${bar(shares)}<ul>${legend}</ul></div>`;
}
