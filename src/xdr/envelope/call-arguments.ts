// The contract call of a transaction with other arguments, or an upload in its place.

import { type InvokeContractArgs, SorobanAuthorizationEntry } from "@stellar/stellar-sdk/xdr";
import type { Envelope } from "./envelope.ts";
import { hostFunctionOperations } from "./host-function.ts";
import { withArguments, withAuthorizations, withInvocation } from "./patch-envelope.ts";

export interface PatchedCall {
  readonly envelope: Envelope;
  /** Number of signed authorizations of this call, which still have the old arguments. */
  readonly signedOtherwise: number;
}

/**
 * If the source account authorized this call by signing the transaction, it also authorizes the
 * changed call, because it would sign again. Another address signed the old arguments, so its entry
 * does not change. Throws XDR_INVALID when the envelope calls no contract function.
 */
export function withCallArguments(
  envelope: Envelope,
  argumentsXdr: readonly string[],
): PatchedCall {
  const patched = withArguments(envelope, argumentsXdr);
  const before = invocationOf(envelope);
  const after = invocationOf(patched);
  if (before === null || after === null) return { envelope: patched, signedOtherwise: 0 };
  let signedOtherwise = 0;
  const entries = before.auth.map((entry) => {
    const { function: allowed } = entry.rootInvocation;
    const isSame = "contractFn" in allowed && allowed.contractFn.equals(before.call);
    if (!isSame) return entry.toXdr("base64");
    if (entry.credentials.type === "sorobanCredentialsSourceAccount")
      return allowing(entry, after.call);
    signedOtherwise += 1;
    return entry.toXdr("base64");
  });
  return { envelope: withAuthorizations(patched, entries), signedOtherwise };
}

/** Replaces the host function with an upload of contract code, which needs no authorization. */
export function withUpload(envelope: Envelope, wasm: Uint8Array): Envelope {
  return withInvocation(envelope, (invocation) => ({
    ...invocation,
    hostFunction: { type: UPLOAD, wasm },
    auth: [],
  }));
}

const UPLOAD = 2;

function allowing(entry: SorobanAuthorizationEntry, call: InvokeContractArgs): string {
  const wire = entry.toXdrObject();
  const { rootInvocation } = wire;
  const allowed = { type: 0 as const, contractFn: call.toXdrObject() };
  return SorobanAuthorizationEntry.schema
    .encode({ ...wire, rootInvocation: { ...rootInvocation, function: allowed } })
    .toBase64();
}

interface Invocation {
  readonly call: InvokeContractArgs;
  readonly auth: readonly SorobanAuthorizationEntry[];
}

function invocationOf({ decoded }: Envelope): Invocation | null {
  const [operation] = hostFunctionOperations(decoded);
  if (operation?.hostFunction.type !== "hostFunctionTypeInvokeContract") return null;
  return { call: operation.hostFunction.invokeContract, auth: operation.auth };
}
