// The sentences of the evidence for a cause, and the host's reports in words.

import { grouped } from "../../base/text/grouped.ts";
import { EARLIER } from "../../model/explanation.ts";
import type { ErrorReport } from "../../xdr/outcome/error-reports.ts";
import { showValue } from "../../xdr/values/value.ts";
import { elementsOf, stringOf } from "../../xdr/values/value-parts.ts";
import { showError } from "../../xdr/values/value-text.ts";
import type { CauseEvidence } from "./found-cause.ts";
import { archivedInWords } from "./limit-words.ts";
import { failedOperationInWords, fieldsInWords } from "./result-words.ts";

/** One sentence. */
export function evidenceInWords(evidence: CauseEvidence): string {
  switch (evidence.kind) {
    case "failed-call":
      return `Failed call: ${evidence.call}.`;
    case "callers":
      return `The failed call was made by ${evidence.calls.join(", called by ")}.`;
    case "location":
    case "reported-line":
      return evidence.text;
    case "earlier-error":
      return earlierInWords(evidence.report);
    case "looked-up":
      return `The contract looked up ${evidence.entry}.`;
    case "absent-entries":
      return `These footprint entries did not exist or had expired: ${evidence.entries.join("; ")}.`;
    case "one-of-entries":
      return `The entry is one of these footprint entries: ${evidence.entries.join("; ")}.`;
    case "counted-as-written":
      return countedInWords(evidence);
    case "also-archived":
      return `Also archived: ${archivedInWords(evidence.entry)}.`;
    case "required-authorization": {
      const { address, calls, certain } = evidence;
      const sure = certain ? "" : ", or other arguments that the contract requires";
      return `Required: ${address} for ${calls.join(SUB_INVOCATION)}${sure}.`;
    }
    case "supplied-authorization": {
      const { address, isOfSource, calls, signed, last } = evidence;
      const how = isOfSource ? " (as the source account)" : "";
      const until = last === null ? "" : `, valid until ledger ${last}`;
      return `Supplied: ${address}${how} for ${calls}${signed ? until : ", not signed"}.`;
    }
    case "no-authorizations":
      return "The transaction contains no authorization entries.";
    case "operation":
      return failedOperationInWords(evidence.operation);
    case "operation-fields":
      return fieldsInWords(evidence.operation);
    case "more-operations":
      return `${evidence.count} more operations failed.`;
    case "node-lacks": {
      const { entries, more } = evidence;
      const all = more > 0 ? [...entries, `${more} more`] : entries;
      return `The node has no entry for ${all.join("; ")}.`;
    }
  }
}

export const SUB_INVOCATION = " with sub-invocation ";

function countedInWords({
  entries,
  more,
}: Extract<CauseEvidence, { readonly kind: "counted-as-written" }>): string {
  const shown = entries.map(({ name, before }) => {
    if (before === undefined) return name;
    return `${name} (${before === null ? "absent" : `${grouped(before)} bytes`} before)`;
  });
  const rest = more > 0 ? `; and ${grouped(more)} more` : "";
  return (
    "Every read-write footprint entry that exists after the call counts as written, with its full " +
    "size, even if it did not change or the call that wrote it was rolled back: " +
    `${shown.join("; ")}${rest}.`
  );
}

export function earlierInWords(report: ErrorReport): string {
  return `${EARLIER}${reportInWords(report, "the host", "contract")}`;
}

export function reportInWords(report: ErrorReport, host = "The host", of = "Contract"): string {
  const { contract, error, dataXdr } = report;
  const who = contract === null ? host : `${of} ${contract}`;
  const reported = `${who} reported ${showError(error)}`;
  return saysNothing(report) ? `${reported}.` : `${reported}: ${dataInWords(dataXdr, 240)}`;
}

/** The values that come with an error: `"Bytes had unexpected size" (31)`. */
export function dataInWords(dataXdr: string, limit?: number): string {
  const [message, ...values] = elementsOf(dataXdr) ?? [];
  if (message === undefined || stringOf(message) === null) return showValue(dataXdr, limit);
  const more = values.map((value) => showValue(value, limit)).join(", ");
  return `${showValue(message, limit)}${more === "" ? "" : ` (${more})`}`;
}

/** The message of some errors only repeats the error. */
export function saysNothing({ message, error, valuesXdr }: ErrorReport): boolean {
  return valuesXdr.length === 0 && message === showError(error);
}
