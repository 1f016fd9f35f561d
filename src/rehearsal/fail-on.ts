// The conditions of `svc rehearse --fail-on`: groups, and how much dearer a call may become. A gate
// must not pass where the new code gave no answer, so two groups are always conditions. Calls whose
// state is unknown pass with a warning: there, svc lacks evidence.

import { nearestWord } from "../base/errors/did-you-mean.ts";
import { usageError } from "../base/errors/errors.ts";
import { counted } from "../base/text/counted.ts";
import {
  COSTS,
  type CostName,
  dearerBy,
  GROUPS,
  type GroupKind,
  type RehearsedCall,
  type UpgradeRehearsal,
} from "./rehearsal.ts";

export type FailOn =
  | { readonly kind: "group"; readonly group: GroupKind; readonly isNamed: boolean }
  | { readonly kind: "dearer"; readonly percent: number };

/** A condition that is true for at least one call. */
export interface FailedOn {
  readonly condition: string;
  readonly calls: number;
  /** False if the user did not name the condition, because it is always one. */
  readonly isNamed: boolean;
}

const ALWAYS: readonly GroupKind[] = ["no-result", "first-fails"];

/** The conditions that the user named, and those that always are conditions. Throws USAGE. */
export function parseRehearsalConditions(written: string): FailOn[] {
  const named = namedConditions(written);
  const unnamed = ALWAYS.filter((group) => !hasGroup(named, group));
  return [...named, ...unnamed.map((group): FailOn => ({ kind: "group", group, isNamed: false }))];
}

function hasGroup(conditions: readonly FailOn[], group: GroupKind): boolean {
  return conditions.some((each) => each.kind === "group" && each.group === group);
}

function namedConditions(written: string): FailOn[] {
  return written.split(",").map((word) => {
    const text = word.trim();
    const group = (Object.keys(GROUPS) as GroupKind[]).find((kind) => kind === text);
    if (group !== undefined && group !== "same") return { kind: "group", group, isNamed: true };
    const [, percent] = /^dearer>(\d{1,4}(?:\.\d+)?)%?$/.exec(text) ?? [];
    if (percent !== undefined) return { kind: "dearer", percent: Number(percent) };
    const names = Object.keys(GROUPS).filter((kind) => kind !== "same");
    const near = nearestWord(text, names);
    throw usageError(
      `--fail-on "${text}" is not a condition.`,
      near === null ? `Use ${names.join(", ")}, or dearer>N%.` : `Did you mean "${near}"?`,
    );
  });
}

export function failedConditions(
  { calls }: Pick<UpgradeRehearsal, "calls">,
  conditions: readonly FailOn[],
): FailedOn[] {
  return conditions.flatMap((condition) => {
    let count = 0;
    for (const call of calls) if (holdsFor(call, condition)) count += 1;
    const isNamed = condition.kind !== "group" || condition.isNamed;
    return count === 0 ? [] : [{ condition: nameOf(condition), calls: count, isNamed }];
  });
}

export function failedInWords({ condition, calls, isNamed }: FailedOn): string {
  const always = isNamed ? "" : ` ${condition} is always a condition of --fail-on.`;
  return `--fail-on ${condition}: ${counted(calls, "call")}.${always}`;
}

/**
 * Says how many calls pass although svc does not know what the new code does with them. Null if
 * there are none, or if they are a condition.
 */
export function passedUnknown(
  { calls }: Pick<UpgradeRehearsal, "calls">,
  conditions: readonly FailOn[],
): string | null {
  if (conditions.length === 0 || hasGroup(conditions, "state-unknown")) return null;
  let count = 0;
  for (const { group } of calls) if (group === "state-unknown") count += 1;
  if (count === 0) return null;
  const [verb, they] = count === 1 ? ["reads", "it"] : ["read", "them"];
  return `--fail-on does not fail for ${counted(count, "call")} that ${verb} an entry whose state is unknown. Name state-unknown in it to fail for ${they} too.`;
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
