// The outline of a transaction that svc cannot replay, because its ledger is of a later protocol:
// the parts that can be decoded. Nothing in it was checked except the hash of the envelope.

import type { SvcError } from "../base/errors/errors.ts";

export interface OutlinedOperation {
  readonly kind: string;
  /** Null if it is the transaction's. */
  readonly sourceAccount: string | null;
  /** For a call, the contract, the function and its arguments as text. */
  readonly fields: readonly { readonly name: string; readonly value: string }[];
}

/** Returns the outline in an error, or null if the sources did not have the transaction. */
export function outlineOf({ details }: SvcError): TransactionOutline | null {
  return (details.transaction as TransactionOutline | undefined) ?? null;
}

export interface TransactionOutline {
  /** The hash of the envelope, or the requested one if the envelope cannot be decoded. */
  readonly hash: string;
  readonly ledger: number;
  /** Taken from the result, or else from the node's answer; null if neither shows it. */
  readonly succeeded: boolean | null;
  /** Null if the result cannot be decoded. */
  readonly result: {
    readonly code: string;
    readonly innerCode: string | null;
    readonly operationCodes: readonly string[];
    readonly feeChargedStroops: string;
  } | null;
  /** Null if the envelope cannot be decoded. */
  readonly envelope: {
    readonly sourceAccount: string;
    readonly sequence: string;
    readonly feeBidStroops: string;
    readonly operations: readonly OutlinedOperation[];
    /** The TransactionEnvelope as JSON (SEP-51). */
    readonly json: unknown;
  } | null;
}
