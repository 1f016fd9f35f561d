// Changes the contract call of a transaction: other arguments of its function, or of the
// constructor of the contract that it creates, or an upload in its place.

import { encode, type Value } from "../reader/value.ts";
import { AUTHORIZED_FUNCTION, CREDENTIALS } from "./authorizations.ts";
import { ownCall } from "./created-contracts.ts";
import type { Envelope } from "./envelope.ts";
import { HOST_FUNCTION, hostFunctionOperations } from "./host-function.ts";
import { withArguments, withAuthorizations, withInvocation } from "./patch-envelope.ts";
import { authorizedCall } from "./source-authorization.ts";

/**
 * Returns the envelope with other arguments, and the number of authorizations that other addresses
 * signed for the old ones. An authorization of the source account follows the call, because the
 * account would sign the changed transaction. An entry that another address signed does not change.
 * Throws XDR_INVALID if the envelope neither calls a contract function nor creates a contract with
 * a constructor.
 */
export function withCallArguments(envelope: Envelope, argumentsXdr: readonly string[]) {
  const patched = withArguments(envelope, argumentsXdr);
  const before = invocationOf(envelope);
  const after = invocationOf(patched);
  if (before === null || after === null) return { envelope: patched, signedOtherwise: 0 };
  let signedOtherwise = 0;
  const called = encode("SorobanAuthorizedFunction", before.call);
  const entries = before.auth.map((entry) => {
    const { function: allowed } = entry.rootInvocation;
    if (encode("SorobanAuthorizedFunction", allowed) !== called)
      return encode("SorobanAuthorizationEntry", entry);
    if (entry.credentials.type === CREDENTIALS.sourceAccount)
      return allowing(entry, after.call, constructorCalls(envelope, patched));
    signedOtherwise += 1;
    return encode("SorobanAuthorizationEntry", entry);
  });
  return { envelope: withAuthorizations(patched, entries), signedOtherwise };
}

/** Replaces the host function with an upload of contract code, which needs no authorization. */
export function withUpload(envelope: Envelope, wasm: Uint8Array): Envelope {
  return withInvocation(envelope, (invocation) => ({
    ...invocation,
    hostFunction: { type: HOST_FUNCTION.uploadWasm, wasm },
    auth: [],
  }));
}

/** `below` has a call that the new one makes of itself, as it was and as it is now. */
function allowing(
  entry: AuthorizationEntry,
  call: AuthorizedFunction,
  below: readonly [was: string, now: AuthorizedFunction] | null,
): string {
  const subInvocations = entry.rootInvocation.subInvocations.map((each) =>
    below !== null && encode("SorobanAuthorizedFunction", each.function) === below[0]
      ? { ...each, function: below[1] }
      : each,
  );
  const rootInvocation = { function: call, subInvocations };
  return encode("SorobanAuthorizationEntry", { ...entry, rootInvocation });
}

/** The call of the constructor, if the envelopes create a contract; null: they do not. */
function constructorCalls(before: Envelope, after: Envelope) {
  if (before.hostFunction?.kind !== "create") return null;
  const [was, now] = [before, after].map((envelope) => {
    const call = ownCall(envelope);
    return call && authorizedCall(call);
  });
  return was && now ? ([encode("SorobanAuthorizedFunction", was), now] as const) : null;
}

type AuthorizationEntry = Value<"SorobanAuthorizationEntry">;
type AuthorizedFunction = Value<"SorobanAuthorizedFunction">;

interface Invocation {
  readonly call: AuthorizedFunction;
  readonly auth: readonly AuthorizationEntry[];
}

function invocationOf({ decoded }: Envelope): Invocation | null {
  const [operation] = hostFunctionOperations(decoded);
  if (operation === undefined) return null;
  const { hostFunction, auth } = operation;
  switch (hostFunction.type) {
    case HOST_FUNCTION.invokeContract:
      return {
        call: { type: AUTHORIZED_FUNCTION.call, contractFn: hostFunction.invokeContract },
        auth,
      };
    case HOST_FUNCTION.createContractV2: {
      const createContractV2HostFn = hostFunction.createContractV2;
      return { call: { type: AUTHORIZED_FUNCTION.createContractV2, createContractV2HostFn }, auth };
    }
    default:
      return null;
  }
}
