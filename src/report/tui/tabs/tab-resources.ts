// The resources used, declared and allowed by the network; then the fees, and the cost of each cost
// type of the host.

import { grouped } from "../../../base/text/grouped.ts";
import type { CostByType } from "../../../model/execution.ts";
import type { ResourceRow } from "../../../model/explanation.ts";
import type { Investigation } from "../../../model/investigation.ts";
import { type FeeRow, feeRows } from "../../fee-rows.ts";
import { headingOf } from "../../replayed-heading.ts";
import { type Branch, type Detail, flattenBranches, type Outline } from "../outline.ts";

export function resourceOutline({ explanation, execution }: Investigation): Outline {
  const groups: Branch[] = [];
  const { resources } = explanation;
  if (resources.length > 0) {
    const label = headingOf("Resources", "resources", explanation);
    groups.push(group(label, resources.map(resourceItem)));
  }
  groups.push(group("Fees in stroops", feeRows(explanation).map(feeItem)));
  const costs = [...(execution?.costs ?? [])].filter(isUsed).sort(byCpu);
  if (costs.length > 0) groups.push(group("Instructions by cost type", costs.map(costItem)));
  return {
    title: "Resource",
    headings: ["used", "declared", "limit", "share"],
    nodes: flattenBranches(groups),
    leastLabelColumns: 30,
    emptyText: "",
  };
}

function group(label: string, below: readonly Branch[]): Branch {
  return { label, tone: "heading", below, details: () => [] };
}

function resourceItem(row: ResourceRow): Branch {
  const whole = BigInt(row.declared ?? row.limit ?? 0);
  const share = row.used === null || whole === 0n ? "-" : `${(BigInt(row.used) * 100n) / whole}%`;
  const values: readonly (readonly [string, string | null])[] = [
    ["used", row.used],
    ["declared", row.declared],
    ["network limit", row.limit],
  ];
  return {
    label: `${row.name} ${row.unit}`,
    cells: [...values.map(([, value]) => (value === null ? "-" : grouped(value))), share],
    details: () => [
      { name: "resource", text: row.name },
      ...values.map(([name, value]): Detail => {
        if (value === null) return { name, text: "unknown, or none", tone: "faint" };
        return { name, text: `${grouped(value)} ${row.unit}` };
      }),
      {
        name: "share",
        text: `${share} of the ${row.declared === null ? "network limit" : "declared amount"}`,
      },
    ],
  };
}

function feeItem({ name, stroops }: FeeRow): Branch {
  const text = `${grouped(stroops)} stroops`;
  return { label: name, cells: [grouped(stroops)], details: () => [{ name: name.trim(), text }] };
}

function isUsed({ cpu, memory }: CostByType): boolean {
  return BigInt(cpu) > 0n || BigInt(memory) > 0n;
}

function byCpu(one: CostByType, other: CostByType): number {
  const difference = BigInt(other.cpu) - BigInt(one.cpu);
  return difference === 0n ? 0 : difference > 0n ? 1 : -1;
}

function costItem({ type, cpu, memory, iterations, inputs }: CostByType): Branch {
  return {
    label: type,
    cells: [grouped(cpu)],
    details: () => [
      { name: "cost type", text: type },
      { name: "instructions", text: grouped(cpu) },
      { name: "bytes", text: grouped(memory) },
      { name: "iterations", text: grouped(iterations) },
      ...(inputs === null ? [] : [{ name: "inputs", text: grouped(inputs) }]),
    ],
  };
}
