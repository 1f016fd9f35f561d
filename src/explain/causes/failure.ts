// A Soroban transaction that failed in the contract host: the errors that the host reported, the
// first of them, and the call that raised it. Every kind of cause reads this.

import { cutVisibly, neutralise } from "../../base/text/neutralise.ts";
import { type CallNode, type Execution, failedPath } from "../../model/execution.ts";
import { type Cause, type CauseDetail, EARLIER } from "../../model/explanation.ts";
import { endedWith, type ResultCode } from "../../model/result-code.ts";
import type { Snapshot } from "../../model/snapshot.ts";
import type { ContractLookup } from "../../xdr/contract/contract-specs.ts";
import { withCreated } from "../../xdr/envelope/created-contracts.ts";
import type { Envelope } from "../../xdr/envelope/envelope.ts";
import type { ReadRecord } from "../../xdr/envelope/opened-record.ts";
import type { ChainFacts } from "../../xdr/outcome/chain-facts.ts";
import { errorOf } from "../../xdr/outcome/diagnostics.ts";
import {
  type ErrorReport,
  endingReports,
  firstReportOf,
  isSameError,
  readErrorReports,
} from "../../xdr/outcome/error-reports.ts";
import { FRAMES, messageIn } from "../../xdr/outcome/host-messages.ts";
import { showValue } from "../../xdr/values/value.ts";
import { elementsOf, stringOf } from "../../xdr/values/value-parts.ts";
import { type ErrorFacts, showError } from "../../xdr/values/value-text.ts";
import { locationDetails, locationInWords } from "../naming/code-location.ts";
import { CHECK_AUTH, diagnosticTree } from "../naming/diagnostic-calls.ts";
import { nameCalls, showCall, showFunction } from "../naming/named-calls.ts";

export interface CauseFacts {
  readonly cause: Cause;
  readonly evidence: readonly string[];
  readonly remedy: string | null;
  readonly details?: readonly CauseDetail[];
  /** The remedy is for where nothing is known to have decided. */
  readonly isLastResort?: true;
  /** Sentences of the evidence for where nothing is known to have decided. */
  readonly suppositions?: readonly string[];
  /** It may rest on what the node left out. */
  readonly byNode?: true;
  /** The summary where the deciding value is known, which says the rest better. */
  readonly beforeDecision?: string;
  /** What is likely for the state that it rests on stays likely, whatever decided on that state. */
  readonly restsOnLikelyState?: true;
}

/** Returns null when the failure is not of this kind. */
export type CauseFinder = (failure: Failure) => CauseFacts | null;

export interface Failure {
  /** The code of the operation, or of the transaction when no operation was applied. */
  readonly result: ResultCode;
  /** Null when only a node's answer is known: no claim about the envelope is made. */
  readonly envelope: Envelope | null;
  readonly ledger: number;
  readonly snapshot: Snapshot | null;
  readonly execution: Execution | null;
  readonly reports: readonly ErrorReport[];
  /** First report of the error that ended it; null when the host reported nothing. */
  readonly origin: ErrorReport | null;
  readonly error: ErrorFacts | null;
  /** The tree of all calls: from the replay, or otherwise from the diagnostics. */
  readonly tree: CallNode | null;
  /** The call that raised the error, as far as the calls show it. */
  readonly call: CallNode | null;
  readonly lookup: ContractLookup;
  /** Keys that are absent according to nodes alone: one may have left out what exists. */
  readonly absentByNode: readonly string[];
  /** Nothing that was declared limited it: only the network's limits did. */
  readonly simulated?: boolean;
}

export interface AbsentByNode {
  readonly absentByNode?: readonly string[];
}

export interface TracedTree {
  /** The replay's calls with their host calls, if those were recorded. */
  readonly tracedTree?: CallNode | null;
}

export function readFailure(
  { record, chain }: ReadRecord,
  facts: Pick<Failure, "result" | "envelope" | "snapshot" | "execution" | "lookup"> &
    TracedTree &
    AbsentByNode,
): Failure {
  const diagnostics = diagnosticsOf(chain, facts.execution);
  return failureOf(diagnostics, { ...facts, ledger: record.ledger.sequence });
}

type FromDiagnostics = "tree" | "reports" | "origin" | "error" | "call" | "absentByNode";

