// A Verdict says how sure svc is that the replay is what the chain did, and lists every comparison.

export type VerdictKind = "exact" | "equivalent" | "diverged" | "inconclusive";

/** What was compared; one file of `verdict/` each. */
export type ComparisonSubject =
  | "transaction-result"
  | "operation-result"
  | "success-hash"
  | "return-value"
  | "events"
  | "ledger-change"
  | "fee-charged"
  | "resource-fee"
  | "refund"
  | "core-metric"
  | "diagnostic-error"
  | "diagnostic-events";

export interface Comparison {
  readonly subject: ComparisonSubject;
  /** Which one, where a subject has several: a LedgerKey in base64, a metric's name, a position. */
  readonly item: string | null;
  /** `unavailable`: the recording holds nothing to compare with; `detail` says why. */
  readonly result: "equal" | "different" | "unavailable";
  /** As text: base64 XDR, a hash or a number; null when absent. */
  readonly chain: string | null;
  readonly replay: string | null;
  readonly detail: string | null;
}

/** A reason why an otherwise equal replay is not `exact`, or why nothing can be said. */
export interface Caveat {
  readonly kind: "assumed" | "unknown" | "metering" | "diagnostics" | "events" | "not-compared";
  readonly keyXdr: string | null;
  readonly detail: string;
}

export interface Verdict {
  readonly kind: VerdictKind;
  readonly comparisons: readonly Comparison[];
  readonly caveats: readonly Caveat[];
  /** The first difference that decides; null unless `diverged`. */
  readonly firstDifference: Comparison | null;
  /** Best known cause of a divergence, one sentence; null when unknown or not diverged. */
  readonly likelyCause: string | null;
}
