// The replay's calls with what the host's trace leaves out. A call that fails before its function is
// entered opens no frame: what was called stands in the envelope alone. And a frame of the host
// function itself tells nothing of what it returned, which is the transaction's own return value.

import type { CallNode, Execution } from "../../model/execution.ts";
import type { HostFunctionFacts } from "../../xdr/envelope/host-function.ts";

type Ran = Pick<Execution, "callTree" | "returnValueXdr">;

/** `asked`: what the envelope asks of the host. Null when nothing ran. */
export function completeCallTree(
  { callTree, returnValueXdr }: Ran,
  asked: HostFunctionFacts | null,
): CallNode | null {
  if (callTree === null) return null;
  const [frame, ...beside] = callTree.calls;
  if (asked === null || (frame !== undefined && frame.function !== null)) return callTree;
  if (asked.kind !== "invoke") {
    if (frame === undefined) return callTree;
    const resultXdr = frame.failed ? null : returnValueXdr;
    // What opened no frame, a constructor, was called by it.
    const whole = { ...frame, resultXdr, calls: [...frame.calls, ...beside] };
    return { ...callTree, calls: [whole] };
  }
  if (frame === undefined) return calling(callTree, asked, returnValueXdr);
  if (frame.calls.some(({ function: name }) => name !== null)) return callTree;
  const others = beside.filter((call) => !isUnopened(call, asked));
  return { ...callTree, calls: [calling(frame, asked, returnValueXdr), ...others] };
}

type Invoked = Extract<HostFunctionFacts, { kind: "invoke" }>;

/** The frame that should have held it, as the call itself. */
function calling(frame: CallNode, asked: Invoked, returnValueXdr: string | null): CallNode {
  const { contract, function: name, argumentsXdr } = asked;
  const resultXdr = frame.failed ? null : returnValueXdr;
  return { ...frame, kind: "invoke", contract, function: name, argumentsXdr, resultXdr };
}

function isUnopened(call: CallNode, asked: Invoked): boolean {
  const isSame = call.contract === asked.contract && call.function === asked.function;
  return isSame && call.failed && call.calls.length === 0;
}