export function failureOf(
  diagnostics: readonly string[],
  {
    tracedTree = null,
    absentByNode = [],
    ...facts
  }: Omit<Failure, FromDiagnostics> & TracedTree & AbsentByNode,
): Failure {
  const reports = readErrorReports(diagnostics);
  const [origin = null] = endingReports(reports);
  const last = reports.at(-1) ?? null;
  const tree = tracedTree ?? facts.execution?.callTree ?? diagnosticTree(diagnostics);
  return {
    ...facts,
    lookup: withCreated(facts.lookup, facts.envelope, tree),
    absentByNode,
    tree,
    reports,
    origin,
    error: (origin && last?.error) ?? facts.execution?.hostError ?? last?.error ?? null,
    call: failingCall(tree, origin?.contract ?? null),
  };
}

/**
 * The host reports a failed constructor as its own refusal to create the contract. The cause is the
 * error within the constructor.
 */
export function beneathConstructor(failure: Failure): Failure {
  const { origin, reports, tree } = failure;
  if (origin === null || messageIn(FRAMES, origin.message)?.id !== "constructor-failed")
    return failure;
  const within = reports.slice(0, reports.indexOf(origin));
  const [innerXdr = ""] = origin.valuesXdr;
  const error = innerXdr === "" ? null : errorOf(innerXdr);
  if (error === null) return failure;
  const last = within.findLast((report) => isSameError(report.error, error)) ?? null;
  const inner =
    last === null ? null : firstReportOf(within.slice(0, within.indexOf(last) + 1), last);
  const call = failingCall(tree, inner?.contract ?? null);
  return { ...failure, reports: within, origin: inner, error, call };
}

/** The chain's diagnostics if there are any, otherwise the replay's. */
export function diagnosticsOf(
  chain: ChainFacts,
  execution: Pick<Execution, "diagnosticsXdr"> | null,
): readonly string[] {
  const { diagnosticsXdr, hostDiagnosticsXdr } = chain;
  return diagnosticsXdr.length > 0 ? hostDiagnosticsXdr : (execution?.diagnosticsXdr ?? []);
}

/**
 * The innermost failed call of `contract`, or of any contract if none of that one failed. The caller
 * reports the failure of an account's own check, and the check is what failed.
 */
function failingCall(root: CallNode | null, contract: string | null): CallNode | null {
  const failed = failedPath(root).filter((call) => call.function !== null);
  const at = failed.findLastIndex((call) => call.contract === contract);
  const check = failed.slice(at + 1).find((call) => call.function === CHECK_AUTH);
  return check ?? failed[at] ?? failed.at(-1) ?? null;
}

/** The `__check_auth` of a contract account that failed; null when the failure is elsewhere. */
export function failedCheckAuth({ tree, call }: Failure): CallNode | null {
  const path = failedPath(tree);
  const within = path.slice(0, call === null ? 0 : path.indexOf(call) + 1);
  return within.findLast((each) => each.function === CHECK_AUTH) ?? null;
}

/** The last call that the failed one made, with its result: a sentence, or empty without one. */
export function lastCallInWords({ call, lookup }: Failure): string {
  const last = call?.calls.findLast((each) => each.function !== null);
  if (last === undefined || last.failed || last.resultXdr === null) return "";
  const { result } = nameCalls(last, lookup);
  const returned = cutVisibly(result ?? "", SHOWN_RESULT);
  return ` The last call before the error, ${callOf(last, lookup)}, returned ${returned}.`;
}

const SHOWN_RESULT = 120;

/** `fail(code: 1) of contract C…`; null when the call is unknown. */
export function callInWords({ call, lookup }: Failure): string | null {
  if (call === null) return null;
  return callOf(call, lookup);
}

function callOf(call: CallNode, lookup: ContractLookup): string {
  const where = call.contract === null ? "" : ` of contract ${neutralise(call.contract)}`;
  return `${showCall(call, lookup)}${where}`;
}

const SHOWN_REPORTS = 6;
const SHOWN_BEFORE = 3;

/**
 * The failed call, the calls above it, and the place in its code. Errors of contracts that were
 * reported before the final one come last: a contract caught them, or they led to it.
 */
export function evidenceOf(failure: Failure): string[] {
  const { caught } = reportsNear(failure);
  return [
    ...callSentence(failure),
    ...passedOn(failure),
    ...locationInWords(failure.execution?.location, failure.call?.function ?? null),
    ...caught.map(earlierInWords),
  ];
}

