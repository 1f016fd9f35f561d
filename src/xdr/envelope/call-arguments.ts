// Changes the contract call of a transaction: other arguments, or an upload in its place.

import { encode, type Value } from "../reader/value.ts";
import { CREDENTIALS } from "./authorizations.ts";
import type { Envelope } from "./envelope.ts";
import { HOST_FUNCTION, hostFunctionOperations } from "./host-function.ts";
import { withArguments, withAuthorizations, withInvocation } from "./patch-envelope.ts";

/**
 * Returns the envelope with other arguments, and the number of authorizations that other addresses
 * signed for the old ones. An authorization of the source account follows the call, because the
 * account would sign the changed transaction. An entry that another address signed does not change.
 * Throws XDR_INVALID if the envelope calls no contract function.
 */
export function withCallArguments(envelope: Envelope, argumentsXdr: readonly string[]) {
  const patched = withArguments(envelope, argumentsXdr);
  const before = invocationOf(envelope);
  const after = invocationOf(patched);
  if (before === null || after === null) return { envelope: patched, signedOtherwise: 0 };
  let signedOtherwise = 0;
  const called = encode("InvokeContractArgs", before.call);
  const entries = before.auth.map((entry) => {
    const { function: allowed } = entry.rootInvocation;
    const isSame =
      "contractFn" in allowed && encode("InvokeContractArgs", allowed.contractFn) === called;
    if (!isSame) return encode("SorobanAuthorizationEntry", entry);
    if (entry.credentials.type === CREDENTIALS.sourceAccount) return allowing(entry, after.call);
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

function allowing(entry: AuthorizationEntry, contractFn: Value<"InvokeContractArgs">): string {
  const rootInvocation = { ...entry.rootInvocation, function: { type: 0 as const, contractFn } };
  return encode("SorobanAuthorizationEntry", { ...entry, rootInvocation });
}

type AuthorizationEntry = Value<"SorobanAuthorizationEntry">;

interface Invocation {
  readonly call: Value<"InvokeContractArgs">;
  readonly auth: readonly AuthorizationEntry[];
}

function invocationOf({ decoded }: Envelope): Invocation | null {
  const [operation] = hostFunctionOperations(decoded);
  if (operation?.hostFunction.type !== HOST_FUNCTION.invokeContract) return null;
  return { call: operation.hostFunction.invokeContract, auth: operation.auth };
}
