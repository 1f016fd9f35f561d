// A Soroban transaction that failed in the contract host: the errors that the host reported, the
// first of them, and the call that raised it. Every kind of cause reads this.

import { cutVisibly, neutralise } from "../../base/text/neutralise.ts";
import { type CallNode, type Execution, failedPath } from "../../model/execution.ts";
import { endedWith, type ResultCode } from "../../model/result-code.ts";
import type { Snapshot } from "../../model/snapshot.ts";
import type { ContractLookup } from "../../xdr/contract/contract-specs.ts";
import { CHECK_AUTH } from "../../xdr/contract/reserved-functions.ts";
import { withCreated } from "../../xdr/envelope/created-contracts.ts";
import type { Envelope } from "../../xdr/envelope/envelope.ts";
import type { ReadRecord } from "../../xdr/envelope/opened-record.ts";
import type { ChainFacts } from "../../xdr/outcome/chain-facts.ts";
import {
  type ErrorReport,
  endingReports,
  errorInConstructor,
  isSameError,
  loggedPanic,
  readErrorReports,
  saysNothing,
} from "../../xdr/outcome/error-reports.ts";
import { AFTERWARDS, CALLS, FRAMES, messageIn } from "../../xdr/outcome/host-messages.ts";
import { showData } from "../../xdr/outcome/report-data.ts";
import type { ErrorFacts } from "../../xdr/values/value-text.ts";
import { diagnosticTree } from "../naming/diagnostic-calls.ts";
import { functionInCode, nameCalls, showCall } from "../naming/named-calls.ts";
import type { CallName } from "../words/call-name.ts";
import type { CauseFinding, FoundCause } from "../words/found-cause.ts";
import type { CauseEvidence, FoundDetail, ReportFacts } from "../words/found-evidence.ts";

/** Returns null if the failure is not of this kind. */
export type CauseFinder = (failure: Failure) => CauseFinding | null;

export interface Failure {
  /** The code of the operation, or of the transaction if no operation was applied. */
  readonly result: ResultCode;
  /** Null if only a node's answer is known; then no claim about the envelope is made. */
  readonly envelope: Envelope | null;
  readonly ledger: number;
  readonly snapshot: Snapshot | null;
  readonly execution: Execution | null;
  readonly reports: readonly ErrorReport[];
  /** The first report of the error that ended it; null if the host reported nothing. */
  readonly origin: ErrorReport | null;
  readonly error: ErrorFacts | null;
  /** The text with which a contract's code panicked in a unit test; null if none was logged. */
  readonly panic: string | null;
  /** The tree of all calls, from the replay or else from the diagnostics. */
  readonly tree: CallNode | null;
  /** The call that raised the error, as far as the calls show it. */
  readonly call: CallNode | null;
  readonly lookup: ContractLookup;
  /** Keys that are absent according to nodes alone: one may have left out what exists. */
  readonly absentByNode: readonly string[];
  /** True if only the network's limits applied, and nothing that was declared. */
  readonly simulated?: boolean;
}

export interface AbsentByNode {
  readonly absentByNode?: readonly string[];
}

export interface TracedTree {
  /** The replay's calls with their host calls, if these were recorded. */
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

type FromDiagnostics = "tree" | "reports" | "origin" | "error" | "panic" | "call" | "absentByNode";

export function failureOf(
  diagnostics: readonly string[],
  {
    tracedTree = null,
    absentByNode = [],
    ...facts
  }: Omit<Failure, FromDiagnostics> & TracedTree & AbsentByNode,
): Failure {
  const reports = withoutLaterReports(readErrorReports(diagnostics));
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
    panic: isTestPanic(origin) ? loggedPanic(diagnostics) : null,
    error: (origin && last?.error) ?? facts.execution?.hostError ?? last?.error ?? null,
    call: failingCall(tree, origin?.contract ?? null),
  };
}

/** Says whether the host of a unit test reported a panic of a contract's Rust code. */
function isTestPanic(origin: ErrorReport | null): boolean {
  return messageIn(CALLS, origin?.message)?.id === "panicked-in-test";
}

/** The reports without those that a recording host adds after the error that ended the run. */
function withoutLaterReports(reports: readonly ErrorReport[]): readonly ErrorReport[] {
  const last = reports.at(-1);
  const isAfterwards = messageIn(AFTERWARDS, last?.message) !== null;
  return isAfterwards && reports.length > 1 ? reports.slice(0, -1) : reports;
}

/**
 * The failure inside a constructor. The host reports a failed constructor as its own refusal to
 * create the contract, but the cause is the error in the constructor.
 */
export function failureInConstructor(failure: Failure): Failure {
  const within = errorInConstructor(failure.origin, failure.reports);
  if (within === null) return failure;
  const call = failingCall(failure.tree, within.origin?.contract ?? null);
  return { ...failure, ...within, call };
}

/** The chain's diagnostics if there are any, and otherwise the replay's. */
export function diagnosticsOf(
  chain: ChainFacts,
  execution: Pick<Execution, "diagnosticsXdr"> | null,
): readonly string[] {
  const { diagnosticsXdr, hostDiagnosticsXdr } = chain;
  return diagnosticsXdr.length > 0 ? hostDiagnosticsXdr : (execution?.diagnosticsXdr ?? []);
}

/**
 * The innermost failed call of `contract`, or of any contract if no call of that one failed. The
 * caller reports the failure of an account's own check, but it is the check that failed.
 */
