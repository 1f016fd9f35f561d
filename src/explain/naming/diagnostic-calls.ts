// The calls that diagnostic events show, with what the events report of each: `fn_call` when a function
// is entered, `fn_return` when it returns, `log`, `error`, and the events that contracts emit
// (rs-soroban-env, events/diagnostic.rs). An event bears the contract that was running, which ends
// the calls above it that never returned. The events do not have the cost of a call.

import type { CallNode } from "../../model/execution.ts";
import type { DiagnosticCall, NamedCall } from "../../model/explanation.ts";
import type { ContractLookup } from "../../xdr/contract/contract-specs.ts";
import { CHECK_AUTH } from "../../xdr/contract/reserved-functions.ts";
import { isOfApplier, readDiagnosticEvent } from "../../xdr/outcome/diagnostics.ts";
import { errorReportOf } from "../../xdr/outcome/error-reports.ts";
import { AUTHORIZATIONS, FRAMES, messageIn } from "../../xdr/outcome/host-messages.ts";
import { readOnce } from "../../xdr/reader/read-once.ts";
import {
  contractOfId,
  elementsOf,
  isVoid,
  stringOf,
  symbolOf,
} from "../../xdr/values/value-parts.ts";
import { nameCalls } from "./named-calls.ts";
import { type ReportedCall, traceCalls } from "./traced-calls.ts";

type Open = { -readonly [Name in keyof CallNode]: CallNode[Name] } & {
  calls: Open[];
  reports: ReportedCall["reports"][number][];
};

/** People read a report, so it has at most this many calls. */
const MAXIMUM_CALLS = 10_000;

interface ReportedCalls {
  readonly tree: ReportedCall;
  readonly hasCalls: boolean;
}

/** The calls, at most as many as a person reads; null if the events have none. */
export function diagnosticTree(
  diagnosticsXdr: readonly string[],
  maximumCalls = MAXIMUM_CALLS,
): ReportedCall | null {
  const root = reportedCalls(diagnosticsXdr, maximumCalls);
  return root.hasCalls ? root.tree : null;
}

/** A root that only contains the calls, without those after `maximumCalls`. */
function reportedCalls(diagnosticsXdr: readonly string[], maximumCalls: number): ReportedCalls {
  const root = open("host", null, null, []);
  const running = [root];
  let count = 0;
  const endAbove = (contract: string | null) => {
    const at = running.findLastIndex((each) => each.contract === contract);
    if (at >= 0) running.splice(at + 1);
  };
  for (const eventXdr of diagnosticsXdr) {
    if (isOfApplier(eventXdr)) continue;
    const event = readDiagnosticEvent(eventXdr);
    const { kind, contract, topicsXdr, dataXdr, kept } = event;
    // An event of a contract can have any topics, even those of the host's own events.
    const [name, second, third] = kind === "diagnostic" ? topicsXdr : [];
    const symbol = name === undefined ? null : symbolOf(name);
    if (symbol === "fn_return") {
      const returning = second === undefined ? null : symbolOf(second);
      const at = running.findLastIndex((each) => isCall(each, contract, returning));
      const [returned] = at > 0 ? running.splice(at) : [];
      if (returned !== undefined) Object.assign(returned, { resultXdr: dataXdr, failed: false });
      continue;
    }
    endAbove(contract);
    const report = errorReportOf(event);
    // The check may be a call of the contract that requires its own authorization.
    const isCheck = messageIn(AUTHORIZATIONS, report?.message)?.id === "refused";
    if (isCheck && running.at(-1)?.function === CHECK_AUTH) running.pop();
    const current = running.at(-1) ?? root;
    if (symbol === "fn_call") {
      const called = contractOfId(second ?? "");
      const entered = third === undefined ? null : symbolOf(third);
      if (called === null || !entered) continue;
      const call = open("invoke_function", called, entered, argumentsOf(dataXdr));
      if (count < maximumCalls) {
        current.calls.push(call);
        current.reports.push({ kind: "call", call });
      }
      running.push(call);
      count += 1;
    } else if (report !== null) current.reports.push({ kind: "error", report });
    else if (kind !== "diagnostic") current.reports.push({ kind: "event", event, kept });
    else if (symbol === "log" && contract !== null && !isOfHost(dataXdr))
      current.reports.push({ kind: "log", dataXdr });
  }
  root.failed = running.length > 1 || root.calls.some(({ failed }) => failed);
  return { tree: root as ReportedCall, hasCalls: count > 0 };
}

/** All calls of a run, which are read once. */
export const allReportedCalls: (diagnosticsXdr: readonly string[]) => ReportedCalls = readOnce(
  (diagnosticsXdr) => reportedCalls(diagnosticsXdr, Number.POSITIVE_INFINITY),
);

/**
 * Says whether this is the only log entry that the host writes itself (soroban-env-host, vm.rs).
 */
function isOfHost(dataXdr: string): boolean {
  const [message = "", ...values] = elementsOf(dataXdr) ?? [];
  const reported = messageIn(FRAMES, stringOf(message) ?? "")?.id;
  return values.length === 2 && reported === "vm-trap-logged";
}

/** The calls in the form of reports. */
export function nameDiagnosticCalls(
  tree: ReportedCall,
  lookup: ContractLookup,
): readonly DiagnosticCall[] {
  return nameCalls(traceCalls(tree, tree), lookup).calls.map(withoutCosts);
}

function withoutCosts(call: NamedCall): DiagnosticCall {
  const { contract, arguments: values, argumentNames, result, failed, error, steps } = call;
  const name = call.function ?? call.kind;
  const named = { contract, function: name, arguments: values, argumentNames, result, failed };
  return { ...named, error, steps, calls: call.calls.map(withoutCosts) };
}

/** A call counts as failed until it returns. */
function open(
  kind: string,
  contract: string | null,
  name: string | null,
  argumentsXdr: readonly string[],
): Open {
  const costs = { cpuInstructions: "0", memoryBytes: "0" };
  return {
    kind,
    contract,
    function: name,
    argumentsXdr,
    resultXdr: null,
    failed: true,
    calls: [],
    reports: [],
    ...costs,
  };
}

/** The host writes no arguments as void, a single one unchanged, and several as a vector. */
function argumentsOf(dataXdr: string): readonly string[] {
  return isVoid(dataXdr) ? [] : (elementsOf(dataXdr) ?? [dataXdr]);
}

function isCall(call: CallNode, contract: string | null, name: string | null): boolean {
  return call.contract === contract && call.function === name;
}
