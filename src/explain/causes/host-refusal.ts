// What the host refused, by the host's own words.

import { cutVisibly, neutralise } from "../../base/text/neutralise.ts";
import { sentenceStart } from "../../base/text/sentence.ts";
import type { ErrorReport } from "../../xdr/outcome/error-reports.ts";
import { showValue } from "../../xdr/values/value.ts";
import { type ErrorFacts, showError } from "../../xdr/values/value-text.ts";
import { hostErrorInWords } from "../host-messages/host-errors.ts";
import { knownMessage } from "../host-messages/host-messages.ts";
import { type CauseFacts, callInWords, evidenceOf, type Failure, saysNothing } from "./failure.ts";

const SHOWN_SAID = 240;

export function hostActionCause(failure: Failure): CauseFacts | null {
  const { origin } = failure;
  const known = knownMessage(origin?.message ?? "");
  if (known === null || origin === null) return null;
  const { kind, remedy } = known;
  const clause = withValues(known.words, origin);
  const summary = `${sentenceStart(clause)}${placeOf(failure)}.`;
  return { cause: { kind, summary, confidence: "known" }, evidence: evidenceOf(failure), remedy };
}

/** What no kind of cause knows: its error in general words, with the host's own. */
export function hostErrorCause(failure: Failure, error: ErrorFacts): CauseFacts {
  const { execution } = failure;
  const upload = execution?.callTree?.calls[0]?.kind === "upload_wasm";
  const { kind, words, remedy } = hostErrorInWords(error, upload);
  const summary = `${showError(error)}: ${words}${saidByHost(failure)}${placeOf(failure)}.`;
  return { cause: { kind, summary, confidence: "known" }, evidence: evidenceOf(failure), remedy };
}

/** ` in fail(code: 1) of contract C…`; empty when the call is not known. */
function placeOf(failure: Failure): string {
  const call = callInWords(failure);
  const host = hostFunctionOf(failure);
  const by = host === null ? "" : ` (host function ${host})`;
  return call === null ? by : `${by}, in ${call}`;
}

const TRAPPED_BY = /^escalating error to VM trap from failed host function call: (\w{1,64})$/;
/** They only hand on what failed below them. */
const CALLERS: ReadonlySet<string> = new Set(["call", "try_call"]);

/** The host function that the contract called and that failed. */
function hostFunctionOf({ reports, origin }: Failure): string | null {
  const from = origin === null ? 0 : reports.indexOf(origin);
  const told = reports.slice(from).find(({ message }) => TRAPPED_BY.test(message));
  const name = TRAPPED_BY.exec(told?.message ?? "")?.[1] ?? null;
  return name === null || CALLERS.has(name) || told?.contract !== origin?.contract ? null : name;
}

function saidByHost({ origin }: Failure): string {
  if (origin === null || origin.message === "" || TRAPPED_BY.test(origin.message)) return "";
  if (saysNothing(origin)) return "";
  return ` (${saidIn(origin)})`;
}

/** The message and its values, as one clause. */
function saidIn({ message, valuesXdr }: ErrorReport): string {
  const values = valuesXdr.map((value) => showValue(value)).join(", ");
  const said = cutVisibly(neutralise(message), SHOWN_SAID);
  return values === "" ? said : `${said}: ${values}`;
}

function withValues(words: string, origin: ErrorReport): string {
  const values = origin.valuesXdr.map((value) => showValue(value));
  const all = values.length === 0 ? "values" : values.join(" and ");
  const standFor = (mark: string) => {
    if (mark === "{said}") return saidIn(origin);
    return mark === "{values}" ? all : (values[Number(mark.slice(1, -1))] ?? "(not told)");
  };
  // A function: a value of the chain could hold `$&`.
  return words.replace(/\{(\d|values|said)\}/g, standFor);
}
