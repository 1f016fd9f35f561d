// Completes the replay's calls with what the host's trace lacks. A call that fails before its
// function is entered has no frame: the envelope has the name and arguments of the outermost, and
// the diagnostic events show who made any other. A frame of the host function itself has no result;
// it is the transaction's return value. The arguments of the outermost call are the envelope's.

import type { CallNode, Execution } from "../../model/execution.ts";
import type { HostFunctionFacts } from "../../xdr/envelope/host-function.ts";
import { allReportedCalls } from "./diagnostic-calls.ts";
import { type ReportedCall, reportsOf } from "./traced-calls.ts";

type RanTree = Pick<Execution, "callTree" | "returnValueXdr">;

/** `hostFunction`: from the envelope. Null when nothing ran. */
export function completeCallTree(
  execution: RanTree & Pick<Execution, "diagnosticsXdr">,
  hostFunction: HostFunctionFacts | null,
): CallNode | null {
  const { callTree } = execution;
  if (callTree === null) return null;
  const ran = withOutermost({ ...execution, callTree }, hostFunction);
  const tree = hostFunction?.kind === "invoke" ? withArguments(ran, hostFunction) : ran;
  const reported = allReportedCalls(execution.diagnosticsXdr);
  return withCallers(tree, reported.hasCalls ? reported.tree : null);
}

/** A call without a frame is in the call that was open when the next frame began. */
function withCallers(tree: CallNode, reported: ReportedCall | null): CallNode {
  const reportOf = reportsOf(tree, reported);
  if (reportOf === null || reported === null) return tree;
  const madeBy = new Map<ReportedCall, CallNode>();
  for (const [call, { calls }] of reportOf) for (const each of calls) madeBy.set(each, call);
  const callerOf = (call: CallNode) => madeBy.get(reportOf.get(call) ?? reported);
  const moved = new Map<CallNode, CallNode[]>();
  const isMoved = (call: CallNode, owner: CallNode) => {
    const caller = callerOf(call);
    return caller !== undefined && caller !== owner && caller !== tree;
  };
  const find = (node: CallNode, owner: CallNode): void => {
    for (const call of node.calls) {
      const caller = callerOf(call);
      if (caller && isMoved(call, owner)) moved.set(caller, [...(moved.get(caller) ?? []), call]);
      find(call, call.contract === null ? owner : call);
    }
  };
  find(tree, tree);
  if (moved.size === 0) return tree;
  const rebuilt = (node: CallNode, owner: CallNode): CallNode => {
    const kept = node.calls.map((call) => !isMoved(call, owner));
    const calls = [...node.calls.filter((_, i) => kept[i]), ...(moved.get(node) ?? [])];
    const hostCalls = node.hostCalls?.map((call) => {
      return { ...call, afterCalls: kept.slice(0, call.afterCalls).filter(Boolean).length };
    });
    return {
      ...node,
      ...(hostCalls && { hostCalls }),
      calls: calls.map((call) => rebuilt(call, call.contract === null ? owner : call)),
    };
  };
  return rebuilt(tree, tree);
}

function withOutermost(
  { callTree, returnValueXdr }: RanTree & { readonly callTree: CallNode },
  hostFunction: HostFunctionFacts | null,
): CallNode {
  const [frame, ...beside] = callTree.calls;
  if (hostFunction === null || (frame !== undefined && frame.function !== null)) return callTree;
  if (hostFunction.kind !== "invoke") {
    if (frame === undefined) return callTree;
    const resultXdr = frame.failed ? null : returnValueXdr;
    // A constructor without a frame of its own was called by the host function.
    const complete = { ...frame, resultXdr, calls: [...frame.calls, ...beside] };
    return { ...callTree, calls: [complete] };
  }
  if (frame === undefined) return calling(callTree, hostFunction, returnValueXdr);
  if (frame.calls.some(({ function: name }) => name !== null)) return callTree;
  const others = beside.filter((call) => !isUnopened(call, hostFunction));
  return { ...callTree, calls: [calling(frame, hostFunction, returnValueXdr), ...others] };
}

/**
 * The outermost call with its arguments from the envelope. In the host's trace, one argument that is
 * an empty vector looks like one that is void, or like none.
 */
function withArguments(tree: CallNode, invoked: Invoked): CallNode {
  if (tree.contract === invoked.contract && tree.function === invoked.function)
    return { ...tree, argumentsXdr: invoked.argumentsXdr };
  const [first, ...others] = tree.calls;
  if (first === undefined || tree.function !== null) return tree;
  return { ...tree, calls: [withArguments(first, invoked), ...others] };
}

type Invoked = Extract<HostFunctionFacts, { kind: "invoke" }>;

/** The frame that should have contained the call, as the call itself. */
function calling(frame: CallNode, invoked: Invoked, returnValueXdr: string | null): CallNode {
  const { contract, function: name, argumentsXdr } = invoked;
  const resultXdr = frame.failed ? null : returnValueXdr;
  return { ...frame, kind: "invoke", contract, function: name, argumentsXdr, resultXdr };
}

function isUnopened(call: CallNode, invoked: Invoked): boolean {
  const isSame = call.contract === invoked.contract && call.function === invoked.function;
  return isSame && call.failed && call.calls.length === 0;
}
