// A Soroban transaction that failed in the contract host: the errors that the host reported, the
// first of them, and the call that raised it. Every kind of cause reads this.

import { neutralise } from "../../base/text/neutralise.ts";
import type { ChainRecord } from "../../model/chain-record.ts";
import type { CallNode, Execution } from "../../model/execution.ts";
import { type Cause, EARLIER } from "../../model/explanation.ts";
import type { Snapshot } from "../../model/snapshot.ts";
import type { ContractLookup } from "../../xdr/contract/contract-specs.ts";
import type { Envelope } from "../../xdr/envelope/envelope.ts";
import { errorOf, isCoreMetric } from "../../xdr/outcome/diagnostics.ts";
import { type ErrorReport, readErrorReports } from "../../xdr/outcome/error-reports.ts";
import { readTransactionMeta } from "../../xdr/outcome/meta.ts";
import { showValue } from "../../xdr/values/value.ts";
import { type ErrorFacts, showError } from "../../xdr/values/value-text.ts";
import { locationInWords } from "../naming/code-location.ts";
import { diagnosticTree } from "../naming/diagnostic-calls.ts";
import { showCall } from "../naming/named-calls.ts";

export interface CauseFacts {
  readonly cause: Cause;
  readonly evidence: readonly string[];
  readonly remedy: string | null;
}

/** Returns null when the failure is not of this kind. */
export type CauseFinder = (failure: Failure) => CauseFacts | null;

export interface Failure {
  /** XDR name of the operation's result code. */
  readonly code: string;
  /** Null when only a node's answer is known: no claim about the envelope is made. */
  readonly envelope: Envelope | null;
  readonly ledger: number;
  readonly snapshot: Snapshot | null;
  readonly execution: Execution | null;
  readonly reports: readonly ErrorReport[];
  /** First report of the error that ended it; null when the host reported nothing. */
  readonly origin: ErrorReport | null;
  readonly error: ErrorFacts | null;
  /** All calls: from the replay, or otherwise from the diagnostics. */
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
  record: ChainRecord,
  facts: Pick<Failure, "code" | "envelope" | "snapshot" | "execution" | "lookup"> &
    TracedTree &
    AbsentByNode,
): Failure {
  const diagnostics = diagnosticsOf(record, facts.execution);
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
  const last = reports.at(-1) ?? null;
  // If the last report is an error that a contract caught, the final error was not reported.
  const ending = last === null || wasCaught(last) ? null : last;
  const origin = ending === null ? null : originOf(reports, ending);
  const tree = tracedTree ?? facts.execution?.callTree ?? diagnosticTree(diagnostics);
  return {
    ...facts,
    absentByNode,
    tree,
    reports,
    origin,
    error: ending?.error ?? facts.execution?.hostError ?? last?.error ?? null,
    call: failingCall(tree, origin?.contract ?? null),
  };
}

/**
 * The host reports a failed constructor as its own refusal to create the contract. The cause is the
 * error within the constructor.
 */
export function beneathConstructor(failure: Failure): Failure {
  const { origin, reports, tree } = failure;
  if (origin?.message !== "constructor invocation has failed with error") return failure;
  const within = reports.slice(0, reports.indexOf(origin));
  const [innerXdr = ""] = origin.valuesXdr;
  const error = innerXdr === "" ? null : errorOf(innerXdr);
  if (error === null) return failure;
  const last = within.findLast((report) => isSame(report.error, error)) ?? null;
  const inner = last === null ? null : originOf(within.slice(0, within.indexOf(last) + 1), last);
  const call = failingCall(tree, inner?.contract ?? null);
  return { ...failure, reports: within, origin: inner, error, call };
}

/** The chain's diagnostics if there are any, otherwise the replay's. */
export function diagnosticsOf(record: ChainRecord, execution: Execution | null): readonly string[] {
  const ofMeta =
    record.resultMetaXdr === null ? [] : readTransactionMeta(record.resultMetaXdr).diagnosticsXdr;
  const candidates = [ofMeta, record.diagnosticEventsXdr, execution?.diagnosticsXdr ?? []];
  const found = candidates.find((events) => events.length > 0) ?? [];
  return found.filter((event) => !isCoreMetric(event));
}

