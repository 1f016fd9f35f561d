// A WhatIf is a run of the transaction with overrides, compared with the replay of what the chain
// ran. It never has a verdict, because that run never happened on the chain.

import type { Execution } from "./execution.ts";
import type { Explanation, FeeFacts, NamedCall, NamedChange, NamedEvent } from "./explanation.ts";

/** One changed input, in words. */
export interface ChangedInput {
  readonly kind:
    | "ledger"
    | "limit"
    | "argument"
    | "entry"
    | "setting"
    | "code"
    | "footprint"
    | "authorizations";
  /** Such as `ledger sequence` or `argument amount of transfer`. */
  readonly what: string;
  readonly before: string;
  readonly after: string;
}

/**
 * A value of both runs. The values are equal if the texts are. Null if it is unknown, or there is
 * none.
 */
export interface BeforeAfter {
  readonly before: string | null;
  readonly after: string | null;
}

/** `gone` is only in the replay, and `new` only in the run with the overrides. */
export type Alignment = "same" | "different" | "gone" | "new";

/** A call without the calls below it, which are aligned separately. */
export type CallAlone = Omit<NamedCall, "calls" | "steps">;

/** A call of one run, or of both. */
export interface AlignedCall {
  readonly alignment: Alignment;
  /** Empty unless `different`. A different cost does not count. */
  readonly differs: readonly ("arguments" | "result" | "outcome")[];
  /** Null if the call is `new`. */
  readonly before: CallAlone | null;
  /** Null if the call is `gone`. */
  readonly after: CallAlone | null;
  readonly calls: readonly AlignedCall[];
}

export interface AlignedChange {
  readonly alignment: Alignment;
  readonly before: NamedChange | null;
  readonly after: NamedChange | null;
}

export interface AlignedEvent {
  readonly alignment: Alignment;
  readonly before: NamedEvent | null;
  readonly after: NamedEvent | null;
}

/** An amount that was used, charged or refunded. */
export interface Amount extends BeforeAfter {
  readonly name: string;
  readonly unit: "instructions" | "bytes" | "entries" | "stroops";
}

export interface RunDifference {
  /** `success`, or the XDR name of a result code. */
  readonly outcome: BeforeAfter;
  readonly returnValue: BeforeAfter;
  readonly calls: AlignedCall | null;
  readonly changes: readonly AlignedChange[];
  readonly events: readonly AlignedEvent[];
  readonly resources: readonly Amount[];
  readonly fees: readonly Amount[];
}

export interface WhatIf {
  /** One sentence that compares the outcome with that of the replay. */
  readonly headline: string;
  /** The inputs that the user changed, then those that changed as a consequence. */
  readonly changed: readonly ChangedInput[];
  /** The TransactionEnvelope that ran, base64, with the signatures of the original. */
  readonly envelopeXdr: string;
  readonly execution: Execution;
  readonly success: boolean;
  readonly explanation: Omit<Explanation, "fees"> & { readonly fees: VariantFees };
  /** One sentence for each reason why the outcome is unknown; empty if it is known. */
  readonly unknown: readonly string[];
  /**
   * One sentence for each check before the run for which the network would refuse the transaction.
   */
  readonly refusals: readonly string[];
  /** One sentence for each assumption of the run. */
  readonly remarks: readonly string[];
  readonly difference: RunDifference;
}

/** `chargedStroops` is null because the fee that would have been charged is unknown. */
export type VariantFees = Omit<FeeFacts, "chargedStroops"> & {
  readonly chargedStroops: string | null;
};
