// What a person has to see before a key signs a transaction. Nothing is omitted or shortened
// silently. Texts are as in the envelope unless a field says otherwise.

import type { NamedAuthorization, NamedInvocation } from "./authorizations.ts";

export interface SigningView {
  /** The hash that is signed, hex. */
  readonly hash: string;
  readonly networkPassphrase: string;
  /** Strkey. */
  readonly feeSource: string;
  readonly sourceAccount: string;
  readonly isFeeBump: boolean;
  /** Decimal. */
  readonly sequenceNumber: string;
  /** The maximum that can be charged; for a fee-bump, the bid of the outer transaction. */
  readonly feeBidStroops: string;
  /** The part of the bid for resources; null for a classic transaction. */
  readonly resourceFeeStroops: string | null;
  /** Memo, time bounds, ledger bounds and other preconditions; empty when there are none. */
  readonly conditions: readonly ViewField[];
  readonly operations: readonly OperationView[];
  /** Authorizations in the transaction; empty when it calls no contract. */
  readonly authorizations: readonly NamedAuthorization[];
  /** Signatures that the envelope already has. */
  readonly signatures: readonly JudgedSignature[];
}

export interface JudgedSignature {
  /** For a fee-bump, which of the two transactions it signs. */
  readonly transaction: "outer" | "inner";
  /** Hex. */
  readonly hint: string;
  /** Strkey; null when no known key has this hint, or none of those that have it made it. */
  readonly signer: string | null;
  /** False: a known key has the hint but did not make the signature. Null: unknown. */
  readonly holds: boolean | null;
}

export interface ViewField {
  /** XDR names from the outside in, separated by dots. */
  readonly name: string;
  readonly value: string;
}

export interface OperationView {
  /** e.g. `payment`. */
  readonly kind: string;
  /** Null: the transaction's source account. */
  readonly sourceAccount: string | null;
  /** The operation's fields; empty for the call of a contract function. */
  readonly fields: readonly ViewField[];
  readonly call: NamedInvocation | null;
}

/** A signer without its implementation. The rest of svc knows nothing else about a token. */
export interface Signer {
  /** 32 bytes, ed25519. */
  readonly publicKey: Uint8Array;
  /** Strkey, G…. */
  readonly address: string;
  /** Returns 64 bytes. The caller must show what is signed before it calls this. */
  sign(message: Uint8Array): Uint8Array;
}
