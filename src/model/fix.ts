// A Mend is what would have made a failed transaction succeed: the least that must be different in
// the transaction itself, and what came of running it again so, on the same state.
// Invariant: `succeeds` stands only where that very envelope ran and succeeded.

import type { Cause, NamedAuthorization } from "./explanation.ts";

/** What a transaction can be mended in. */
export type FixKind =
  | "restore"
  | "footprint"
  | "authorization"
  | "instructions"
  | "read-bytes"
  | "write-bytes"
  | "resource-fee";

/** One value that is different. */
export interface FixChange {
  /** In words: `write bytes`, `footprint, read-write`; text of the chain is neutralised. */
  readonly what: string;
  /** Null: it was not there. */
  readonly from: string | null;
  /** Null: it goes. */
  readonly to: string | null;
}

/** What the mended transaction used when it ran. Decimal strings. */
export interface FixCost {
  readonly instructions: string;
  readonly memoryBytes: string;
  readonly diskReadBytes: string;
  readonly writeBytes: string;
  readonly nonRefundableStroops: string;
  /** Of rent and events. */
  readonly refundableStroops: string;
  readonly rentStroops: string;
}

/** Asked for by the host, and not signed yet: until when it holds is not said. */
export interface RecordedAuthorization extends NamedAuthorization {
  /** SorobanAuthorizationEntry, base64. */
  readonly entryXdr: string;
}

export type FixProof =
  /** It ran with the changes and succeeded. */
  | {
      readonly outcome: "succeeds";
      readonly cost: FixCost;
      /** One less of each of these was tried too, and failed. Names as in `changes`. */
      readonly least: readonly string[];
      /** State that the proof rests on and nothing proves, in words. */
      readonly assumed: readonly string[];
    }
  /** It ran with the changes: what had failed did not, this did. */
  | {
      readonly outcome: "fails-next";
      readonly cause: Cause;
      /** Of that cause; null when none is known. */
      readonly remedy: string | null;
    }
  /**
   * It ran with authorizations recorded instead of checked, and succeeded: whether it does once
   * they are signed is not proven. All that it needs, the source account's too.
   */
  | { readonly outcome: "recorded"; readonly authorizations: readonly RecordedAuthorization[] }
  /** Nothing ran that would prove it. */
  | { readonly outcome: "unproven"; readonly reason: string };

/** A transaction to be sent first, and to have succeeded, before the mended one. */
export interface FixPrelude {
  readonly summary: string;
  readonly changes: readonly FixChange[];
  /** TransactionEnvelope, base64, unsigned. */
  readonly envelopeXdr: string;
}

/** More than the least, so that it still succeeds when the state has moved on: it ran so, too. */
export interface FixHeadroom {
  readonly instructions: string;
  readonly resourceFeeStroops: string;
  readonly feeStroops: string;
  /** Those that are more, from the least; never empty. */
  readonly changes: readonly FixChange[];
}

export interface Fix {
  /** What is mended, in the order of `MendKind`; empty when nothing in it can mend it. */
  readonly kinds: readonly FixKind[];
  /** One sentence or two. */
  readonly summary: string;
  readonly changes: readonly FixChange[];
  /** Null when nothing is changed: `summary` says why nothing can be. */
  readonly proof: FixProof | null;
  readonly prelude: FixPrelude | null;
  /** What `envelopeXdr` declares beyond `changes`; null unless it succeeds, and where that is all. */
  readonly headroom: FixHeadroom | null;
  /** What is different besides, because a failed transaction cannot be sent twice. */
  readonly resubmission: readonly FixChange[];
  /** Both of those below, each once; accounts or contracts. */
  readonly signers: readonly string[];
  /** Who has to sign an authorization in the envelope, before it is signed itself. */
  readonly authorizationSigners: readonly string[];
  /** Who has to sign the envelope. */
  readonly transactionSigners: readonly string[];
  /**
   * TransactionEnvelope, base64, unsigned, as are recorded authorizations in it; null when there is
   * none to send.
   */
  readonly envelopeXdr: string | null;
  /** The same with the values of `changes`: the least. Null unless it succeeds. */
  readonly leastEnvelopeXdr: string | null;
}
