// A Verdict states how well the replay matches the chain, and lists every comparison.

import type { RecordPart } from "./chain-record.ts";

export type VerdictKind = "exact" | "equivalent" | "diverged" | "inconclusive";

/** A compared part of the outcome; each is one file of `verdict/`. */
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
  | "fee-events"
  | "core-metric"
  | "diagnostic-error"
  | "diagnostic-events";

export interface Comparison {
  readonly subject: ComparisonSubject;
  /** The item, if a subject has several: a LedgerKey in base64, a metric's name, a position. */
  readonly item: string | null;
  /** `unavailable`: the chain record has nothing to compare with; `detail` has the reason. */
  readonly result: "equal" | "different" | "unavailable";
  /** Both values as text: base64 XDR, a hash or a number; null when absent. */
  readonly chain: string | null;
  readonly replay: string | null;
  readonly detail: string | null;
}

/** Subjects that nodes count and report beside the chain: no hash covers them. */
const REPORTED: readonly ComparisonSubject[] = [
  "core-metric",
  "diagnostic-error",
  "diagnostic-events",
];

/** The place of the chain's side of a comparison, as a sentence says it. */
export function placeOnRecord({ subject }: Pick<Comparison, "subject">): string {
  return REPORTED.includes(subject) ? "in the diagnostic events" : "on chain";
}

/** Metrics that depend on the host's version too; the others count what the call did. */
const METERED_BY_HOST: ReadonlySet<string | null> = new Set(["cpu_insn", "mem_byte"]);

/**
 * True where the replay did what the chain did, by all that the record shows of it: what holds for
 * a run of it holds for the chain.
 */
export function isRunOfChain({ kind, caveats, comparisons }: Verdict): boolean {
  if (kind === "exact") return true;
  if (kind !== "equivalent" || caveats.some((caveat) => caveat.kind === "diagnostics"))
    return false;
  return !comparisons.some(
    ({ subject, item, result }) =>
      subject === "core-metric" && result === "different" && !METERED_BY_HOST.has(item),
  );
}

/** The node's diagnostic events are not those of the replay. */
export function hasOtherDiagnostics(verdict: Verdict | null): boolean {
  return (verdict?.comparisons ?? []).some(
    ({ subject, result }) => subject.startsWith("diagnostic-") && result === "different",
  );
}

/** A reason why a replay without differences is not `exact`, or why svc makes no claim about it. */
export interface Caveat {
  readonly kind: "assumed" | "unknown" | "metering" | "diagnostics" | "events" | "not-compared";
  readonly keyXdr: string | null;
  readonly detail: string;
}

/** What no ledger that was read, and no proof, shows. */
export interface Unconfirmed {
  /** Parts of a capsule's chain record; empty: it is from nodes and ledgers. */
  readonly record: readonly RecordPart[];
  /** How many. Contract code is what its hash says, whoever gave it. */
  readonly entries: number;
  readonly settings: number;
}

export interface Verdict {
  readonly kind: VerdictKind;
  readonly comparisons: readonly Comparison[];
  readonly caveats: readonly Caveat[];
  readonly unconfirmed: Unconfirmed;
  /** The first difference that decides; null unless `diverged`. */
  readonly firstDifference: Comparison | null;
  /** Best known cause of a divergence, one sentence; null when unknown or not diverged. */
  readonly likelyCause: string | null;
}

/**
 * Nothing of the state was assumed, and no entry is only a node's word. Null: nothing ran on it.
 */
export function isStateSure(verdict: Pick<Verdict, "caveats" | "unconfirmed"> | null): boolean {
  if (verdict === null) return true;
  return (
    !verdict.caveats.some(({ kind }) => kind === "assumed") && verdict.unconfirmed.entries === 0
  );
}
