// The conditions of `svc rehearse --fail-on`: groups, and how much dearer a call may become.

import { usageError } from "../base/errors/errors.ts";
import { counted } from "../base/text/counted.ts";
import {
  COSTS,
  type CostName,
  GROUPS,
  type GroupKind,
  type RehearsedCall,
  type UpgradeRehearsal,
} from "./rehearsal.ts";
import { dearerBy } from "./rehearsal-document.ts";

export type FailOn =
  | { readonly kind: "group"; readonly group: GroupKind }
  | { readonly kind: "dearer"; readonly percent: number };

/** Throws USAGE. */
export function parseRehearsalConditions(written: string): FailOn[] {
  return written.split(",").map((word) => {
    const text = word.trim();
    const group = (Object.keys(GROUPS) as GroupKind[]).find((kind) => kind === text);
    if (group !== undefined && group !== "same") return { kind: "group", group };
    const [, percent] = /^dearer>(\d{1,4}(?:\.\d+)?)%?$/.exec(text) ?? [];
    if (percent !== undefined) return { kind: "dearer", percent: Number(percent) };
    const names = Object.keys(GROUPS).filter((kind) => kind !== "same");
    throw usageError(
      `--fail-on "${text}" is not a condition.`,
      `Use ${names.join(", ")}, or dearer>N%.`,
    );
  });
}

/** A sentence for each condition that holds. */
export function failedConditions(
  { calls }: UpgradeRehearsal,
  conditions: readonly FailOn[],
): string[] {
  return conditions.flatMap((condition) => {
    let count = 0;
    for (const call of calls) if (holdsFor(call, condition)) count += 1;
    return count === 0 ? [] : [`${nameOf(condition)}: ${counted(count, "call")}.`];
  });
}

/** The conditions that hold for a call. */
export function conditionsOn(call: RehearsedCall, conditions: readonly FailOn[]): string[] {
  return conditions.filter((condition) => holdsFor(call, condition)).map(nameOf);
}

function holdsFor({ group, costs }: RehearsedCall, condition: FailOn): boolean {
  if (condition.kind === "group") return group === condition.group;
  const names = Object.keys(COSTS) as CostName[];
  return costs !== null && names.some((name) => dearerBy(costs[name]) * 100 > condition.percent);
}

function nameOf(condition: FailOn): string {
  return condition.kind === "group" ? condition.group : `dearer>${condition.percent}%`;
}
