// Finds the authorizations that the calls of a replay required, from what the contracts asked of
// the host. The asset contract does not ask the host: CAP-46-6 says which arguments of its
// functions must authorize.

import type { NamedRequirement, RequiredAuthorizations } from "../../model/authorizations.ts";
import type { CallNode } from "../../model/execution.ts";
import type { ContractLookup } from "../../xdr/contract/contract-specs.ts";
import { showValue } from "../../xdr/values/value.ts";
import { elementsOf } from "../../xdr/values/value-parts.ts";
import { nameInvocation } from "./authorizations.ts";

/** Nobody reads a list with more of them. */
const MOST = 500;

/** Functions of the asset contract that need the authorization of their first argument. */
const OF_FIRST_ARGUMENT: ReadonlySet<string> = new Set([
  "transfer",
  "transfer_from",
  "approve",
  "burn",
  "burn_from",
]);
/** Functions that need the asset contract's administrator, whom the calls do not name. */
const OF_ADMINISTRATOR: ReadonlySet<string> = new Set([
  "mint",
  "clawback",
  "set_admin",
  "set_authorized",
]);

/** With it, a contract allows calls below its own to require its authorization. */
const ALLOWS = "authorize_as_curr_contract";

export interface Required {
  /** Strkey. */
  readonly signer: string;
  readonly frame: Pick<CallNode, "contract" | "function" | "argumentsXdr">;
  readonly refused: boolean;
}

interface CallVisit {
  readonly node: CallNode;
  readonly caller: string | null;
  /** The contracts above that allowed calls below their own. */
  readonly allowing: readonly string[];
}

/** A required authorization, and the source of it: `by` as in `NamedRequirement`. */
interface RequiredOfCall extends Required {
  /** The call that required it. */
  readonly node: CallNode;
  readonly by: NamedRequirement["by"];
}

/** Every authorization that the calls required, in their order. */
export function* requiredInCalls(
  tree: CallNode,
  lookup: ContractLookup,
): Generator<RequiredOfCall> {
  for (const visit of visitsOf(tree)) yield* requiredBy(visit, lookup);
}

function* visitsOf(tree: CallNode): Generator<CallVisit> {
  const waiting: CallVisit[] = [{ node: tree, caller: null, allowing: [] }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    yield next;
    const { node, allowing } = next;
    const { contract, hostCalls } = node;
    const allows = contract !== null && hostCalls?.some((call) => call.function === ALLOWS);
    const below = { caller: contract, allowing: allows ? [...allowing, contract] : allowing };
    for (const call of [...node.calls].reverse()) waiting.push({ ...below, node: call });
  }
}

function requiredBy(
  { node, caller, allowing }: CallVisit,
  lookup: ContractLookup,
): RequiredOfCall[] {
  return (isOfAsset(node, lookup) ? ofAsset(node) : ofContract(node)).map((required) => {
    const { signer } = required;
    const by = signer === caller ? "call" : allowing.includes(signer) ? "contract" : null;
    return { ...required, by, node };
  });
}

function isOfAsset({ contract }: CallNode, lookup: ContractLookup): boolean {
  return contract !== null && lookup(contract)?.wasmHash === null;
}

/** Null when the host calls were not recorded. Equal ones are one. */
export function requiredAuthorizations(
  tree: CallNode,
  lookup: ContractLookup,
): RequiredAuthorizations | null {
  const requirementOf = new Map<string, NamedRequirement>();
  let isRecorded = false;
  let complete = true;
  for (const visit of visitsOf(tree)) {
    const { node } = visit;
    isRecorded ||= node.hostCalls !== undefined;
    complete &&= (node.hostCallsLeftOut ?? 0) === 0;
    complete &&= !(isOfAsset(node, lookup) && OF_ADMINISTRATOR.has(node.function ?? ""));
    for (const { signer, by, frame, refused } of requiredBy(visit, lookup)) {
      const invocation = nameInvocation({ ...frame, calls: [] }, lookup);
      const requirement: NamedRequirement = { signer, by, refused, invocation };
      const key = JSON.stringify(requirement);
      if (!requirementOf.has(key) && requirementOf.size >= MOST) complete = false;
      else requirementOf.set(key, requirement);
    }
  }
  return isRecorded ? { list: [...requirementOf.values()], complete } : null;
}

function ofContract(node: CallNode): Required[] {
  const { contract, function: name } = node;
  return (node.hostCalls ?? []).flatMap((call) => {
    const [whom, explicitArguments] = call.argumentsXdr;
    const own = call.function === "require_auth";
    if ((!own && call.function !== "require_auth_for_args") || !whom) return [];
    const argumentsXdr = own
      ? node.argumentsXdr
      : explicitArguments
        ? elementsOf(explicitArguments)
        : null;
    if (argumentsXdr === null) return [];
    const frame = { contract, function: name, argumentsXdr };
    return [{ signer: showValue(whom), frame, refused: call.failed }];
  });
}

function ofAsset(node: CallNode): Required[] {
  const [whom] = node.argumentsXdr;
  if (whom === undefined || !OF_FIRST_ARGUMENT.has(node.function ?? "")) return [];
  return [{ signer: showValue(whom), frame: node, refused: false }];
}
