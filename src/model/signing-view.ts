// A SigningView is what a person has to see before a key signs a transaction.
// Invariant: transactions with different hashes have different views, in fields other than a hash
// of the whole. Texts are as in the envelope unless a field says otherwise.

import type { NamedInvocation } from "./authorizations.ts";

export interface SigningView {
  /** The hash that is signed, hex. */
  readonly hash: string;
  readonly networkPassphrase: string;
  /** Strkey; null unless the transaction is a fee-bump. */
  readonly feeSource: string | null;
  /** Strkey, also for a multiplexed account. */
  readonly sourceAccount: string;
  /** Decimal. */
  readonly sequenceNumber: string;
  /** The maximum that can be charged; for a fee-bump, the bid of the outer transaction. */
  readonly feeBidStroops: string;
  /** The bid of the transaction inside a fee-bump; null for any other transaction. */
  readonly innerFeeStroops: string | null;
  /** The part of the bid for resources; null for a classic transaction. */
  readonly resourceFeeStroops: string | null;
  /** Memo, time bounds, ledger bounds and other preconditions; empty if there are none. */
  readonly conditions: readonly ViewField[];
  readonly operations: readonly OperationView[];
  /** The declared footprint and limits; empty for a classic transaction. */
  readonly resources: readonly ViewField[];
  /** The signatures that the envelope already has. */
  readonly signatures: readonly JudgedSignature[];
}

export interface JudgedSignature {
  /** The transaction of a fee-bump that this signs. */
  readonly transaction: "outer" | "inner";
  /** Hex. */
  readonly hint: string;
  /**
   * Strkey; null if no known key has this hint, or none of the keys that have it made the
   * signature.
   */
  readonly signer: string | null;
  /** False if a known key has the hint but did not make the signature. Null if that is unknown. */
  readonly holds: boolean | null;
  /** Base64. */
  readonly signature: string;
}

export interface ViewField {
  /** XDR names from the outside in, separated by dots. */
  readonly name: string;
  readonly value: string;
  /** Present for the first or the last time at which the transaction is valid. */
  readonly validity?: { readonly end: "from" | "until"; readonly isUnlimited: boolean };
}

export interface OperationView {
  /** Such as `payment`. */
  readonly kind: string;
  /** Null for the transaction's source account. */
  readonly sourceAccount: string | null;
  /** The operation's fields; empty for the call of a contract function. */
  readonly fields: readonly ViewField[];
  readonly call: NamedInvocation | null;
  readonly authorizations: readonly SigningAuthorization[];
}

/** An authorization entry, with the effect of signing it. */
export interface SigningAuthorization {
  /** Strkey. Null means the source account, which authorizes by signing the transaction. */
  readonly signer: string | null;
  /** Null for the source account. */
  readonly validUntilLedger: number | null;
  /** Null if only the account's contract can judge them. Empty if the entry is not signed. */
  readonly signatures: readonly { readonly signer: string; readonly holds: boolean }[] | null;
  /**
   * The new expiration ledger of the entry: `always`, or with `own-key` if the key that signs is
   * that of the signer. Null if it does not change.
   */
  readonly renewed: { readonly untilLedger: number; readonly when: "always" | "own-key" } | null;
  /** The nonce, the signature, and other parts of the credentials. */
  readonly fields: readonly ViewField[];
  readonly invocation: SigningInvocation;
}

export interface SigningInvocation {
  /** Null for the creation of a contract, which `fields` describe. */
  readonly call: NamedInvocation | null;
  readonly fields: readonly ViewField[];
  readonly calls: readonly SigningInvocation[];
}

/** A signer without its implementation. The rest of svc knows nothing else about a token. */
export interface Signer {
  /** 32 bytes, ed25519. */
  readonly publicKey: Uint8Array;
  /** Strkey (G…). */
  readonly address: string;
  /** Returns 64 bytes. The caller must show what is signed before it calls this. */
  sign(message: Uint8Array): Uint8Array;
}
