// The sentences of the evidence for a cause, and the host's reports in words.

import { grouped } from "../../base/text/grouped.ts";
import type { CauseDetail } from "../../model/explanation.ts";
import { showError } from "../../xdr/values/value-text.ts";
import { locationDetails, locationInWords } from "../naming/code-location.ts";
import { libraryErrorsInWords } from "../naming/library-errors.ts";
import type { Spoken } from "./call-name.ts";
import { hashesInWords, termsInWords } from "./envelope-words.ts";
import type { CauseEvidence, FoundDetail, ReportFacts, SuppliedCall } from "./found-evidence.ts";
import { archivedInWords } from "./limit-words.ts";
import { failedOperationInWords, fieldsInWords } from "./result-words.ts";

/** The sentences of the evidence: usually one, and none if it adds nothing. */
export function evidenceInWords(evidence: Spoken<CauseEvidence>): readonly string[] {
  switch (evidence.kind) {
    case "location":
      return locationInWords(evidence.place.location, evidence.place.called);
    case "library-errors": {
      const words = libraryErrorsInWords(evidence.number);
      return words === null ? [] : [words];
    }
    case "envelope-hashes":
      return hashesInWords(evidence.hashes, evidence.isProven);
    case "envelope-terms":
      return termsInWords(evidence.code, evidence.terms);
    default:
      return [sentenceOf(evidence)];
  }
}

type OneSentence = Exclude<
  Spoken<CauseEvidence>,
  { readonly kind: "location" | "library-errors" | "envelope-hashes" | "envelope-terms" }
>;

function sentenceOf(evidence: OneSentence): string {
  switch (evidence.kind) {
    case "failed-call":
      return `Failed call: ${evidence.call}.`;
    case "callers":
      return `The failed call was made by ${evidence.calls.join(", called by ")}.`;
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
      return `Supplied: ${address}${how} for ${callsInWords(calls)}${signed ? until : ", not signed"}.`;
    }
    case "supplied-until":
      return evidence.last === null
        ? "The signature of the transaction covers the authorization entry."
        : `The authorization entry is valid until ledger ${evidence.last}.`;
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
    default:
      return besideFailure(evidence);
  }
}

type BesideFailure = Extract<
  Spoken<CauseEvidence>,
  {
    readonly kind:
      | "by-node-alone"
      | "replayed-otherwise"
      | "other-argument"
      | "state-changed"
      | "last-changed"
      | "names-of"
      | "message-meaning"
      | "returned-before";
  }
>;

/**
 * The sentence for evidence from something other than the failed run: another run, a ledger, a
 * pasted log.
 */
function besideFailure(evidence: BesideFailure): string {
  switch (evidence.kind) {
    case "by-node-alone":
      return (
        "Beyond the result code, this rests on the node's diagnostic events alone: no replay " +
        "confirms them, and no hash covers them."
      );
    case "replayed-otherwise": {
      const { error } = evidence;
      const ended = error === null ? "" : `, and ended with ${showError(error)}`;
      return (
        `The replay has other diagnostic events than those that the node reported${ended}. No hash ` +
        "covers diagnostic events."
      );
    }
    case "other-argument":
      return `With \`${evidence.name}\` = ${evidence.value} the transaction succeeds: a run on the same state shows it.`;
    case "state-changed": {
      const { transactionHash, ledger, applicationOrder, field, entry, before, after } = evidence;
      const subject = field === "" ? entry : `${field} in the ${entry}`;
      return (
        `State changed by: transaction ${transactionHash} (ledger ${ledger}, transaction ` +
        `${applicationOrder}) changed ${subject} from ${before} to ${after}.`
      );
    }
    case "last-changed":
      return (
        `The ${evidence.entry} contains ${evidence.number}. It was last changed in ledger ` +
        `${evidence.ledger}.`
      );
    case "names-of":
      return `The names are those of ${evidence.of}.`;
    case "message-meaning":
      return evidence.meaning;
    case "returned-before": {
      const of = evidence.contract === null ? "" : ` of contract ${evidence.contract}`;
      return `Just before the error, ${evidence.call}${of} returned ${evidence.value}.`;
    }
  }
}

function callsInWords({ call, calls }: SuppliedCall): string {
  if (calls.length === 0) return call;
  return `${call}${SUB_INVOCATION}${calls.map(callsInWords).join(" and ")}`;
}

const SUB_INVOCATION = " with sub-invocation ";

function countedInWords({
  entries,
  more,
}: Extract<CauseEvidence, { readonly kind: "counted-as-written" }>): string {
  const shown = entries.map(({ name, before }) => {
    if (before === undefined) return name;
    return `${name} (${before === null ? "absent" : `${grouped(before)} bytes`} before)`;
  });
  const moreInWords = more > 0 ? `; and ${grouped(more)} more` : "";
  return (
    "Every read-write footprint entry that exists after the call counts as written, with its full " +
    "size, even if it did not change or the call that wrote it was rolled back: " +
    `${shown.join("; ")}${moreInWords}.`
  );
}

/** The words for how the place is known, and for the host's own reports. */
export function detailInWords(detail: FoundDetail): CauseDetail[] {
  if (detail.kind === "host") {
    const { report, isEarlier } = detail;
    return [{ kind: "host", text: isEarlier ? earlierInWords(report) : reportInWords(report) }];
  }
  const { place, trapped } = detail;
  const lines = locationDetails(place.location, place.called, trapped);
  return lines.map((text) => ({ kind: "method", text }));
}

function earlierInWords(report: ReportFacts): string {
  return `Before that, ${reportInWords(report, "the host", "contract")}`;
}

function reportInWords(
  { contract, error, data }: ReportFacts,
  host = "The host",
  of = "Contract",
): string {
  const who = contract === null ? host : `${of} ${contract}`;
  const reported = `${who} reported ${showError(error)}`;
  return data === null ? `${reported}.` : `${reported}: ${data}`;
}
