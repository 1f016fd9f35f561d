// The conditions of --fail-on, under which svc exits with code 7: `tx-failed,diverged,cpu>1000000`.
// An unknown condition is an error, so that it is not read as one that is never true.

import { nearestWord } from "../base/errors/did-you-mean.ts";
import { SvcError } from "../base/errors/errors.ts";
import { bareFlag, phrase } from "../base/phrase.ts";
import { grouped } from "../base/text/grouped.ts";
import type { FailedExpectation } from "../model/finding.ts";
import type { Investigation } from "../model/investigation.ts";
import { MEASURE_NAMES, MEASURES, type MeasureName } from "./measure.ts";

const VERDICTS = ["diverged", "inconclusive", "equivalent"] as const;
const STATES = ["tx-failed", ...VERDICTS] as const;

export type FailCondition =
  | { readonly kind: "tx-failed" }
  | { readonly kind: "verdict"; readonly verdict: (typeof VERDICTS)[number] }
  | { readonly kind: "above"; readonly measure: MeasureName; readonly limit: bigint };

const WRITTEN = [...STATES, ...MEASURE_NAMES.map((name) => `${name}>N`)].join(", ");
const REMEDY = `Use a comma-separated list of ${WRITTEN}.`;

/** Parses the conditions. Throws USAGE, with the word that was probably meant. */
export function parseFailOn(text: string): FailCondition[] {
  const seen = new Set<string>();
  return text.split(",").map((written) => {
    const condition = parseCondition(written);
    const name = conditionName(condition);
    if (seen.has(name)) throw usage(`"${name}" is given twice.`, "Use each condition only once.");
    seen.add(name);
    return condition;
  });
}

function parseCondition(written: string): FailCondition {
  if (written === "") throw usage("a condition is empty.", REMEDY);
  const [, name = "", comparison = ""] = /^([^<>=]*)(.*)$/s.exec(written) ?? [];
  const measure = MEASURE_NAMES.find((known) => known === name);
  if (measure !== undefined)
    return { kind: "above", measure, limit: parseLimit(measure, comparison) };
  const state = STATES.find((known) => known === name);
  if (state === undefined) throw unknownCondition(written, name);
  if (comparison !== "") throw usage(`"${state}" takes no limit.`, `Write only ${state}.`);
  return state === "tx-failed" ? { kind: state } : { kind: "verdict", verdict: state };
}

function parseLimit(measure: MeasureName, comparison: string): bigint {
  if (comparison === "")
    throw usage(
      `"${measure}" needs a limit.`,
      `Write '${measure}>N' in quotes, because the shell interprets a bare >.`,
    );
  const digits = /^>(\d{1,19})$/.exec(comparison)?.[1];
  if (digits !== undefined) return BigInt(digits);
  throw usage(
    `"${measure}${comparison}" is not a limit.`,
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

function conditionName(condition: FailCondition): string {
  switch (condition.kind) {
    case "verdict":
      return condition.verdict;
    case "above":
      return condition.measure;
    default:
      return condition.kind;
  }
}

/** The conditions that are true, in the order of the flag. */
export function checkFailOn(
  conditions: readonly FailCondition[],
  investigation: Investigation,
): FailedExpectation[] {
  return conditions.flatMap((condition) => {
    const missed = missOf(condition, investigation);
    if (missed === null) return [];
    const written = condition.kind === "above" ? `>${condition.limit}` : "";
    return { origin: "--fail-on", condition: `${conditionName(condition)}${written}`, ...missed };
  });
}

/** The expected and the actual value of a failed expectation, and a sentence with them. */
export type FailedCondition = Pick<FailedExpectation, "expected" | "actual" | "message">;

function missOf(condition: FailCondition, investigation: Investigation): FailedCondition | null {
  const { explanation, verdict } = investigation;
  switch (condition.kind) {
    case "tx-failed": {
      if (explanation.success) return null;
      const actual = explanation.transaction.resultCode;
      return { expected: "success", actual, message: `The transaction failed (${actual}).` };
    }
    case "verdict": {
      const { verdict: actual } = condition;
      if (verdict?.kind !== actual) return null;
      return { expected: `not ${actual}`, actual, message: `The verdict is ${actual}.` };
    }
    default:
      return excessOf(condition.measure, condition.limit, investigation);
  }
}

/** The excess over a limit; null if there is none. An unknown value counts as an excess. */
export function excessOf(
  measure: MeasureName,
  limit: bigint,
  investigation: Investigation,
): FailedCondition | null {
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

function usage(problem: string, remedy: string): SvcError {
  return new SvcError("USAGE", { message: phrase`${bareFlag("failOn")}: ${problem}`, remedy });
}
