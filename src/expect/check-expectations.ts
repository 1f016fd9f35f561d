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

function checkFacts(wanted: Expectation, investigation: Investigation): FailedExpectation[] {
  const { explanation, execution, verdict } = investigation;
  const { resultCode, operationCodes } = explanation.transaction;
  const events = explanation.events.filter(({ kind }) => kind !== "diagnostic").length;
  return [
    equal("outcome", wanted.outcome, explanation.success ? "success" : "failed"),
    oneOf("verdict", wanted.verdict, [verdict?.kind ?? "none"]),
    oneOf("resultCode", listed(wanted.resultCode), [resultCode, ...operationCodes]),
    equal("cause", wanted.cause, explanation.cause?.kind ?? "none"),
    equal("error", wanted.error, showHostError(execution?.hostError ?? null)),
    equal("returnValue", wanted.returnValue, returnedText(explanation.calls) ?? "none"),
    equal("returnValueXdr", wanted.returnValueXdr, execution?.returnValueXdr ?? "none"),
    equal("events", wanted.events?.toString(), String(events)),
  ].flatMap((found) => found ?? []);
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
  wanted: string | undefined,
  actual: string,
): FailedExpectation | null {
  return oneOf(field, listed(wanted), [actual]);
}

/** Passes if an actual value is one of the expected ones. */
function oneOf(
  field: string,
  wanted: readonly string[] | undefined,
  actual: readonly string[],
): FailedExpectation | null {
  if (wanted === undefined || actual.some((value) => wanted.includes(value))) return null;
  const expected = wanted.join(" or ");
  const found = actual.join(", ");
  const message = `Expected ${field} ${expected}, found ${found}.`;
  return failed(field, { expected, actual: found, message });
}

function listed(wanted: string | undefined): readonly string[] | undefined {
  return wanted === undefined ? undefined : [wanted];
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
