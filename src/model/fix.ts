// A Fix is the smallest change to a failed transaction that would have made it succeed, and the
// result of a run with that change on the same state.
// Invariant: the outcome is `succeeds` only if exactly that envelope ran and succeeded.

import type { NamedAuthorization } from "./authorizations.ts";
import type { Cause } from "./explanation.ts";

/** The parts of a transaction that a fix can change. */
export type FixKind =
  | "restore"
  | "footprint"
  | "authorization"
  | "instructions"
  | "read-bytes"
  | "write-bytes"
  | "resource-fee";

/** One changed value. */
export interface FixChange {
  /** The thing that changes, in words: `write bytes`, `footprint`. */
  readonly what: string;
  /** Null when it is added. Text from the chain is neutralised. */
  readonly from: string | null;
  /** Null when it is removed. */
  readonly to: string | null;
}

/** The resources that the fixed transaction used when it ran. Decimal strings. */
export interface FixCost {
  readonly instructions: string;
  readonly memoryBytes: string;
  readonly diskReadBytes: string;
  readonly writeBytes: string;
  readonly nonRefundableStroops: string;
  /** The refundable fee, for rent and events. */
  readonly refundableStroops: string;
  readonly rentStroops: string;
}

/** Required by the host and not signed yet; its expiration ledger is not set. */
export interface RecordedAuthorization extends NamedAuthorization {
  /** SorobanAuthorizationEntry, base64. */
  readonly entryXdr: string;
}

export type FixProof =
  /** The transaction ran with the changes and succeeded. */
  | {
      readonly outcome: "succeeds";
      readonly cost: FixCost;
      /** Names, as in `changes`, of the values that were also run with one less, and failed. */
      readonly least: readonly string[];
      /** Assumed state that the proof depends on, in words. */
      readonly assumed: readonly string[];
    }
  /** The transaction ran with the changes. The first cause was gone, and this one followed. */
  | {
      readonly outcome: "fails-next";
      readonly cause: Cause;
      /** The remedy for that cause; null if none is known. */
      readonly remedy: string | null;
    }
  /**
   * The transaction ran with authorizations recorded instead of checked, and succeeded. A success
   * with signatures is not proven. The list has every authorization that is required, including
   * the source account's.
   */
  | { readonly outcome: "recorded"; readonly authorizations: readonly RecordedAuthorization[] }
  /** No run proves the changes. */
  | { readonly outcome: "unproven"; readonly reason: string };

/** A transaction that must be sent, and succeed, before the fixed one. */
export interface FixPrelude {
  readonly summary: string;
  readonly changes: readonly FixChange[];
  /** TransactionEnvelope, base64, unsigned. */
  readonly envelopeXdr: string;
}

/** More than the minimum, for a ledger state that has changed meanwhile. A run proves it too. */
export interface FixHeadroom {
  readonly instructions: string;
  readonly resourceFeeStroops: string;
  readonly feeStroops: string;
  /** Raised values, from the minimum; never empty. */
  readonly changes: readonly FixChange[];
}

/** Begins the summary of a fix whose runs show that there is none. */
export const NO_CHANGE_HELPS =
  "No change to the declared resources, footprint or authorizations fixes this:";
/** Instead, where the run with the maximum resources failed in the same way. */
export const CAUSE_IS_ELSEWHERE =
  "The cause is in the contract, its arguments or the state that it reads, not in what the " +
  "transaction declares:";

/** Runs showed that no change to the transaction helps. */
export function showsNoFix({ summary }: Fix): boolean {
  return summary.startsWith(NO_CHANGE_HELPS) || summary.startsWith(CAUSE_IS_ELSEWHERE);
}

export interface Fix {
  /** The changed parts, in the order of `FixKind`; empty when no change fixes the failure. */
  readonly kinds: readonly FixKind[];
  /** A few sentences. */
  readonly summary: string;
  readonly changes: readonly FixChange[];
  /** Null when nothing is changed; `summary` has the reason. */
  readonly proof: FixProof | null;
  readonly prelude: FixPrelude | null;
  /** Resources of `envelopeXdr` beyond `changes`; null unless it succeeds and declares more. */
  readonly headroom: FixHeadroom | null;
  /** Further changes, which are needed because a failed transaction cannot be sent again. */
  readonly resubmission: readonly FixChange[];
  /** Every signer of the two lists below, once; accounts or contracts. */
  readonly signers: readonly string[];
  /** Must sign an authorization in the envelope, before the envelope itself is signed. */
  readonly authorizationSigners: readonly string[];
  /** Must sign the envelope. */
  readonly transactionSigners: readonly string[];
  /**
   * TransactionEnvelope, base64. It is unsigned, and so are the recorded authorizations in it. Null
   * when there is nothing to send.
   */
  readonly envelopeXdr: string | null;
  /** `envelopeXdr` with the minimum, the values of `changes`. Null unless it succeeds. */
  readonly leastEnvelopeXdr: string | null;
}
