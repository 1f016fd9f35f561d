// What is known of a Soroban transaction that failed in the contract host: the errors the host
// reported, the one they began with, and the call that raised it. Every kind of cause reads this.

import { neutralise } from "../../base/text/neutralise.ts";
import type { ChainRecord } from "../../model/chain-record.ts";
import type { CallNode, Execution } from "../../model/execution.ts";
import { type Cause, EARLIER } from "../../model/explanation.ts";
import type { Snapshot } from "../../model/snapshot.ts";
import type { ContractLookup } from "../../xdr/contract/contract-specs.ts";
import type { EnvelopeFacts } from "../../xdr/envelope/envelope.ts";
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

/** A cause of one kind, or null when the failure is of another. */
export type CauseFinder = (failure: Failure) => CauseFacts | null;

export interface Failure {
  /** XDR name of the operation's result code. */
  readonly code: string;
  readonly envelope: EnvelopeFacts;
  readonly envelopeXdr: string;
  readonly ledger: number;
  readonly snapshot: Snapshot | null;
  readonly execution: Execution | null;
  readonly reports: readonly ErrorReport[];
  /** Where the error that ended it began; null when the host reported nothing. */
  readonly origin: ErrorReport | null;
  readonly error: ErrorFacts | null;
  /** All calls: of the replay, or else as the diagnostics tell them. */
  readonly tree: CallNode | null;
  /** The call that raised it, as far as they show. */
  readonly call: CallNode | null;
  readonly lookup: ContractLookup;
}

export interface TracedTree {
  /** The replay's calls with what each asked of the host, where that was recorded. */
  readonly tracedTree?: CallNode | null;
}

export function readFailure(
  record: ChainRecord,
  facts: Pick<Failure, "code" | "envelope" | "snapshot" | "execution" | "lookup"> & TracedTree,
): Failure {
  const { envelopeXdr, ledger } = record;
  const diagnostics = diagnosticsOf(record, facts.execution);
  return failureTold(diagnostics, { ...facts, envelopeXdr, ledger: ledger.sequence });
}

type Told = "tree" | "reports" | "origin" | "error" | "call";

/** As a host's diagnostics tell it. */
export function failureTold(
  diagnostics: readonly string[],
  { tracedTree = null, ...facts }: Omit<Failure, Told> & TracedTree,
): Failure {
  const reports = readErrorReports(diagnostics);
  const last = reports.at(-1) ?? null;
  // Nothing was reported after an error that a contract caught: what ended it did so in silence.
  const ending = last === null || wasCaught(last) ? null : last;
  const origin = ending === null ? null : originOf(reports, ending);
  const tree = tracedTree ?? facts.execution?.callTree ?? diagnosticTree(diagnostics);
  return {
    ...facts,
    tree,
    reports,
    origin,
    error: ending?.error ?? facts.execution?.hostError ?? last?.error ?? null,
    call: failingCall(tree, origin?.contract ?? null),
  };
}

/**
 * A constructor's failure is reported as the host's own refusal to create the contract: what counts
 * is what went wrong in the constructor.
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

/** The chain's, where it has any: they are what happened. */
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

/** A try_call hands it on as a value, unless it is one that no contract may catch. */
function wasCaught({ message, error }: ErrorReport): boolean {
  return message === "contract try_call failed" && isRecoverable(error);
}

/** soroban-env-host, host/error.rs, HostError::is_recoverable. */
function isRecoverable({ type, code }: ErrorFacts): boolean {
  if (type === "Contract") return true;
  const passedLimit = code === "ExceededLimit" && (type === "Budget" || type === "Storage");
  return code !== "InternalError" && !passedLimit;
}

/** Back through reports of the same error: it is reported again in every call it passes. */
function originOf(reports: readonly ErrorReport[], last: ErrorReport): ErrorReport {
  let origin = last;
  for (const report of reports.slice(0, -1).reverse()) {
    if (!isSame(report.error, last.error) || wasCaught(report)) return origin;
    origin = report;
  }
  return origin;
}

/** The innermost call that failed; of `contract`, when one of it did. */
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

/** `fail(code: 1) of contract C…`; null when the call is not known. */
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
/** What the host says of every error that a contract does not handle. */
const REPEATED = /^escalating |^contract call failed$/;

/**
 * The failing call, then the host's own words, the innermost first; at last what it reported before
 * the error that ended it, which a contract caught or which led there.
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
  return call === null ? [] : [`The call that failed is ${call}.`];
}

/** Without what the summary of the cause says already. */
export function withoutRepetition(found: CauseFacts, failure: Failure): CauseFacts {
  const { call, lookup, error } = failure;
  const { summary } = found.cause;
  const said: string[] = [];
  const contract = call?.contract ?? "";
  if (call !== null && summary.includes(showCall(call, lookup)) && summary.includes(contract))
    said.push(...callSentence(failure));
  if (error !== null && summary.includes(showError(error)))
    said.push(`The host reported ${showError(error)}.`);
  const evidence = found.evidence.filter((sentence) => !said.includes(sentence));
  return { ...found, evidence };
}

/** What was caught long before says little. */
function reportsNear({ reports, origin }: Failure) {
  const at = origin === null ? reports.length : reports.indexOf(origin);
  const told = (some: readonly ErrorReport[]) =>
    some.filter(({ message }) => !REPEATED.test(message));
  const before = told(reports.slice(0, at)).slice(-SHOWN_BEFORE);
  const own = told(reports.slice(at)).slice(0, SHOWN_REPORTS - before.length);
  return { before, own: own.length > 0 || origin === null ? own : [origin] };
}

function reportInWords(report: ErrorReport, host = "The host", of = "Contract"): string {
  const { contract, error, dataXdr } = report;
  const who = contract === null ? host : `${of} ${contract}`;
  const reported = `${who} reported ${showError(error)}`;
  return saysNothing(report) ? `${reported}.` : `${reported}: ${showValue(dataXdr, 240)}`;
}

/** The message of some errors is the error once more. */
export function saysNothing({ message, error, valuesXdr }: ErrorReport): boolean {
  return valuesXdr.length === 0 && message === showError(error);
}

/** The calls above the failing one, which failed with it. */
function passedOn({ tree, call, lookup }: Failure): string[] {
  const callers: string[] = [];
  let node: CallNode | undefined = tree ?? undefined;
  while (node?.failed && node !== call) {
    if (node.function !== null) callers.push(callOf(node, lookup));
    node = node.calls.findLast((each) => each.failed);
  }
  if (callers.length === 0 || node !== call) return [];
  return [`It was called by ${callers.reverse().join(", called by ")}.`];
}
