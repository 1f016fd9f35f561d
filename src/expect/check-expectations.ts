// Compares an investigation with expectations: one FailedExpectation for each field that differs.

import type { HostError } from "../model/execution.ts";
import type { NamedCall } from "../model/explanation.ts";
import type { FailedExpectation } from "../model/finding.ts";
import type { Investigation } from "../model/investigation.ts";
import type { Expectation, Expectations } from "./expectation-file.ts";
import { excessOf, type FailedCondition } from "./fail-on.ts";
import { MEASURE_NAMES } from "./measure.ts";

/** Checks the expectations of a transaction. A transaction that is not in the file fails too. */
export function checkExpectations(
  { transactions, file }: Expectations,
  investigation: Investigation,
): FailedExpectation[] {
  const { hash, innerHash } = investigation.record;
  const expectation = transactions.get(hash) ?? transactions.get(innerHash ?? "");
  if (expectation === undefined)
    return [
      failed("transactions", {
        expected: "an expectation",
        actual: "none",
        message: `${file} has no expectation for ${hash}.`,
      }),
    ];
  return [...checkFacts(expectation, investigation), ...checkCeilings(expectation, investigation)];
}

function checkFacts(expectation: Expectation, investigation: Investigation): FailedExpectation[] {
  const { explanation, execution, verdict } = investigation;
  const { resultCode, operationCodes } = explanation.transaction;
  const events = explanation.events.filter(({ kind }) => kind !== "diagnostic").length;
  return [
    equal("outcome", expectation.outcome, explanation.success ? "success" : "failed"),
    oneOf("verdict", expectation.verdict, [verdict?.kind ?? "none"]),
    oneOf("resultCode", listed(expectation.resultCode), [resultCode, ...operationCodes]),
    equal("cause", expectation.cause, explanation.cause?.kind ?? "none"),
    equal("error", expectation.error, showHostError(execution?.hostError ?? null)),
    equal("returnValue", expectation.returnValue, returnedText(explanation.calls) ?? "none"),
    equal("returnValueXdr", expectation.returnValueXdr, execution?.returnValueXdr ?? "none"),
    equal("events", expectation.events?.toString(), String(events)),
  ].flatMap((failure) => failure ?? []);
}

function checkCeilings(
  { atMost = {} }: Expectation,
  investigation: Investigation,
): FailedExpectation[] {
  return MEASURE_NAMES.flatMap((name) => {
    const limit = atMost[name];
    if (limit === undefined) return [];
    const excess = excessOf(name, limit, investigation);
    return excess === null ? [] : failed(`atMost.${name}`, excess);
  });
}

function equal(
  field: string,
  expected: string | undefined,
  actual: string,
): FailedExpectation | null {
  return oneOf(field, listed(expected), [actual]);
}

/** Passes if an actual value is one of the expected ones. */
function oneOf(
  field: string,
  allowed: readonly string[] | undefined,
  actual: readonly string[],
): FailedExpectation | null {
  if (allowed === undefined || actual.some((value) => allowed.includes(value))) return null;
  const expected = allowed.join(" or ");
  const actualValues = actual.join(", ");
  const message = `Expected ${field} ${expected}, found ${actualValues}.`;
  return failed(field, { expected, actual: actualValues, message });
}

function listed(value: string | undefined): readonly string[] | undefined {
  return value === undefined ? undefined : [value];
}

/** The error in the form of Soroban's own tools. */
function showHostError(error: HostError | null): string {
  if (error === null) return "none";
  return `Error(${error.type}, ${error.contractCode === null ? error.code : `#${error.contractCode}`})`;
}

/** The result of the outermost call, in the form of the report. */
function returnedText(calls: NamedCall | null): string | null {
  let call: NamedCall | undefined = calls ?? undefined;
  while (call !== undefined && call.function === null && call.result === null) call = call.calls[0];
  return call?.result ?? null;
}

function failed(condition: string, miss: FailedCondition): FailedExpectation {
  return { origin: "--expect", condition, ...miss };
}
