// What it used and what it cost, in tables.

import { grouped } from "../../base/grouped.ts";
import type { FeeFacts, ResourceRow } from "../../model/explanation.ts";
import { pairs, table } from "./layout.ts";

export function resourceLines(rows: readonly ResourceRow[]): string[] {
  if (rows.length === 0) return [];
  const cells = rows.map((row) => [
    `${row.name} ${row.unit}`,
    cell(row.used),
    cell(row.declared),
    cell(row.limit),
    share(row),
  ]);
  return table([["", "used", "declared", "network limit", "share"], ...cells]);
}

function cell(decimal: string | null): string {
  return decimal === null ? "-" : grouped(decimal);
}

/** Of what was declared, or else of the network's limit, in per cent. */
function share({ used, declared, limit }: ResourceRow): string {
  const whole = BigInt(declared ?? limit ?? 0);
  if (used === null || whole === 0n) return "-";
  return `${(BigInt(used) * 100n) / whole} %`;
}

export function feeLines(fees: FeeFacts): string[] {
  const rows: [string, string | null][] = [
    ["bid", fees.bidStroops],
    ["charged", fees.chargedStroops],
    ["resource fee declared", fees.resourceFeeStroops],
    ["not refundable", fees.nonRefundableStroops],
    ["rent and events", fees.refundableConsumedStroops],
    ["of which rent", fees.rentStroops],
    ["refunded", fees.refundStroops],
  ];
  const known = rows.filter((row): row is [string, string] => row[1] !== null);
  const width = Math.max(...known.map(([, value]) => grouped(value).length));
  return pairs(known.map(([name, value]) => [name, `${grouped(value).padStart(width)} stroops`]));
}
