// Joins the calls of a run with everything that each of them did, in order. The host's trace has
// the host calls; the run's diagnostic events have events, log entries and errors. Both are in
// order, and are joined at what both show: an event, a log entry, a call.

import type { CallNode, HostCall } from "../../model/execution.ts";
import type { EventFacts } from "../../xdr/outcome/diagnostics.ts";
import { type ErrorReport, isSameError } from "../../xdr/outcome/error-reports.ts";
import { FRAMES, messageIn } from "../../xdr/outcome/host-messages.ts";
import { showValue } from "../../xdr/values/value.ts";
import type { ErrorFacts } from "../../xdr/values/value-text.ts";

export type Reported =
  | { readonly kind: "event"; readonly event: EventFacts; readonly kept: boolean }
  | { readonly kind: "log"; readonly dataXdr: string }
  | { readonly kind: "error"; readonly report: ErrorReport };

/** A call with what the diagnostic events report of it, in order. */
export interface ReportedCall extends CallNode {
  readonly calls: readonly ReportedCall[];
  readonly reports: readonly (Reported | { readonly kind: "call"; readonly call: ReportedCall })[];
}

export type Step =
  | Reported
  /** `index` in the call's `calls`. */
  | { readonly kind: "call"; readonly index: number }
  /** `index` in its `hostCalls`. */
  | { readonly kind: "host-call"; readonly index: number };

export interface TracedCall extends CallNode {
  readonly calls: readonly TracedCall[];
  readonly steps: readonly Step[];
  readonly error: CallError | null;
}

/** The error with which a call ended. */
export interface CallError {
  readonly facts: ErrorFacts;
  /** The host's report, if this call raised the error. */
  readonly report: ErrorReport | null;
  readonly raised: boolean;
}

/** Says whether a caller reports the end of its last call. */
function endsCall({ message }: ErrorReport): boolean {
  const reported = messageIn(FRAMES, message)?.id;
  return reported === "call-failed" || reported === "try-call-failed";
}

/** Says whether a call passes on an error of the host or of a call. */
function escalates({ message }: ErrorReport): boolean {
  const reported = messageIn(FRAMES, message)?.id;
  return reported === "host-function-failed" || reported === "error-passed-on";
}

/**
 * Joins the calls. `reported` comes from the diagnostic events of the same run; it is ignored if
 * its calls differ from those of `tree`. `hostError` is the error that ended the run.
 */
export function traceCalls(
  tree: CallNode,
  reported: ReportedCall | null,
  hostError: ErrorFacts | null = null,
): TracedCall {
  const reportOf = reportsOf(tree, reported) ?? new Map<CallNode, ReportedCall>();
  const ofRoot = errorsIn(reportOf.get(tree)?.reports ?? []);

  /** `outside`: reports of its error that its caller has. */
  const trace = (
    node: CallNode,
    fromCaller: ErrorFacts | null,
    outside: readonly ErrorReport[],
  ): TracedCall => {
    const { calls } = node;
    const all = inOrder(calls, reportOf.get(node)?.reports ?? [], reportOf);
    const own: ErrorReport[] = [];
    const ended = new Map<number, ErrorFacts>();
    const unbegun = new Map<number, ErrorReport>();
    let last: number | null = null;
    for (const step of all) {
      if (step.kind !== "error") last = step.kind === "call" ? step.index : null;
      else if (last !== null && endsCall(step.report)) ended.set(last, step.report.error);
      else if (last !== null && isUnbegun(calls[last], reportOf) && !unbegun.has(last))
        unbegun.set(last, step.report);
      else own.push(step.report);
    }
    const isOfHost = node.contract === null;
    const below = calls.map((call, index) => {
      const report = unbegun.get(index);
      const error = isOfHost ? fromCaller : (ended.get(index) ?? report?.error ?? null);
      // The host reports some errors of the outermost call outside of it.
      return trace(call, error, isOfHost ? ofRoot : report === undefined ? [] : [report]);
    });
    const reports = isOfHost && below.some(({ failed }) => failed) ? [] : [...own, ...outside];
    const error = node.failed ? errorOfCall(reports, below, fromCaller) : null;
    return { ...node, calls: below, steps: stepsOf(node, all), error };
  };
  return trace(tree, hostError, []);
}

/** Says whether a call failed before it had a frame, so that its reports are its caller's. */
function isUnbegun(
  call: CallNode | undefined,
  reportOf: ReadonlyMap<CallNode, ReportedCall>,
): boolean {
  return call?.failed === true && reportOf.get(call)?.reports.length === 0;
}

function errorsIn(reports: ReportedCall["reports"]): ErrorReport[] {
  return reports.flatMap((each) => (each.kind === "error" ? [each.report] : []));
}

/**
 * The calls in order. Calls that no report shows are those of the host function itself, which come
 * first.
 */
