// --fail-on: conditions under which svc ends with 7, `tx-failed,diverged,cpu>1000000`. Read
// strictly: a condition that is not understood must not pass for one that never holds.

import { nearestWord } from "../base/errors/did-you-mean.ts";
import { SvcError } from "../base/errors/errors.ts";
import { grouped } from "../base/text/grouped.ts";
import type { FailedExpectation } from "../model/finding.ts";
import type { Investigation } from "../model/investigation.ts";
import { MEASURE_NAMES, MEASURES, type MeasureName } from "./measure.ts";

const VERDICTS = ["diverged", "inconclusive", "equivalent"] as const;
const STATES = ["tx-failed", ...VERDICTS] as const;

export type Condition =
  | { readonly kind: "tx-failed" }
  | { readonly kind: "verdict"; readonly verdict: (typeof VERDICTS)[number] }
  | { readonly kind: "above"; readonly measure: MeasureName; readonly limit: bigint };

const WRITTEN = [...STATES, ...MEASURE_NAMES.map((name) => `${name}>N`)].join(", ");
const REMEDY = `Give a comma-separated list of ${WRITTEN}.`;

/** Throws USAGE, with the word that was probably meant. */
export function parseFailOn(text: string): Condition[] {
  const seen = new Set<string>();
  return text.split(",").map((written) => {
    const condition = parseCondition(written);
    const name = conditionName(condition);
    if (seen.has(name)) throw usage(`"${name}" is given twice.`, "Give each condition once.");
    seen.add(name);
    return condition;
  });
}

function parseCondition(written: string): Condition {
  if (written === "") throw usage("a condition is empty.", REMEDY);
  const [, name = "", rest = ""] = /^([^<>=]*)(.*)$/s.exec(written) ?? [];
  const measure = MEASURE_NAMES.find((known) => known === name);
  if (measure !== undefined) return { kind: "above", measure, limit: parseLimit(measure, rest) };
  const state = STATES.find((known) => known === name);
  if (state === undefined) throw unknownCondition(written, name);
  if (rest !== "") throw usage(`"${state}" takes no limit.`, `Write ${state} alone.`);
  return state === "tx-failed" ? { kind: state } : { kind: "verdict", verdict: state };
}

function parseLimit(measure: MeasureName, rest: string): bigint {
  if (rest === "")
    throw usage(
      `"${measure}" needs a limit.`,
      `Write '${measure}>N' between quotes: a bare > is the shell's.`,
    );
  const digits = /^>(\d{1,19})$/.exec(rest)?.[1];
  if (digits !== undefined) return BigInt(digits);
  throw usage(
    `"${measure}${rest}" is no limit.`,
    `Write '${measure}>N' with N a whole number of ${MEASURES[measure].unit}, in digits alone.`,
  );
}

function unknownCondition(written: string, name: string): SvcError {
  const near = nearestWord(name, [...STATES, ...MEASURE_NAMES]);
  const measure = MEASURE_NAMES.find((known) => known === near);
  const meant = measure === undefined ? near : `${measure}>N`;
  return usage(
    `"${written}" is no condition.`,
    meant === null ? REMEDY : `Did you mean "${meant}"?`,
  );
}

function conditionName(condition: Condition): string {
  switch (condition.kind) {
    case "verdict":
      return condition.verdict;
    case "above":
      return condition.measure;
    default:
      return condition.kind;
  }
}

/** Those that hold, in the order they were given. */
export function checkFailOn(
  conditions: readonly Condition[],
  investigation: Investigation,
): FailedExpectation[] {
  return conditions.flatMap((condition) => checkCondition(condition, investigation) ?? []);
}

function checkCondition(
  condition: Condition,
  investigation: Investigation,
): FailedExpectation | null {
  const { explanation, verdict } = investigation;
  switch (condition.kind) {
    case "tx-failed": {
      if (explanation.success) return null;
      const actual = explanation.transaction.resultCode;
      return failedExpectations(
        "tx-failed",
        "success",
        actual,
        `The transaction failed (${actual}).`,
      );
    }
    case "verdict": {
      if (verdict?.kind !== condition.verdict) return null;
      const message = `The verdict is ${verdict.kind}.`;
      return failedExpectations(verdict.kind, `not ${verdict.kind}`, verdict.kind, message);
    }
    default:
      return checkLimit(condition.measure, condition.limit, investigation);
  }
}

function checkLimit(
  measure: MeasureName,
  limit: bigint,
  investigation: Investigation,
): FailedExpectation | null {
  const written = `${measure}>${limit}`;
  const excess = excessOf(measure, limit, investigation);
  return excess && failedExpectations(written, excess.expected, excess.actual, excess.message);
}

export interface Excess {
  readonly expected: string;
  readonly actual: string;
  readonly message: string;
}

/** Null when at most the limit was used. What is not known is not passed over. */
export function excessOf(
  measure: MeasureName,
  limit: bigint,
  investigation: Investigation,
): Excess | null {
  const { unit, of } = MEASURES[measure];
  const value = of(investigation);
  const expected = `at most ${limit}`;
  if (value === null) {
    const message = `How much ${measure} it used is not known; the limit is ${grouped(limit)}.`;
    return { expected, actual: "not known", message };
  }
  if (value <= limit) return null;
  const message =
    `${measure}: ${grouped(value)} ${unit}, ${grouped(value - limit)} above the limit of ` +
    `${grouped(limit)}.`;
  return { expected, actual: value.toString(), message };
}

function failedExpectations(
  condition: string,
  expected: string,
  actual: string,
  message: string,
): FailedExpectation {
  return { origin: "--fail-on", condition, expected, actual, message };
}

function usage(problem: string, remedy: string): SvcError {
  return new SvcError("USAGE", { message: `--fail-on: ${problem}`, remedy });
}
