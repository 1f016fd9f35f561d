// Finds which entry a transaction found archived, from its own diagnostics. The result only says
// that one was.

import { endedWith, type ResultCode } from "../model/result-code.ts";
import type { ErrorReport } from "../xdr/outcome/error-reports.ts";
import { archivedKey } from "../xdr/outcome/missed-keys.ts";

/** The archived entry. `reports` is read only if the result reports that one was archived. */
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
