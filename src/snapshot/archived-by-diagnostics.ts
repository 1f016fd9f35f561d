// Which entry a transaction found archived, by its own diagnostics: the result says only that one
// was.

import { endedWith, type ResultCode } from "../model/result-code.ts";
import type { ErrorReport } from "../xdr/outcome/error-reports.ts";
import { archivedKey } from "../xdr/outcome/missed-keys.ts";

/** `reports`: asked for only where the result says so. */
export function archivedByDiagnostics(
  operationResult: ResultCode | null,
  reports: () => readonly ErrorReport[],
): string | null {
  if (!endedWith(operationResult, "entryArchived")) return null;
  for (const report of reports()) {
    const keyXdr = archivedKey(report);
    if (keyXdr !== null) return keyXdr;
  }
  return null;
}
