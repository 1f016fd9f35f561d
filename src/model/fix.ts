// A Fix is the smallest change to a failed transaction that would have made it succeed, and the
// result of a run with that change on the same state.
// Invariant: the outcome is `succeeds` only if exactly that envelope ran and succeeded.

import type { Wording } from "../base/phrase.ts";
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

/** A part of an envelope that a fix changes, or that resending it does. */
export type FixPart = keyof typeof FIX_PARTS;

/** Part → its name in words. */
export const FIX_PARTS = {
  archived: "archivedSorobanEntries",
  footprint: "footprint",
  authorization: "authorization",
  instructions: "instructions",
  "disk-read-bytes": "disk read bytes",
  "write-bytes": "write bytes",
  "resource-fee": "resource fee",
  fee: "fee",
  "inner-fee": "fee of the inner transaction",
  restored: "restored",
  "sequence-number": "sequence number",
  "valid-until": "valid until",
  "valid-before-ledger": "valid before ledger",
} as const;

/** The parts whose values are numbers. */
export const NUMBERED_PARTS: ReadonlySet<FixPart> = new Set([
  "instructions",
  "disk-read-bytes",
  "write-bytes",
  "resource-fee",
  "fee",
  "inner-fee",
  "sequence-number",
  "valid-before-ledger",
]);

/** `undecided`: no run shows whether the entry is written. */
export type EntryAccess = "read-only" | "read-write" | "undecided";

export interface FootprintAccess {
  /** The entry in words. */
  readonly name: string;
  readonly from: EntryAccess | null;
  readonly to: EntryAccess | null;
}

/** One changed value. */
export interface FixChange {
  readonly part: FixPart;
  /** The part in words: `write bytes`, `footprint`. */
  readonly what: string;
  /** LedgerKey, base64, of the entry that it is about. */
  readonly keyXdr?: string;
  /** How the footprint has that entry; null: it does not. */
  readonly access?: FootprintAccess;
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
      readonly remedy: Wording | null;
      /** On the state that it ran on, the transaction only succeeds in an earlier ledger. */
      readonly isTooLate?: true;
      /** An earlier transaction has already done what the call does; the remedy names it. */
      readonly isDone?: true;
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

/** What the runs of a fix showed. */
export type FixFinding =
  /** Changes that help, or that get the transaction further. */
  | "changes"
  /** No change to what the transaction declares helps. */
  | "nothing-helps"
  /** So, too: with the maximum resources it failed in the same way. */
  | "elsewhere"
  /** An earlier transaction has already done what the call does: nothing is to be sent. */
  | "done"
  /** Nothing was run. */
  | "not-tried";

/** Runs showed that no change to the transaction helps. */
export function showsNoFix({ finding }: Pick<Fix, "finding">): boolean {
  return finding === "nothing-helps" || finding === "elsewhere";
}

export interface Fix {
  readonly finding: FixFinding;
  /** The changed parts, in the order of `FixKind`; empty when no change fixes the failure. */
  readonly kinds: readonly FixKind[];
  /** A few sentences. */
  readonly summary: Wording;
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
