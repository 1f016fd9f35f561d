// --fail-on: conditions under which svc exits with code 7, `tx-failed,diverged,cpu>1000000`. An
// unknown condition is an error, so that it does not pass as one that is never true.

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
const REMEDY = `Use a comma-separated list of ${WRITTEN}.`;

/** Throws USAGE, with the word that was probably meant. */
export function parseFailOn(text: string): Condition[] {
  const seen = new Set<string>();
  return text.split(",").map((written) => {
    const condition = parseCondition(written);
    const name = conditionName(condition);
    if (seen.has(name)) throw usage(`"${name}" is given twice.`, "Use each condition only once.");
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
  if (rest !== "") throw usage(`"${state}" takes no limit.`, `Write only ${state}.`);
  return state === "tx-failed" ? { kind: state } : { kind: "verdict", verdict: state };
}

function parseLimit(measure: MeasureName, rest: string): bigint {
  if (rest === "")
    throw usage(
      `"${measure}" needs a limit.`,
      `Write '${measure}>N' in quotes, because the shell interprets a bare >.`,
    );
  const digits = /^>(\d{1,19})$/.exec(rest)?.[1];
  if (digits !== undefined) return BigInt(digits);
  throw usage(
    `"${measure}${rest}" is not a limit.`,
    `Write '${measure}>N', where N is a whole number of ${MEASURES[measure].unit} in digits only.`,
  );
}

function unknownCondition(written: string, name: string): SvcError {
  const near = nearestWord(name, [...STATES, ...MEASURE_NAMES]);
  const measure = MEASURE_NAMES.find((known) => known === near);
  const meant = measure === undefined ? near : `${measure}>N`;
  return usage(
    `"${written}" is not a condition.`,
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

/** The conditions that are true, in the order they were given. */
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
      return failedExpectation(
        "tx-failed",
        "success",
        actual,
        `The transaction failed (${actual}).`,
      );
    }
    case "verdict": {
      if (verdict?.kind !== condition.verdict) return null;
      const message = `The verdict is ${verdict.kind}.`;
      return failedExpectation(verdict.kind, `not ${verdict.kind}`, verdict.kind, message);
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
  return excess && failedExpectation(written, excess.expected, excess.actual, excess.message);
}

export interface Excess {
  readonly expected: string;
  readonly actual: string;
  readonly message: string;
}

/** Null when at most the limit was used. An unknown value counts as an excess. */
export function excessOf(
  measure: MeasureName,
  limit: bigint,
  investigation: Investigation,
): Excess | null {
  const { unit, of } = MEASURES[measure];
  const value = of(investigation);
  const expected = `at most ${limit}`;
  if (value === null) {
    const message = `${measure}: the value is unknown; the limit is ${grouped(limit)}.`;
    return { expected, actual: "unknown", message };
  }
  if (value <= limit) return null;
  const message =
    `${measure}: ${grouped(value)} ${unit}, ${grouped(value - limit)} above the limit of ` +
    `${grouped(limit)}.`;
  return { expected, actual: value.toString(), message };
}

function failedExpectation(
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
