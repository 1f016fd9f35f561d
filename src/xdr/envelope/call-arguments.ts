// The contract call of a transaction, and the same call with other arguments.

import {
  type InvokeContractArgs,
  SorobanAuthorizationEntry,
  TransactionEnvelope,
} from "@stellar/stellar-sdk/xdr";
import { decodeBase64 } from "../reader/cursor.ts";
import { withArguments, withAuthorizations, withInvocation } from "./patch-envelope.ts";

export interface CallFacts {
  /** Strkey. */
  readonly contract: string;
  /** As in the envelope, not neutralised. */
  readonly function: string;
  /** ScVals. */
  readonly argumentsXdr: readonly string[];
}

export interface PatchedCall {
  readonly envelopeXdr: string;
  /** Number of signed authorizations of this call, which still have the old arguments. */
  readonly signedOtherwise: number;
}

/** Null when it calls no contract function. */
export function readCall(envelopeXdr: string): CallFacts | null {
  const call = invocationOf(envelopeXdr)?.call ?? null;
  if (call === null) return null;
  return {
    contract: String(call.contractAddress.toJson()),
    function: call.functionName.toString(),
    argumentsXdr: call.args.map((argument) => argument.toXdr("base64")),
  };
}

/**
 * If the source account authorized this call by signing the transaction, it also authorizes the
 * changed call, because it would sign again. Another address signed the old arguments, so its entry
 * does not change. Throws XDR_INVALID when the envelope calls no contract function.
 */
export function withCallArguments(
  envelopeXdr: string,
  argumentsXdr: readonly string[],
): PatchedCall {
  const patched = withArguments(envelopeXdr, argumentsXdr);
  const before = invocationOf(envelopeXdr);
  const after = invocationOf(patched);
  if (before === null || after === null) return { envelopeXdr: patched, signedOtherwise: 0 };
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
  return { envelopeXdr: withAuthorizations(patched, entries), signedOtherwise };
}

/** Replaces the host function with an upload of contract code, which needs no authorization. */
export function withUpload(envelopeXdr: string, wasm: Uint8Array): string {
  return withInvocation(envelopeXdr, (invocation) => ({
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

/** The envelope has been read before. */
function invocationOf(envelopeXdr: string): Invocation | null {
  const envelope = TransactionEnvelope.fromXdr(decodeBase64(envelopeXdr, "TransactionEnvelope"));
  if (envelope.type === "envelopeTypeTxV0") return null;
  const { tx } = envelope.type === "envelopeTypeTx" ? envelope.v1 : envelope.feeBump.tx.innerTx.v1;
  const [operation] = tx.operations;
  if (operation?.body.type !== "invokeHostFunction") return null;
  const { hostFunction, auth } = operation.body.invokeHostFunctionOp;
  if (hostFunction.type !== "hostFunctionTypeInvokeContract") return null;
  return { call: hostFunction.invokeContract, auth };
}