function isSame(one: ErrorFacts, other: ErrorFacts): boolean {
  return one.type === other.type && one.code === other.code;
}

/** A try_call turns an error into a value, except errors that no contract may catch. */
function wasCaught({ message, error }: ErrorReport): boolean {
  return message === "contract try_call failed" && isRecoverable(error);
}

/** soroban-env-host, host/error.rs, HostError::is_recoverable. */
function isRecoverable({ type, code }: ErrorFacts): boolean {
  if (type === "Contract") return true;
  const passedLimit = code === "ExceededLimit" && (type === "Budget" || type === "Storage");
  return code !== "InternalError" && !passedLimit;
}

/** The first of the reports of the same error, which is reported again in every call it passes. */
function originOf(reports: readonly ErrorReport[], last: ErrorReport): ErrorReport {
  let origin = last;
  for (const report of reports.slice(0, -1).reverse()) {
    if (!isSame(report.error, last.error) || wasCaught(report)) return origin;
    origin = report;
  }
  return origin;
}

/** The innermost failed call of `contract`, or of any contract if none of that one failed. */
function failingCall(root: CallNode | null, contract: string | null): CallNode | null {
  let node: CallNode | undefined = root ?? undefined;
  let innermost: CallNode | null = null;
  let ofContract: CallNode | null = null;
  while (node?.failed) {
    if (node.function !== null) innermost = node;
    if (node.function !== null && node.contract === contract) ofContract = node;
    node = node.calls.findLast((call) => call.failed);
  }
  return ofContract ?? innermost;
}

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
/** Messages that the host adds for every error that a contract does not handle. */
const REPEATED = /^escalating |^contract call failed$/;

/**
 * The failed call, then the host's reports, the innermost first. Errors that it reported before the
 * final one come last: a contract caught them, or they led to it.
 */
export function evidenceOf(failure: Failure): string[] {
  const { before, own } = reportsNear(failure);
  return [
    ...callSentence(failure),
    ...passedOn(failure),
    ...locationInWords(failure.execution?.location, failure.error?.type === "WasmVm"),
    ...own.map((report) => reportInWords(report)),
    ...before.map((report) => `${EARLIER}${reportInWords(report, "the host", "contract")}`),
  ];
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
  if (call !== null && summary.includes(showCall(call, lookup)) && summary.includes(contract))
    repeated.push(...callSentence(failure));
  if (error !== null && summary.includes(showError(error)))
    repeated.push(`The host reported ${showError(error)}.`);
  const evidence = found.evidence.filter((sentence) => !repeated.includes(sentence));
  return { ...found, evidence };
}

/** Errors that were caught long before the final one rarely matter. */
function reportsNear({ reports, origin }: Failure) {
  const at = origin === null ? reports.length : reports.indexOf(origin);
  const distinct = (some: readonly ErrorReport[]) =>
    some.filter(({ message }) => !REPEATED.test(message));
  const before = distinct(reports.slice(0, at)).slice(-SHOWN_BEFORE);
  const own = distinct(reports.slice(at)).slice(0, SHOWN_REPORTS - before.length);
  return { before, own: own.length > 0 || origin === null ? own : [origin] };
}

function reportInWords(report: ErrorReport, host = "The host", of = "Contract"): string {
  const { contract, error, dataXdr } = report;
  const who = contract === null ? host : `${of} ${contract}`;
  const reported = `${who} reported ${showError(error)}`;
  return saysNothing(report) ? `${reported}.` : `${reported}: ${showValue(dataXdr, 240)}`;
}

/** The message of some errors only repeats the error. */
export function saysNothing({ message, error, valuesXdr }: ErrorReport): boolean {
  return valuesXdr.length === 0 && message === showError(error);
}

/** The calls above the failed one, which failed with it. */
function passedOn({ tree, call, lookup }: Failure): string[] {
  const callers: string[] = [];
  let node: CallNode | undefined = tree ?? undefined;
  while (node?.failed && node !== call) {
    if (node.function !== null) callers.push(callOf(node, lookup));
    node = node.calls.findLast((each) => each.failed);
  }
  if (callers.length === 0 || node !== call) return [];
  return [`The failed call was made by ${callers.reverse().join(", called by ")}.`];
}
