// A WhatIf is a transaction run again with overrides, beside the replay of what the chain ran. It
// never carries a verdict: nothing of it was on the chain.

import type { Execution } from "./execution.ts";
import type { Explanation, FeeFacts, NamedCall, NamedChange, NamedEvent } from "./explanation.ts";

/** One thing that is different, in words. */
export interface ChangedInput {
  /** E.g. `ledger sequence`, `argument amount of transfer`. */
  readonly what: string;
  readonly before: string;
  readonly after: string;
}

/** A value of both runs; they are equal when the texts are. Null: not known, or none. */
export interface BeforeAfter {
  readonly before: string | null;
  readonly after: string | null;
}

/** `gone`: only in the run of the chain. `new`: only in the variant. */
export type Alignment = "same" | "different" | "gone" | "new";

/** What an aligned call has of its own; the calls below it are aligned themselves. */
export type CallAlone = Omit<NamedCall, "calls">;

/** A call of either run, or of both. */
export interface AlignedCall {
  readonly alignment: Alignment;
  /** Empty unless `different`. What it cost is no difference. */
  readonly differs: readonly ("arguments" | "result" | "outcome")[];
  /** Null: it is `new`. */
  readonly before: CallAlone | null;
  /** Null: it is `gone`. */
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

/** What was used, charged or refunded. */
export interface Amount extends BeforeAfter {
  readonly name: string;
  readonly unit: "instructions" | "bytes" | "entries" | "stroops";
}

export interface Difference {
  /** `success`, or a result code's XDR name. */
  readonly outcome: BeforeAfter;
  readonly returnValue: BeforeAfter;
  readonly calls: AlignedCall | null;
  readonly changes: readonly AlignedChange[];
  readonly events: readonly AlignedEvent[];
  readonly resources: readonly Amount[];
  readonly fees: readonly Amount[];
}

export interface WhatIf {
  /** What came of it, beside what came of the run of the chain, in one sentence. */
  readonly headline: string;
  /** What the user changed, then what that changed in turn. */
  readonly changed: readonly ChangedInput[];
  /** The TransactionEnvelope that ran, base64; its signatures are those of the original. */
  readonly envelopeXdr: string;
  readonly execution: Execution;
  readonly success: boolean;
  readonly explanation: Omit<Explanation, "fees"> & { readonly fees: VariantFees };
  /** Why the run says nothing of how it would have ended, a sentence each; empty: it says it. */
  readonly unknown: readonly string[];
  /** What the run rests on and what the network would say of it, a sentence each. */
  readonly remarks: readonly string[];
  readonly difference: Difference;
}

/** Null: what would have been charged is not known. */
export type VariantFees = Omit<FeeFacts, "chargedStroops"> & {
  readonly chargedStroops: string | null;
};
