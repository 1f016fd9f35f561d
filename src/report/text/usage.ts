// The resources and the fees, in tables.

import { grouped } from "../../base/text/grouped.ts";
import type { ResourceRow } from "../../model/explanation.ts";
import type { FeeRow } from "../fee-rows.ts";
import { pairs, table, wrap } from "./layout.ts";

export function resourceLines(rows: readonly ResourceRow[]): string[] {
  if (rows.length === 0) return [];
  const cells = rows.map((row) => [
    `${row.name} ${row.unit}`,
    cell(row.used),
    cell(row.declared),
    cell(row.limit),
    share(row),
  ]);
  const note = limitNote(rows);
  return [
    ...table([["", "used", "declared", "network limit", "share"], ...cells]),
    ...(note === null ? [] : wrap(note, "  ")),
  ];
}

/** Nothing that is compared depends on a limit that was not reached. */
export function limitNote(rows: readonly ResourceRow[]): string | null {
  const kinds = new Set(rows.map(({ limitProvenance }) => limitProvenance));
  if (kinds.has("assumed")) return "The network limits are assumed.";
  if (!kinds.has("rpc-unchanged")) return null;
  return "The network limits are as a node reports them; no ledger that was read confirms them.";
}

function cell(decimal: string | null): string {
  return decimal === null ? "-" : grouped(decimal);
}

/** Percentage of the declared amount, or otherwise of the network's limit. */
function share({ used, declared, limit }: ResourceRow): string {
  const whole = BigInt(declared ?? limit ?? 0);
  if (used === null || whole === 0n) return "-";
  return `${(BigInt(used) * 100n) / whole} %`;
}

export function feeLines(rows: readonly FeeRow[]): string[] {
  const width = Math.max(...rows.map(({ stroops }) => grouped(stroops).length));
  return pairs(
    rows.map(({ name, stroops }) => [name, `${grouped(stroops).padStart(width)} stroops`]),
  );
}
