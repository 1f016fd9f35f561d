// The steps of a call that diagnostic events report, as text: events with their names, log entries
// as the contract formatted them, and errors with the names from the specification of the contract
// that raised them.

import { blankInWords, cutVisibly, neutralise } from "../../base/text/neutralise.ts";
import type { CallNode } from "../../model/execution.ts";
import type { FrameError, NamedCall, NamedLog, NamedStep } from "../../model/explanation.ts";
import { errorCase, showErrorCase } from "../../xdr/contract/contract-spec.ts";
import type { ContractLookup } from "../../xdr/contract/contract-specs.ts";
import type { ErrorReport } from "../../xdr/outcome/error-reports.ts";
import { FRAMES, messageIn } from "../../xdr/outcome/host-messages.ts";
import { showValue } from "../../xdr/values/value.ts";
import { elementsOf, stringOf } from "../../xdr/values/value-parts.ts";
import { type ErrorFacts, showError } from "../../xdr/values/value-text.ts";
import { nameEvent } from "./named-events.ts";
import type { Reported, TracedCall } from "./traced-calls.ts";

const SHOWN_LOG = 2000;

export function nameReported(step: Reported, lookup: ContractLookup): NamedStep {
  if (step.kind === "event")
    return { kind: "event", event: nameEvent(step.event, lookup), kept: step.kept };
  if (step.kind === "log") return { kind: "log", text: showLog(step.dataXdr) };
  return { kind: "report", text: `${showError(step.report.error)}: ${wordsOf(step.report)}` };
}

/** The message with its values instead of `{}`. Further values follow it. */
function showLog(dataXdr: string): string {
  const [first = dataXdr, ...values] = elementsOf(dataXdr) ?? [];
  const message = stringOf(first);
  const shown = values.map((value) => showValue(value));
  if (message === null) return [showValue(first, SHOWN_LOG), ...shown].join(", ");
  const [begin = "", ...parts] = cutVisibly(neutralise(message), SHOWN_LOG).split("{}");
  const text = parts.reduce((before, part) => `${before}${shown.shift() ?? "{}"}${part}`, begin);
  return [text, ...shown].join(", ");
}

/** The log entries of a call and of those below it, in order. */
export function logsOf({ steps, contract, calls }: LoggedCall): NamedLog[] {
  return steps.flatMap((step): NamedLog[] => {
    if (step.kind === "log") return [{ contract, text: step.text }];
    const below = step.kind === "call" ? calls[step.index] : undefined;
    return below === undefined ? [] : logsOf(below);
  });
}

interface LoggedCall extends Pick<NamedCall, "steps" | "contract"> {
  readonly calls: readonly LoggedCall[];
}

/**
 * The name of an error. A call that passes an error on shows it as the call that raised it does.
 */
export function nameError(
  { error, contract, function: name }: CallNode & Partial<Pick<TracedCall, "error">>,
  below: readonly NamedCall[],
  lookup: ContractLookup,
): FrameError | null {
  if (!error) return null;
  const { facts, report, raised } = error;
  const within = raised ? undefined : below.findLast((call) => call.error !== null)?.error;
  if (within) return { error: within.error, message: null, raised };
  const shown = errorName(facts, contract, lookup) ?? showError(facts);
  const isOwn = report !== null && !isBoilerplate(report, shown);
  return { error: shown, message: isOwn ? wordsOf(report, name) : null, raised };
}

/**
 * The name, such as `LabError::NotFound (#1)`; null if the contract does not name it, or gives it
 * several names.
 */
function errorName(
  { contractCode }: ErrorFacts,
  contract: string | null,
  lookup: ContractLookup,
): string | null {
  const known = lookup(contract);
  const named = contractCode === null ? null : errorCase(known?.spec ?? null, contractCode);
  if (named === null) return null;
  const name = known?.wasmHash === null ? named.name : showErrorCase(named);
  return `${neutralise(name)} (#${contractCode})`;
}

/**
 * Says whether the host's message only says that a contract returned an error or failed with it.
 */
function isBoilerplate({ message, error }: ErrorReport, shown: string): boolean {
  if (blankInWords(message) !== null || message === shown || message === showError(error))
    return true;
  const reported = messageIn(FRAMES, message)?.id;
  return reported === "error-returned" || reported === "contract-failed";
}

/** The words of a report. `name` is that of the call's function, which is not repeated. */
function wordsOf({ message, valuesXdr }: ErrorReport, name: string | null = null): string {
  const values = valuesXdr.map((value) => showValue(value)).filter((value) => value !== name);
  const called = messageIn(FRAMES, message)?.facts.function;
  const text = called === undefined ? neutralise(message) : `in the host function ${called}`;
  return values.length === 0 ? text : `${text} (${values.join(", ")})`;
}