function failingCall(root: CallNode | null, contract: string | null): CallNode | null {
  const failed = failedPath(root).filter((call) => call.function !== null);
  const at = failed.findLastIndex((call) => call.contract === contract);
  const check = failed.slice(at + 1).find((call) => call.function === CHECK_AUTH);
  return check ?? failed[at] ?? failed.at(-1) ?? null;
}

/** The failed `__check_auth` of a contract account; null if another call failed. */
export function failedCheckAuth({ tree, call }: Failure): CallNode | null {
  const path = failedPath(tree);
  const within = path.slice(0, call === null ? 0 : path.indexOf(call) + 1);
  return within.findLast((each) => each.function === CHECK_AUTH) ?? null;
}

/** The last call that the failed one made, with its result; null if nothing shows one. */
export function lastCallOf({
  call,
  lookup,
}: Failure): { readonly call: CallName; readonly returned: string } | null {
  const last = call?.calls.findLast((each) => each.function !== null);
  if (last === undefined || last.failed || last.resultXdr === null) return null;
  const { result } = nameCalls(last, lookup);
  return { call: callOf(last, lookup), returned: cutVisibly(result ?? "", SHOWN_RESULT) };
}

const SHOWN_RESULT = 120;

/** The failed call with its names, such as `fail(code: 1) of contract C…`; null if it is unknown. */
export function failedCallOf({ call, lookup }: Failure): CallName | null {
  return call && callOf(call, lookup);
}

function callOf(call: CallNode, lookup: ContractLookup): CallName {
  const { contract, function: name, argumentsXdr, kind } = call;
  const where = contract === null ? "" : ` of contract ${neutralise(contract)}`;
  return {
    contract,
    function: name,
    argumentsXdr,
    whole: `${showCall(call, lookup)}${where}`,
    short: `${functionInCode(name ?? kind)}${where}`,
  };
}

const SHOWN_REPORTS = 6;
const SHOWN_BEFORE = 3;

/**
 * The failed call, the calls above it, and the place in its code. Errors of contracts that were
 * reported before the final one come last: a contract caught them, or they led to it.
 */
export function evidenceOf(failure: Failure): CauseEvidence[] {
  const { caught } = reportsNear(failure);
  const call = failedCallOf(failure);
  const callers = callersOf(failure).map((each) => callOf(each, failure.lookup));
  const place = placeOf(failure);
  return [
    ...(call === null ? [] : [{ kind: "failed-call", call } as const]),
    ...(callers.length === 0 ? [] : [{ kind: "callers", calls: callers.reverse() } as const]),
    ...(place.location === undefined ? [] : [{ kind: "location", place } as const]),
    ...caught.map((each) => ({ kind: "earlier-error", report: reportFacts(each) }) as const),
  ];
}

/**
 * The host's own reports, the innermost first, and how the place in the code was found. `without`
 * is an error that the summary has; a report that adds nothing to it is left out.
 */
export function detailsOf(failure: Failure, without: ErrorFacts | null = null): FoundDetail[] {
  const { own, before } = reportsNear(failure);
  const isSaid = (report: ErrorReport) =>
    without !== null &&
    report.contract === null &&
    saysNothing(report) &&
    isSameError(report.error, without);
  const place = placeOf(failure);
  return [
    ...(place.location === undefined
      ? []
      : [{ kind: "method", place, trapped: failure.error?.type === "WasmVm" } as const]),
    ...own
      .filter((report) => !isSaid(report))
      .map((each) => ({ kind: "host", report: reportFacts(each), isEarlier: false }) as const),
    ...before.map(
      (each) => ({ kind: "host", report: reportFacts(each), isEarlier: true }) as const,
    ),
  ];
}

/** The most characters of the values that a report has with its message. */
const SHOWN_DATA = 240;

function reportFacts(report: ErrorReport): ReportFacts {
  const { contract, error, dataXdr } = report;
  return { contract, error, data: saysNothing(report) ? null : showData(dataXdr, SHOWN_DATA) };
}

function placeOf({ execution, call }: Failure) {
  return { location: execution?.location, called: call?.function ?? null };
}

/** The ways of finding a cause whose summary has the error that the host reported. */
const WITH_ERROR: ReadonlySet<FoundCause["by"]> = new Set([
  "own-error",
  "asset-error",
  "host-error",
]);

/** The cause with details, without the evidence that its summary already contains. */
export function withDetails(finding: CauseFinding, failure: Failure): CauseFinding {
  const call = failedCallOf(failure);
  const said = "call" in finding.facts ? finding.facts.call : null;
  const evidence =
    call !== null && said?.whole === call.whole
      ? finding.evidence.filter(({ kind }) => kind !== "failed-call")
      : finding.evidence;
  const shown = WITH_ERROR.has(finding.by) ? failure.error : null;
  return { ...finding, evidence, details: detailsOf(failure, shown) };
}

/**
 * The reports that matter: errors that were caught long before the final one rarely do, and none
 * does if a limit or the fee ended the operation. `caught` has those of contracts.
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

/** The calls above the failed one, which failed with it, the outermost first. */
export function callsAbove({ tree, call }: Failure): readonly CallNode[] {
  const path = failedPath(tree);
  return path.slice(0, Math.max(0, call === null ? 0 : path.indexOf(call)));
}

/** The calls above the failed one that run a function: neither a creation nor the host's root. */
export function callersOf(failure: Failure): readonly CallNode[] {
  return callsAbove(failure).filter((each) => each.function !== null);
}
