// The parts of diagnostic `error` events, in which the contract host reports errors.

import { elementsOf, isSymbol, stringOf } from "../values/value-parts.ts";
import type { ErrorFacts } from "../values/value-text.ts";
import { errorOf, isCoreMetric, readDiagnosticEvent } from "./diagnostics.ts";

/** One diagnostic `error` event. */
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
  return diagnosticsXdr.flatMap((event) => (isCoreMetric(event) ? [] : readReport(event)));
}

function readReport(diagnosticXdr: string): ErrorReport[] {
  const { contract, topicsXdr, dataXdr } = readDiagnosticEvent(diagnosticXdr);
  const [name, errorXdr] = topicsXdr;
  if (name === undefined || errorXdr === undefined || !isSymbol(name, "error")) return [];
  const error = errorOf(errorXdr);
  if (error === null) return [];
  const [first, ...valuesXdr] = elementsOf(dataXdr) ?? [dataXdr];
  const message = first === undefined ? "" : (stringOf(first) ?? "");
  return [{ contract, error, message, valuesXdr, dataXdr }];
}
