// Finds the call whose authorization was required, and how the supplied entries differ from it. The
// search follows the host's (rs-soroban-env, auth.rs, InvocationTracker).

import type { CallNode } from "../../model/execution.ts";
import { showTyped } from "../../xdr/contract/value-typed.ts";
import type { AuthorizationFacts, AuthorizedCall } from "../../xdr/envelope/authorizations.ts";
import { showValue } from "../../xdr/values/value.ts";
import { elementsOf } from "../../xdr/values/value-parts.ts";
import type { AuthorizationDifference } from "../words/found-cause.ts";
import { callersOf, type Failure } from "./failure.ts";

export interface Requirement {
  /** The calls from the outermost one that an entry allows to the one that it had to allow. */
  readonly path: readonly RequiredCall[];
  /** False if the contract may require other arguments than its own, which svc does not know. */
  readonly certain: boolean;
}

export type RequiredCall = Pick<CallNode, "contract" | "function" | "argumentsXdr">;

/** The requirement; null if nothing shows which call had it. `own` has the entries of `address`. */
export function requirementOf(
  failure: Failure,
  address: string,
  own: readonly AuthorizationFacts[],
): Requirement | null {
  const { call, lookup } = failure;
  if (call === null || call.function === null) return null;
  const above: RequiredCall[] = [];
  let allowed: readonly AuthorizedCall[] = own.map(({ root }) => root);
  for (const frame of callersOf(failure)) {
    const required = requiredIn(frame, address, failure);
    const match = allowed.find((each) => required.some((call) => isSameCall(each, call)));
    if (match === undefined) continue;
    above.push(match);
    allowed = match.calls;
  }
  const last = requiredIn(call, address, failure).at(-1);
  const traced = call.hostCalls !== undefined && last !== undefined;
  const certain = traced || (lookup(call.contract)?.requiresOwnArguments ?? false);
  return { path: [...above, last ?? call], certain };
}

const REQUIRES: ReadonlySet<string> = new Set(["require_auth", "require_auth_for_args"]);

/**
 * The authorizations that a call required of the address, in order, if its host calls were
 * recorded. Otherwise the call is assumed to require one for itself. The asset contract makes no
 * host calls.
 */
function requiredIn(frame: CallNode, address: string, { lookup }: Failure): RequiredCall[] {
  const { contract, function: name, hostCalls } = frame;
  if (hostCalls === undefined || lookup(contract)?.wasmHash === null) return [frame];
  return hostCalls.flatMap((hostCall) => {
    const [whom, explicitArguments] = hostCall.argumentsXdr;
    if (!REQUIRES.has(hostCall.function) || !whom || showValue(whom) !== address) return [];
    const own = hostCall.function === "require_auth";
    const argumentsXdr = own
      ? frame.argumentsXdr
      : explicitArguments
        ? elementsOf(explicitArguments)
        : null;
    return argumentsXdr === null ? [] : [{ contract, function: name, argumentsXdr }];
  });
}

/** How the entries differ from the requirement. Null if the calls show no difference. */
export function differenceFrom(
  { path }: Requirement,
  own: readonly AuthorizationFacts[],
  failure: Failure,
): AuthorizationDifference | null {
  const required = path.at(-1);
  if (required === undefined) return null;
  const candidates = allowedBelow(path.slice(0, -1), own);
  if (candidates.some((each) => isSameCall(each, required))) return null;
  const sameFunction = (each: AuthorizedCall) =>
    each.contract === required.contract && each.function === required.function;
  const close = candidates
    .filter(sameFunction)
    .sort((a, b) => equalArguments(b, required) - equalArguments(a, required));
  const [closest] = close;
  if (closest !== undefined) return argumentDifference(closest, required, failure);
  const everywhere = own.flatMap(({ root }) => completeCallTree(root));
  if (everywhere.some((each) => isSameCall(each, required))) {
    const below = path.at(-2);
    return { in: "place", below: below === undefined ? null : nameOf(below) };
  }
  const elsewhere = everywhere.find(sameFunction);
  if (elsewhere !== undefined) return argumentDifference(elsewhere, required, failure);
  const allowed = [...new Set(everywhere.map(nameOf))].slice(0, SHOWN_CALLS);
  return { in: "calls", allowed, required: nameOf(required) };
}

const SHOWN_CALLS = 4;

function allowedBelow(
  path: readonly RequiredCall[],
  own: readonly AuthorizationFacts[],
): readonly AuthorizedCall[] {
  let allowed: readonly AuthorizedCall[] = own.map(({ root }) => root);
  for (const call of path) {
    allowed = allowed.find((each) => isSameCall(each, call))?.calls ?? [];
  }
  return allowed;
}

function completeCallTree(call: AuthorizedCall): AuthorizedCall[] {
  return [call, ...call.calls.flatMap(completeCallTree)];
}

export function isSameCall(left: RequiredCall, right: RequiredCall): boolean {
  return (
    left.contract === right.contract &&
    left.function === right.function &&
    left.argumentsXdr.length === right.argumentsXdr.length &&
    equalArguments(left, right) === left.argumentsXdr.length
  );
}

/** The number of equal arguments. */
function equalArguments(left: RequiredCall, right: RequiredCall): number {
  return left.argumentsXdr.filter((value, i) => value === right.argumentsXdr[i]).length;
}

function argumentDifference(
  signed: AuthorizedCall,
  required: RequiredCall,
  { lookup }: Failure,
): AuthorizationDifference {
  const signedArguments = signed.argumentsXdr;
  if (signedArguments.length !== required.argumentsXdr.length)
    return { in: "count", signed: signedArguments.length, required: required.argumentsXdr.length };
  const at = signedArguments.findIndex((value, i) => value !== required.argumentsXdr[i]);
  const spec = lookup(required.contract)?.spec ?? null;
  const input = spec?.functions.get(required.function ?? "")?.inputs[at] ?? null;
  const show = (xdr: string | undefined) => showTyped(xdr ?? "", input?.type ?? null, spec);
  const argument = input === null ? `argument ${at + 1}` : `argument \`${input.name}\``;
  const [called, own] = [show(required.argumentsXdr[at]), show(signedArguments[at])];
  return { in: "argument", argument, called, signed: own };
}

function nameOf({ contract, function: name }: RequiredCall): string {
  if (contract === null) return "the creation of a contract";
  return `${name === null || !/^\w{1,32}$/.test(name) ? "a function" : name} of ${contract}`;
}
