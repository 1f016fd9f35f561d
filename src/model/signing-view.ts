// What a person has to see before a key signs a transaction: nothing of it is left out or shortened
// without a word. Texts are as they stand in the envelope where nothing else is said.

import type { NamedAuthorization, NamedInvocation } from "./explanation.ts";

export interface SigningView {
  /** Hex: what is signed. */
  readonly hash: string;
  readonly networkPassphrase: string;
  /** Strkey. */
  readonly feeSource: string;
  readonly sourceAccount: string;
  readonly isFeeBump: boolean;
  /** Decimal. */
  readonly sequenceNumber: string;
  /** The most that may be charged; of a fee-bump, what the outer transaction bids. */
  readonly feeBidStroops: string;
  /** Its part for resources; null for a classic transaction. */
  readonly resourceFeeStroops: string | null;
  /** Memo, time and ledger bounds and other preconditions, as far as there are any. */
  readonly conditions: readonly ViewField[];
  readonly operations: readonly OperationView[];
  /** What the transaction carries; empty when it calls no contract. */
  readonly authorizations: readonly NamedAuthorization[];
  /** Those that are there already. */
  readonly signatures: readonly JudgedSignature[];
}

export interface JudgedSignature {
  /** Of a fee-bump, which of both transactions. */
  readonly transaction: "outer" | "inner";
  /** Hex. */
  readonly hint: string;
  /** Strkey; null: no known key has this hint, or none with it made the signature. */
  readonly signer: string | null;
  /** False: a known key has the hint, and the signature is not its. Null: not known. */
  readonly holds: boolean | null;
}

export interface ViewField {
  /** XDR names, from outside in, between dots. */
  readonly name: string;
  readonly value: string;
}

export interface OperationView {
  /** e.g. `payment`. */
  readonly kind: string;
  /** Null: the transaction's. */
  readonly sourceAccount: string | null;
  /** What it does, field by field; empty for the call of a contract function. */
  readonly fields: readonly ViewField[];
  readonly call: NamedInvocation | null;
}
