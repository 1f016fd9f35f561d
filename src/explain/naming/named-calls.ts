// The call tree with the names and types from each contract's specification. If the specification
// is unknown or the values do not fit it, values are shown without names and types.

import { neutralise, quotedText, SHOWN_QUOTE } from "../../base/text/neutralise.ts";
import type { CallNode } from "../../model/execution.ts";
import type { NamedCall, NamedHostCall, NamedStep } from "../../model/explanation.ts";
import type { ContractSpec, SpecFunction, SpecType } from "../../xdr/contract/contract-spec.ts";
import type { ContractLookup } from "../../xdr/contract/contract-specs.ts";
import { showTyped } from "../../xdr/contract/value-typed.ts";
import { isVector, vectorOf, voidValue } from "../../xdr/values/value-parts.ts";
import { nameHostCall } from "./named-host-calls.ts";
import { nameError, nameReported } from "./named-steps.ts";
import type { StorageValues } from "./storage-values.ts";
import { argumentInTokens, resultInTokens } from "./token-amount.ts";
import type { Step, TracedCall } from "./traced-calls.ts";

/** The tree is cut below this depth, because a report is read by people. */
const MAXIMUM_CALL_DEPTH = 64;

/** `storage`: what the contracts' storage held when the run began. */
export function nameCalls(
  node: CallNode & Partial<Pick<TracedCall, "steps" | "error">>,
  lookup: ContractLookup,
  storage: StorageValues | null = null,
  depth = 0,
): NamedCall {
  const { values, names } = nameArguments(node, lookup, undefined);
  const facts = lookup(node.contract);
  const spec = facts?.spec ?? null;
  const output = functionOf(node, spec)?.output ?? null;
  const caller = { contract: node.contract, spec, storage };
  const hostCalls: NamedHostCall[] = [];
  const below: NamedCall[] = [];
  const steps: NamedStep[] = [];
  storage?.begin();
  // In order, because a call may have written what is read next.
  for (const step of node.steps ?? withoutOrder(node)) {
    if (step.kind === "call") {
      const call = node.calls[step.index];
      if (call !== undefined) below[step.index] = nameCalls(call, lookup, storage, depth + 1);
      if (depth < MAXIMUM_CALL_DEPTH) steps.push(step);
    } else if (step.kind === "host-call") {
      const call = node.hostCalls?.[step.index];
      if (call !== undefined) hostCalls.push(nameHostCall(call, caller));
      steps.push(step);
    } else steps.push(nameReported(step, lookup));
  }
  storage?.end(node.failed);
  return {
    kind: neutralise(node.kind),
    contract: node.contract === null ? null : neutralise(node.contract),
    function: node.function === null ? null : showFunction(node.function),
    arguments: values,
    argumentNames: names,
    result:
      node.resultXdr === null
        ? null
        : showTyped(node.resultXdr, output, spec) +
          resultInTokens(node.function, node.resultXdr, facts?.token ?? null),
    failed: node.failed,
    error: nameError(node, below, lookup),
    cpuInstructions: node.cpuInstructions,
    memoryBytes: node.memoryBytes,
    selfCpuInstructions: selfCost(node, ({ cpuInstructions }) => cpuInstructions),
    selfMemoryBytes: selfCost(node, ({ memoryBytes }) => memoryBytes),
    calls: depth < MAXIMUM_CALL_DEPTH ? below : [],
    ...(node.hostCalls && { hostCalls }),
    ...(node.hostCallsLeftOut && { hostCallsLeftOut: node.hostCallsLeftOut }),
    steps,
  };
}

function withoutOrder({ calls, hostCalls = [] }: CallNode): Step[] {
  return [
    ...hostCalls.map((_, index) => ({ kind: "host-call", index }) as const),
    ...calls.map((_, index) => ({ kind: "call", index }) as const),
  ];
}

function selfCost(node: CallNode, cost: (node: CallNode) => string): string {
  return node.calls
    .reduce((remainder, call) => remainder - BigInt(cost(call)), BigInt(cost(node)))
    .toString();
}

/** One call as a sentence part, e.g. `transfer(from: G…, amount: 100)`. */
export function showCall(node: CallNode, lookup: ContractLookup): string {
  const { values, names } = nameArguments(node, lookup, SHOWN_IN_SENTENCES);
  const shown = values.map((value, i) => (names === null ? value : `${names[i]}: ${value}`));
  return `${showFunction(node.function ?? node.kind)}(${shown.join(", ")})`;
}

/** Room for an integer of 256 bits, or a hash. */
const SHOWN_IN_SENTENCES = 80;

/** The name of a function, in backticks if it is a valid one. */
export function functionInCode(name: string): string {
  const shown = showFunction(name);
  return shown === name ? `\`${name}\`` : shown;
}

/** A function's name, or in quotes a text that is not a valid name. */
export function showFunction(name: string): string {
  return /^\w{1,32}$/.test(name) ? name : quotedText(name, SHOWN_QUOTE);
}

function nameArguments(
  node: CallNode,
  lookup: ContractLookup,
  limitCharacters: number | undefined,
) {
  const facts = lookup(node.contract);
  const spec = facts?.spec ?? null;
  const inputs = functionOf(node, spec)?.inputs ?? null;
  const types = inputs?.map(({ type }) => type) ?? null;
  const argumentsXdr = originalArguments(node.argumentsXdr, types, spec);
  // With the wrong number of arguments, it is unknown which is which.
  const named = inputs?.length === argumentsXdr.length ? inputs : null;
  const values = argumentsXdr.map((xdr, i) => {
    const shown = showTyped(xdr, named?.[i]?.type ?? null, spec, limitCharacters);
    const called = { function: node.function, argument: named?.[i]?.name };
    return shown + argumentInTokens(called, xdr, facts?.token ?? null);
  });
  return { values, names: named?.map(({ name }) => name) ?? null };
}

function functionOf(node: CallNode, spec: ContractSpec | null): SpecFunction | null {
  return (node.function === null ? null : spec?.functions.get(node.function)) ?? null;
}

/**
 * The host writes no arguments as void, a single one unchanged, and several as a vector. So a
 * single argument that is void or a vector looks like none or several; the function's type decides.
 */
function originalArguments(
  argumentsXdr: readonly string[],
  types: readonly SpecType[] | null,
  spec: ContractSpec | null,
): readonly string[] {
  const [type] = types ?? [];
  if (types?.length !== 1 || type === undefined) return argumentsXdr;
  if (argumentsXdr.length === 0 && type.kind === "option")
    // The trace does not show whether the argument was an empty vector or void.
    return type.element.kind === "vec" ? argumentsXdr : [voidValue()];
  const [only] = argumentsXdr;
  if (argumentsXdr.length === 1) {
    const element = only !== undefined && type.kind === "vec" && !isVector(only);
    return element ? [vectorOf(argumentsXdr)] : argumentsXdr;
  }
  return mayBeVector(type, spec) ? [vectorOf(argumentsXdr)] : argumentsXdr;
}

function mayBeVector(type: SpecType, spec: ContractSpec | null): boolean {
  if (type.kind === "vec" || type.kind === "tuple") return true;
  if (type.kind === "option") return mayBeVector(type.element, spec);
  if (type.kind !== "named") return false;
  const kind = spec?.types.get(type.name)?.kind;
  return kind === "union" || kind === "struct";
}
