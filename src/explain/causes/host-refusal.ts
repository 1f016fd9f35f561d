// Errors that the host reports with a message of its own.

import { blankInWords } from "../../base/text/neutralise.ts";
import { saysNothing } from "../../xdr/outcome/error-reports.ts";
import { FRAMES, messageIn, REFUSALS } from "../../xdr/outcome/host-messages.ts";
import { showValue } from "../../xdr/values/value.ts";
import type { ErrorFacts } from "../../xdr/values/value-text.ts";
import { hostErrorInWords } from "../host-messages/host-errors.ts";
import type { CauseFinding, FoundBy } from "../words/found-cause.ts";
import { evidenceOf, type Failure, failedCallOf } from "./failure.ts";

export function hostActionCause(failure: Failure): CauseFinding | null {
  const { origin } = failure;
  const known = messageIn(REFUSALS, origin?.message);
  if (known === null || origin === null) return null;
  return {
    by: "refusal",
    kind: REFUSALS[known.id].kind,
    facts: {
      ...placeOf(failure),
      id: known.id,
      named: known.facts,
      message: origin.message,
      values: origin.valuesXdr.map((value) => showValue(value)),
    },
    confidence: "known",
    evidence: evidenceOf(failure),
  };
}

/** The cause of a failure of no other kind: the error in general words, with the host's message. */
export function hostErrorCause(failure: Failure, error: ErrorFacts): CauseFinding {
  const { envelope, call } = failure;
  const isUnknown = envelope === null && call === null;
  const upload = isUnknown ? null : envelope?.hostFunction?.kind === "upload";
  return {
    by: "host-error",
    kind: hostErrorInWords(error, upload).kind,
    facts: { ...placeOf(failure), error, upload, reported: reportedBy(failure) },
    confidence: upload === null && error.type === "WasmVm" ? "likely" : "known",
    evidence: evidenceOf(failure),
  };
}

function placeOf(failure: Failure) {
  return { call: failedCallOf(failure), hostFunction: hostFunctionOf(failure) };
}

/** Host functions that only pass on a failure below them. */
const CALLERS: ReadonlySet<string> = new Set(["call", "try_call"]);

/** The failed host function that the contract called. */
export function hostFunctionOf({
  reports,
  origin,
}: Pick<Failure, "reports" | "origin">): string | null {
  const from = origin === null ? 0 : reports.indexOf(origin);
  const report = reports.slice(from).find(({ message }) => failedHostFunction(message) !== null);
  const name = report === undefined ? null : failedHostFunction(report.message);
  return name === null || CALLERS.has(name) || report?.contract !== origin?.contract ? null : name;
}

/** The host function that the message names; null for another message. */
function failedHostFunction(message: string): string | null {
  return messageIn(FRAMES, message)?.facts.function ?? null;
}

/** Null if the host has no message that explains more than the error. */
function reportedBy({ origin }: Failure): FoundBy<"host-error">["facts"]["reported"] {
  if (origin === null || blankInWords(origin.message) !== null || saysNothing(origin)) return null;
  if (failedHostFunction(origin.message) !== null) return null;
  const { message, valuesXdr } = origin;
  return { message, values: valuesXdr.map((value) => showValue(value)) };
}
