// The parts of diagnostic `error` events, in which the contract host reports errors.

import { elementsOf, isSymbol, stringOf } from "../values/value-parts.ts";
import type { ErrorFacts } from "../values/value-text.ts";
import { type EventFacts, errorOf, isCoreMetric, readDiagnosticEvent } from "./diagnostics.ts";

/** One diagnostic `error` event. */
/** The host's message where no authorization covers a call (soroban-env-host, auth.rs). */
export const UNAUTHORIZED = "Unauthorized function call for address";

export interface ErrorReport {
  /** The contract that was running; null when the host itself reported the error. */
  readonly contract: string | null;
  readonly error: ErrorFacts;
  /** Not neutralised: for comparisons, never for people. */
  readonly message: string;
  /** The values after the message, ScVals. */
  readonly valuesXdr: readonly string[];
  readonly dataXdr: string;
}

/** In the order they were reported; the last one ended the call. */
export function readErrorReports(diagnosticsXdr: readonly string[]): ErrorReport[] {
  return diagnosticsXdr.flatMap((event) =>
    isCoreMetric(event) ? [] : (errorReportOf(readDiagnosticEvent(event)) ?? []),
  );
}

/** The reports of the error that ended it, the first one first; empty when it was not reported. */
export function endingReports(reports: readonly ErrorReport[]): readonly ErrorReport[] {
  const last = reports.at(-1);
  // If the last report is an error that a contract caught, the final error was not reported.
  if (last === undefined || wasCaught(last)) return [];
  return reports.slice(reports.indexOf(originOf(reports, last)));
}

/** The first of the reports of the same error, which is reported again in every call it passes. */
export function originOf(reports: readonly ErrorReport[], last: ErrorReport): ErrorReport {
  let origin = last;
  for (const report of reports.slice(0, -1).reverse()) {
    if (!isSameError(report.error, last.error) || wasCaught(report)) return origin;
    origin = report;
  }
  return origin;
}

export function isSameError(one: ErrorFacts, other: ErrorFacts): boolean {
  return one.type === other.type && one.code === other.code;
}

/** A try_call turns an error into a value, except errors that no contract may catch. */
function wasCaught({ message, error }: ErrorReport): boolean {
  return message === "contract try_call failed" && isRecoverable(error);
}

/** soroban-env-host, host/error.rs, HostError::is_recoverable. */
function isRecoverable({ type, code }: ErrorFacts): boolean {
  if (type === "Contract") return true;
  const passedLimit = code === "ExceededLimit" && (type === "Budget" || type === "Storage");
  return code !== "InternalError" && !passedLimit;
}

/** Null for any other event: a contract's own event may look like an error of the host. */
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
