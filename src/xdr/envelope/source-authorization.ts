// An account authorizes a call by signing the transaction, with an entry that has the call but no
// signature and no nonce.

import { utf8Bytes } from "../../base/bytes.ts";
import { decodeContractId } from "../../base/text/strkey.ts";
import { decode, encode, type Value } from "../reader/value.ts";
import type { ContractCall } from "./authorizations.ts";
import type { Envelope } from "./envelope.ts";
import { hostFunctionOperations } from "./host-function.ts";
import { withAuthorizations } from "./patch-envelope.ts";

type AuthorizationEntry = Value<"SorobanAuthorizationEntry">;
type Invocation = AuthorizationEntry["rootInvocation"];
type Allowed = Invocation["function"];

/** The maximum number of equal calls below one call. More of them would not cover it either. */
const MAXIMUM_ALIKE = 3;

/**
 * Adds the authorization of the source account for one call. `path` has the calls from the
 * outermost one down to that call; it is empty if the envelope itself creates a contract. The call
 * is added below the last call of the path that is already allowed, or as a new entry. Returns null
 * if there is nothing to allow, or more would not help.
 */
export function withSourceAuthorization(
  envelope: Envelope,
  path: readonly ContractCall[],
): Envelope | null {
  const calls = [creationIn(envelope), ...path.map(authorizedCall)].filter((each) => each !== null);
  const required = calls.at(-1);
  if (required === undefined) return null;
  const invocation = { function: required, subInvocations: [] };
  const entries = envelope.authorizationsXdr.map((xdr) => decode("SorobanAuthorizationEntry", xdr));
  const allows = ({ credentials, rootInvocation }: AuthorizationEntry, some: readonly Allowed[]) =>
    credentials.type === SOURCE_ACCOUNT && some.some(isAllowedBy(rootInvocation));
  const place = entries.findIndex((each) => allows(each, calls.slice(0, -1)));
  const entry = entries[place];
  if (entry === undefined) {
    if (entries.some((each) => allows(each, [required]))) return null;
    entries.push({ credentials: { type: SOURCE_ACCOUNT }, rootInvocation: invocation });
  } else {
    const rootInvocation = withBelow(entry.rootInvocation, calls.slice(0, -1), invocation);
    if (rootInvocation === null) return null;
    entries[place] = { ...entry, rootInvocation };
  }
  return withAuthorizations(
    envelope,
    entries.map((each) => encode("SorobanAuthorizationEntry", each)),
  );
}

const SOURCE_ACCOUNT = 0;

/** `above` has the calls above the new one. */
function withBelow(
  allowed: Invocation,
  above: readonly Allowed[],
  invocation: Invocation,
): Invocation | null {
  const callsBelow = above.slice(above.findIndex(isAllowedBy(allowed)) + 1);
  const subInvocations = [...allowed.subInvocations];
  const next = subInvocations.findLastIndex((each) => callsBelow.some(isAllowedBy(each)));
  const nearer = subInvocations[next];
  if (nearer !== undefined) {
    const below = withBelow(nearer, callsBelow, invocation);
    if (below === null) return null;
    subInvocations[next] = below;
    return { ...allowed, subInvocations };
  }
  const alike = subInvocations.filter((each) => isAllowedBy(each)(invocation.function));
  if (alike.length === MAXIMUM_ALIKE) return null;
  return { ...allowed, subInvocations: [...subInvocations, invocation] };
}

function isAllowedBy({ function: allowed }: Invocation): (call: Allowed) => boolean {
  const xdr = encode("SorobanAuthorizedFunction", allowed);
  return (call) => encode("SorobanAuthorizedFunction", call) === xdr;
}

/** The call as an authorization has it; null if its contract is none. */
export function authorizedCall({ contract, argumentsXdr, ...call }: ContractCall): Allowed | null {
  const contractId = decodeContractId(contract);
  if (contractId === null) return null;
  const args = argumentsXdr.map((value) => decode("ScVal", value));
  const contractAddress = { type: 1 as const, contractId };
  const functionName = utf8Bytes(call.function);
  return { type: 0, contractFn: { contractAddress, functionName, args } };
}

function creationIn({ decoded }: Envelope): Allowed | null {
  const invoked = hostFunctionOperations(decoded)[0]?.hostFunction;
  if (invoked?.type === 1) return { type: 1, createContractHostFn: invoked.createContract };
  if (invoked?.type === 3) return { type: 2, createContractV2HostFn: invoked.createContractV2 };
  return null;
}