function inOrder(
  calls: readonly CallNode[],
  reports: ReportedCall["reports"],
  reportOf: ReadonlyMap<CallNode, ReportedCall>,
): Step[] {
  const indexOf = new Map(calls.map((call, index) => [reportOf.get(call), index]));
  const reported = reports.flatMap((each): Step[] => {
    if (each.kind !== "call") return [each];
    const index = indexOf.get(each.call);
    return index === undefined ? [] : [{ kind: "call", index }];
  });
  const placed = new Set(reported.map((each) => (each.kind === "call" ? each.index : -1)));
  const others = calls.flatMap((_, index): Step[] =>
    placed.has(index) ? [] : [{ kind: "call", index }],
  );
  return [...others, ...reported];
}

function errorOfCall(
  own: readonly ErrorReport[],
  below: readonly TracedCall[],
  fromCaller: ErrorFacts | null,
): CallError | null {
  const within = below.findLast(({ error }) => error !== null)?.error ?? null;
  const facts = fromCaller ?? own.at(-1)?.error ?? within?.facts ?? null;
  if (facts === null) return null;
  const passedOn = within !== null && isSameError(within.facts, facts);
  const report = own.find(
    (each) => isSameError(each.error, facts) && !(passedOn && escalates(each)),
  );
  return { facts, report: report ?? null, raised: report !== undefined || !passedOn };
}

/** The steps of a call: those that events show, with its host calls among them. */
function stepsOf({ calls, hostCalls = [] }: CallNode, reports: readonly Step[]): Step[] {
  const steps: Step[] = [];
  let [next, opened] = [0, 0];
  let calling: HostCall | null = null;
  const take = () => {
    const step = reports[next] as Step;
    next += 1;
    steps.push(step);
    if (step.kind !== "call") return;
    opened += 1;
    // The caller's report of a failure follows it directly.
    while (calls[step.index]?.failed && reports[next]?.kind === "error") take();
  };
  const takeThrough = (at: number) => {
    while (next <= at) take();
  };
  const following = (isWanted: (step: Step) => boolean) =>
    reports.findIndex((step, at) => at >= next && isWanted(step));
  /** The host calls within it come before the call that it makes, which may never have a frame. */
  const endCalling = () => {
    const at = calling === null ? -1 : following(({ kind }) => kind === "call");
    const step = reports[at];
    if (calling && step?.kind === "call" && isCallOf(calling, calls[step.index])) takeThrough(at);
    calling = null;
  };
  for (const [index, call] of hostCalls.entries()) {
    if (call.depth === 0) endCalling();
    while (next < reports.length && opened < call.afterCalls) take();
    const shownBy = call.failed ? undefined : SHOWN_BY[call.function];
    const at = shownBy && following(({ kind }) => kind === shownBy || kind === "call");
    const shows = at !== undefined && reports[at]?.kind === shownBy;
    if (shows) takeThrough(at - 1);
    steps.push({ kind: "host-call", index });
    if (shows) take();
    if (CALLING.has(call.function)) calling = call;
  }
  while (next < reports.length) take();
  return steps;
}

/** Host functions by what the diagnostic events show of them (env.json). */
const SHOWN_BY: Readonly<Record<string, Step["kind"]>> = {
  contract_event: "event",
  log_from_linear_memory: "log",
};
const CALLING: ReadonlySet<string> = new Set(["call", "try_call"]);

function isCallOf({ argumentsXdr }: HostCall, call: CallNode | undefined): boolean {
  const [contract, name] = argumentsXdr.map((xdr) => (xdr === null ? null : showValue(xdr)));
  return call !== undefined && call.contract === contract && call.function === name;
}

/** Each call of a run with its reported events; null if the events have other calls. */
export function reportsOf(
  tree: CallNode,
  reported: ReportedCall | null,
): Map<CallNode, ReportedCall> | null {
  const own = callsWithin<CallNode>(tree);
  const reportedCalls = reported === null ? [] : callsWithin<ReportedCall>(reported);
  const fits =
    own.length === reportedCalls.length &&
    own.every((call, i) => {
      const other = reportedCalls[i];
      return call.contract === other?.contract && call.function === other.function;
    });
  if (!fits || reported === null) return null;
  return new Map([
    [tree, reported],
    ...own.map((call, i) => [call, reportedCalls[i] as ReportedCall] as const),
  ]);
}

/** The calls of contracts below a node, in the order in which they began. */
export function callsWithin<Call extends Calls<Call>>({ calls }: Pick<Call, "calls">): Call[] {
  return calls.flatMap((call) =>
    call.contract === null ? callsWithin<Call>(call) : [call, ...callsWithin<Call>(call)],
  );
}

interface Calls<Call> {
  readonly contract: string | null;
  readonly calls: readonly Call[];
}
