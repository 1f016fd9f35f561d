// Reads diagnostic `error` events, in which the contract host reports errors.

import { blankInWords } from "../../base/text/neutralise.ts";
import { readOnce } from "../reader/read-once.ts";
import { elementsOf, isSymbol, plainOf, stringOf } from "../values/value-parts.ts";
import { type ErrorFacts, showError } from "../values/value-text.ts";
import { type EventFacts, errorOf, isCoreMetric, readDiagnosticEvent } from "./diagnostics.ts";
import { FRAMES, messageIn, TEST_LOGS } from "./host-messages.ts";

/** One diagnostic `error` event. */
export interface ErrorReport {
  /** The contract that was running; null if the host itself reported the error. */
  readonly contract: string | null;
  readonly error: ErrorFacts;
  /** Not neutralised. It is for comparisons only, never for people. */
  readonly message: string;
  /** The values after the message, ScVals. */
  readonly valuesXdr: readonly string[];
  readonly dataXdr: string;
}

/**
 * Returns the reports in their order. The last one ended the call. An array is read once, because
 * several stages ask about the same run.
 */
export const readErrorReports: (diagnosticsXdr: readonly string[]) => readonly ErrorReport[] =
  readOnce((diagnosticsXdr) =>
    diagnosticsXdr.flatMap((event) =>
      isCoreMetric(event) ? [] : (errorReportOf(readDiagnosticEvent(event)) ?? []),
    ),
  );

/**
 * Returns the text of the panic that the host of a unit test logged last; null if it logged none.
 * A contract can log such a text itself, so the text counts only beside the host's own report.
 */
export function loggedPanic(diagnosticsXdr: readonly string[]): string | null {
  for (const event of diagnosticsXdr.toReversed()) {
    const { kind, topicsXdr, dataXdr } = readDiagnosticEvent(event);
    const [name] = topicsXdr;
    if (kind !== "diagnostic" || name === undefined || !isSymbol(name, "log")) continue;
    const [first = dataXdr] = elementsOf(dataXdr) ?? [];
    const { panic = null } = messageIn(TEST_LOGS, stringOf(first) ?? "")?.facts ?? {};
    if (panic !== null) return panic;
  }
  return null;
}

/**
 * Returns the reports of the final error, the first one first. The list is empty if that error was
 * not reported.
 */
export function endingReports(reports: readonly ErrorReport[]): readonly ErrorReport[] {
  const last = reports.at(-1);
  // If the last report is an error that a contract caught, the final error was not reported.
  if (last === undefined || wasCaught(last)) return [];
  return reports.slice(reports.indexOf(firstReportOf(reports, last)));
}

/**
 * Returns the first report of the same error. An error is reported again in every call that it
 * passes.
 */
function firstReportOf(reports: readonly ErrorReport[], last: ErrorReport): ErrorReport {
  let origin = last;
  for (const report of reports.slice(0, -1).reverse()) {
    if (!isSameError(report.error, last.error) || wasCaught(report)) return origin;
    origin = report;
  }
  return origin;
}

/** What a constructor failed with. */
interface ConstructorError {
  readonly error: ErrorFacts;
  /** The reports until the constructor failed. */
  readonly reports: readonly ErrorReport[];
  /** The first report of that error; null if it was not reported. */
  readonly origin: ErrorReport | null;
}

/**
 * Returns the error in a constructor, which the host reports as its own refusal to create the
 * contract. Null if the report is another one.
 */
export function errorInConstructor(
  origin: ErrorReport | null,
  all: readonly ErrorReport[],
): ConstructorError | null {
  if (origin === null || messageIn(FRAMES, origin.message)?.id !== "constructor-failed")
    return null;
  const reports = all.slice(0, all.indexOf(origin));
  const [innerXdr = ""] = origin.valuesXdr;
  const error = innerXdr === "" ? null : errorOf(innerXdr);
  if (error === null) return null;
  const last = reports.findLast((report) => isSameError(report.error, error)) ?? null;
  const until = last === null ? [] : reports.slice(0, reports.indexOf(last) + 1);
  return { error, reports, origin: last && firstReportOf(until, last) };
}

/**
 * Returns the error that ended a run, and its first report: in the constructor, if one failed. Null
 * if nothing was reported.
 */
export function endingError(
  diagnosticsXdr: readonly string[],
): Pick<ConstructorError, "error" | "origin"> | null {
  const reports = readErrorReports(diagnosticsXdr);
  const [first = null] = endingReports(reports);
  let ending: Pick<ConstructorError, "error" | "origin"> | null = first && {
    error: first.error,
    origin: first,
  };
  let within = errorInConstructor(first, reports);
  while (within !== null) {
    ending = within;
    within = errorInConstructor(within.origin, within.reports);
  }
  return ending;
}

export function isSameError(left: ErrorFacts, right: ErrorFacts): boolean {
  return left.type === right.type && left.code === right.code;
}

/** A try_call turns an error into a value, except errors that no contract may catch. */
function wasCaught({ message, error }: ErrorReport): boolean {
  return messageIn(FRAMES, message)?.id === "try-call-failed" && isRecoverable(error);
}

/** The rule of soroban-env-host, host/error.rs, HostError::is_recoverable. */
function isRecoverable({ type, code }: ErrorFacts): boolean {
  if (type === "Contract") return true;
  const passedLimit = code === "ExceededLimit" && (type === "Budget" || type === "Storage");
  return code !== "InternalError" && !passedLimit;
}

/** Returns null for any other event. A contract's own event may look like an error of the host. */
export function errorReportOf(event: EventFacts): ErrorReport | null {
  const { kind, contract, topicsXdr, dataXdr } = event;
  const [name, errorXdr] = topicsXdr;
  if (kind !== "diagnostic" || name === undefined || errorXdr === undefined) return null;
  const error = isSymbol(name, "error") ? errorOf(errorXdr) : null;
  if (error === null) return null;
  const [first, ...valuesXdr] = elementsOf(dataXdr) ?? [dataXdr];
  const message = first === undefined ? "" : (stringOf(first) ?? "");
  return { contract, error, message, valuesXdr, dataXdr };
}

/** The message of some errors only repeats the error, or is blank. */
export function saysNothing({ message, error, valuesXdr }: ErrorReport): boolean {
  const isBlank = blankInWords(message) !== null;
  return valuesXdr.length === 0 && (isBlank || message === showError(error));
}

/** The numbers that the host reports with a limit; none if one of its values is not a number. */
export function numbersIn(report: ErrorReport | undefined): readonly bigint[] {
  const values = (report?.valuesXdr ?? []).map((value) => plainOf(value));
  return values.every((value) => typeof value === "bigint") ? values : [];
}
