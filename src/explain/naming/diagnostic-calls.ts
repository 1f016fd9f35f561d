// The call tree from a node's diagnostic events, for transactions that were not replayed: `fn_call`
// when a function is entered, `fn_return` when it returns, `error` when its caller sees that it
// failed (rs-soroban-env, events/diagnostic.rs). The events do not have the cost of a call.

import type { CallNode } from "../../model/execution.ts";
import type { DiagnosticCall, NamedCall } from "../../model/explanation.ts";
import type { ContractLookup } from "../../xdr/contract/contract-specs.ts";
import { readDiagnosticEvent } from "../../xdr/outcome/diagnostics.ts";
import {
  contractOfId,
  elementsOf,
  isVoid,
  stringOf,
  symbolOf,
} from "../../xdr/values/value-parts.ts";
import { nameCalls } from "./named-calls.ts";

type Open = { -readonly [Name in keyof CallNode]: CallNode[Name] } & { calls: Open[] };

/**
 * A root that only contains the calls; null when the events have no calls. A report is read by
 * people, so calls after `maximumCalls` are not kept.
 */
export function diagnosticTree(
  diagnosticsXdr: readonly string[],
  maximumCalls = 10_000,
): CallNode | null {
  const root = open("host", null, null, []);
  const running = [root];
  let count = 0;
  for (const eventXdr of diagnosticsXdr) {
    const { contract, topicsXdr, dataXdr } = readDiagnosticEvent(eventXdr);
    const [name, second, third] = topicsXdr.map((topic) => ({ topic, symbol: symbolOf(topic) }));
    if (name?.symbol === "fn_call") {
      const called = contractOfId(second?.topic ?? "");
      if (called === null || !third?.symbol) continue;
      const call = open("invoke_function", called, third.symbol, argumentsOf(dataXdr));
      if (count < maximumCalls) running.at(-1)?.calls.push(call);
      running.push(call);
      count += 1;
    } else if (name?.symbol === "fn_return") {
      const at = running.findLastIndex((each) => isCall(each, contract, second?.symbol ?? null));
      const [returned] = at > 0 ? running.splice(at) : [];
      if (returned !== undefined) Object.assign(returned, { resultXdr: dataXdr, failed: false });
    } else if (name?.symbol === "error" && CALL_FAILED.test(messageOf(dataXdr))) {
      // The caller reports the error: all calls below it have ended.
      const at = running.findLastIndex((each) => each.contract === contract);
      if (at > 0) running.splice(at + 1);
    }
  }
  return count === 0 ? null : { ...root, failed: running.length > 1 };
}

const CALL_FAILED = /^contract (try_)?call failed$/;

/** The calls as reports show them. */
export function nameDiagnosticCalls(
  tree: CallNode,
  lookup: ContractLookup,
): readonly DiagnosticCall[] {
  return nameCalls(tree, lookup).calls.map(withoutCosts);
}

function withoutCosts(call: NamedCall): DiagnosticCall {
  const { contract, arguments: values, argumentNames, result, failed, calls } = call;
  const name = call.function ?? call.kind;
  const named = { contract, function: name, arguments: values, argumentNames, result, failed };
  return { ...named, calls: calls.map(withoutCosts) };
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

function messageOf(dataXdr: string): string {
  const [first = dataXdr] = elementsOf(dataXdr) ?? [];
  return stringOf(first) ?? "";
}
