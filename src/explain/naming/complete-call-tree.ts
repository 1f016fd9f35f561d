// Completes the replay's calls with what the host's trace lacks. A call that fails before its
// function is entered has no frame; the envelope has its name and arguments. A frame of the host
// function itself has no result; it is the transaction's return value.

import type { CallNode, Execution } from "../../model/execution.ts";
import type { HostFunctionFacts } from "../../xdr/envelope/host-function.ts";

type Ran = Pick<Execution, "callTree" | "returnValueXdr">;

/** `hostFunction`: from the envelope. Null when nothing ran. */
export function completeCallTree(
  { callTree, returnValueXdr }: Ran,
  hostFunction: HostFunctionFacts | null,
): CallNode | null {
  if (callTree === null) return null;
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
