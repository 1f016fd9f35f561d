// Errors that the host reports with a message of its own.

import { cutVisibly, neutralise } from "../../base/text/neutralise.ts";
import { sentenceStart } from "../../base/text/sentence.ts";
import type { ErrorReport } from "../../xdr/outcome/error-reports.ts";
import { FRAMES, messageIn, REFUSALS } from "../../xdr/outcome/host-messages.ts";
import { showValue } from "../../xdr/values/value.ts";
import { type ErrorFacts, showError } from "../../xdr/values/value-text.ts";
import { hostErrorInWords } from "../host-messages/host-errors.ts";
import { type NamedRefusal, namedRefusal } from "../host-messages/refusal-words.ts";
import { type CauseFacts, callInWords, evidenceOf, type Failure, saysNothing } from "./failure.ts";

const SHOWN_MESSAGE = 240;

export function hostActionCause(failure: Failure): CauseFacts | null {
  const { origin } = failure;
  const known = namedRefusal(origin?.message ?? "");
  if (known === null || origin === null) return null;
  const { remedy } = known;
  const { kind } = REFUSALS[known.id];
  const clause = withValues(known, origin);
  const summary = `${sentenceStart(clause)}${placeOf(failure)}.`;
  return { cause: { kind, summary, confidence: "known" }, evidence: evidenceOf(failure), remedy };
}

/** For a failure that fits no other kind: the error in general words, with the host's message. */
export function hostErrorCause(failure: Failure, error: ErrorFacts): CauseFacts {
  const { envelope, call } = failure;
  const isUnknown = envelope === null && call === null;
  const upload = isUnknown ? null : envelope?.hostFunction?.kind === "upload";
  const { kind, words, remedy } = hostErrorInWords(error, upload);
  const clause = `${words}${hostMessage(failure)}${placeOf(failure)}`;
  const summary = `${sentenceStart(clause)} (${showError(error)}).`;
  const confidence = upload === null && error.type === "WasmVm" ? "likely" : "known";
  return { cause: { kind, summary, confidence }, evidence: evidenceOf(failure), remedy };
}

/** `, in fail(code: 1) of contract C…`; empty when the call is unknown. */
function placeOf(failure: Failure): string {
  const call = callInWords(failure);
  const host = hostFunctionOf(failure);
  const by = host === null ? "" : ` (host function ${host})`;
  return call === null ? by : `${by}, in ${call}`;
}

/** Host functions that only pass on what failed below them. */
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

/** The host function that the message names; null: another message. */
function failedHostFunction(message: string): string | null {
  return messageIn(FRAMES, message)?.facts.function ?? null;
}

function hostMessage({ origin }: Failure): string {
  if (origin === null || origin.message === "" || saysNothing(origin)) return "";
  if (failedHostFunction(origin.message) !== null) return "";
  return ` (${messageWithValues(origin)})`;
}

/** The message and its values as one clause. */
function messageWithValues({ message, valuesXdr }: ErrorReport): string {
  const values = valuesXdr.map((value) => showValue(value)).join(", ");
  const shown = cutVisibly(neutralise(message), SHOWN_MESSAGE);
  return values === "" ? shown : `${shown}: ${values}`;
}

function withValues({ words, row }: NamedRefusal, origin: ErrorReport): string {
  const values = origin.valuesXdr.map((value) => showValue(value));
  const all = values.length === 0 ? "values" : values.join(" and ");
  const named = new Map(row.values?.map((name, at) => [name, values[at]]));
  const substitute = (_: string, name: string) => {
    if (name === "message") return messageWithValues(origin);
    return name === "values" ? all : (named.get(name) ?? "(unknown)");
  };
  // A function, because a value from the chain could contain `$&`.
  return words.replace(/\{(\w+)\}/g, substitute);
}