/** The host's own reports, the innermost first, and how the place in the code was found. */
export function detailsOf(failure: Failure): CauseDetail[] {
  const { own, before } = reportsNear(failure);
  const host = [...own.map((report) => reportInWords(report)), ...before.map(earlierInWords)];
  const method = locationDetails(
    failure.execution?.location,
    failure.call?.function ?? null,
    failure.error?.type === "WasmVm",
  );
  return [
    ...method.map((text) => ({ kind: "method", text }) as const),
    ...host.map((text) => ({ kind: "host", text }) as const),
  ];
}

/** For readers of a node's answer, who have nothing else to check the cause by. */
export function evidenceInFull({
  evidence,
  details = [],
}: Pick<CauseFacts, "evidence" | "details">): string[] {
  return [...evidence, ...details.map(({ text }) => text)];
}

function earlierInWords(report: ErrorReport): string {
  return `${EARLIER}${reportInWords(report, "the host", "contract")}`;
}

function callSentence(failure: Failure): string[] {
  const call = callInWords(failure);
  return call === null ? [] : [`Failed call: ${call}.`];
}

/** Without the evidence that the summary of the cause already contains. */
export function withoutRepetition(found: CauseFacts, failure: Failure): CauseFacts {
  const { call, lookup, error } = failure;
  const { summary } = found.cause;
  const repeated: string[] = [];
  const contract = call?.contract ?? "";
  const isCalled = (text: string) => summary.includes(text) && summary.includes(contract);
  const name = call?.function ?? null;
  if (call !== null && isCalled(showCall(call, lookup))) repeated.push(...callSentence(failure));
  else if (name !== null && isCalled(`has no function ${showFunction(name)}`))
    repeated.push(...callSentence(failure));
  if (error !== null && summary.includes(showError(error)))
    repeated.push(`The host reported ${showError(error)}.`);
  const evidence = found.evidence.filter((sentence) => !repeated.includes(sentence));
  const details = detailsOf(failure).filter(({ text }) => !repeated.includes(text));
  return { ...found, evidence, details };
}

/**
 * Errors that were caught long before the final one rarely matter, and none does where a limit or
 * the fee ended the operation. `caught`: those of contracts.
 */
function reportsNear({ reports, origin, result }: Failure) {
  const at = origin === null ? reports.length : reports.indexOf(origin);
  const distinct = (some: readonly ErrorReport[]) =>
    some.filter(({ message }) => messageIn(FRAMES, message)?.row.passesOn !== true);
  const earlier = distinct(reports.slice(0, at)).slice(-SHOWN_BEFORE);
  const isCaught = ({ error }: ErrorReport) =>
    endedWith(result, "trapped") && (error.type === "Contract" || error.type === "WasmVm");
  const own = distinct(reports.slice(at)).slice(0, SHOWN_REPORTS - earlier.length);
  return {
    caught: earlier.filter(isCaught),
    before: earlier.filter((report) => !isCaught(report)),
    own: own.length > 0 || origin === null ? own : [origin],
  };
}

function reportInWords(report: ErrorReport, host = "The host", of = "Contract"): string {
  const { contract, error, dataXdr } = report;
  const who = contract === null ? host : `${of} ${contract}`;
  const reported = `${who} reported ${showError(error)}`;
  return saysNothing(report) ? `${reported}.` : `${reported}: ${dataInWords(dataXdr, 240)}`;
}

/** What comes with an error: `"Bytes had unexpected size" (31)`. */
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

/** The calls above the failed one, the outermost first: they failed with it. */
export function callsAbove({ tree, call }: Failure): readonly CallNode[] {
  const path = failedPath(tree);
  return path.slice(0, Math.max(0, call === null ? 0 : path.indexOf(call)));
}

/** The calls above the failed one that run a function: no creation, and not the host's root. */
export function callersOf(failure: Failure): readonly CallNode[] {
  return callsAbove(failure).filter((each) => each.function !== null);
}

function passedOn(failure: Failure): string[] {
  const callers = callersOf(failure).map((each) => callOf(each, failure.lookup));
  if (callers.length === 0) return [];
  return [`The failed call was made by ${callers.reverse().join(", called by ")}.`];
}
