// A SigningView is what a person has to see before a key signs a transaction. Invariant:
// transactions with different hashes have different views, in what is not a hash of the whole.
// Texts are as in the envelope unless a field says otherwise.

import type { NamedInvocation } from "./authorizations.ts";

export interface SigningView {
  /** The hash that is signed, hex. */
  readonly hash: string;
  readonly networkPassphrase: string;
  /** Strkey; null unless it is a fee-bump. */
  readonly feeSource: string | null;
  /** Strkey, also of a multiplexed account. */
  readonly sourceAccount: string;
  /** Decimal. */
  readonly sequenceNumber: string;
  /** The maximum that can be charged; for a fee-bump, the bid of the outer transaction. */
  readonly feeBidStroops: string;
  /** The bid of the transaction inside a fee-bump; null for any other. */
  readonly innerFeeStroops: string | null;
  /** The part of the bid for resources; null for a classic transaction. */
  readonly resourceFeeStroops: string | null;
  /** Memo, time bounds, ledger bounds and other preconditions; empty when there are none. */
  readonly conditions: readonly ViewField[];
  readonly operations: readonly OperationView[];
  /** The declared footprint and limits; empty for a classic transaction. */
  readonly resources: readonly ViewField[];
  /** Signatures that the envelope already has. */
  readonly signatures: readonly JudgedSignature[];
}

export interface JudgedSignature {
  /** The transaction of a fee-bump that it signs. */
  readonly transaction: "outer" | "inner";
  /** Hex. */
  readonly hint: string;
  /** Strkey; null when no known key has this hint, or none of those that have it made it. */
  readonly signer: string | null;
  /** False: a known key has the hint but did not make the signature. Null: unknown. */
  readonly holds: boolean | null;
  /** Base64. */
  readonly signature: string;
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
  readonly authorizations: readonly SigningAuthorization[];
}

/** An entry as it is, with what signing will make of it. */
export interface SigningAuthorization {
  /** Strkey; null: the source account, by signing the transaction. */
  readonly signer: string | null;
  /** Null for the source account. */
  readonly validUntilLedger: number | null;
  /** Null where the account's contract alone can judge them; empty: it is not signed. */
  readonly signatures: readonly { readonly signer: string; readonly holds: boolean }[] | null;
  /**
   * The entry gets a new ledger: `always`; or `own-key`, if the key that signs is that of the signer.
   * Null: it stays as it is.
   */
  readonly renewed: { readonly untilLedger: number; readonly when: "always" | "own-key" } | null;
  /** Nonce, signature, and whatever its credentials have besides. */
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
  /** Strkey, G…. */
  readonly address: string;
  /** Returns 64 bytes. The caller must show what is signed before it calls this. */
  sign(message: Uint8Array): Uint8Array;
}
