// A Verdict states how well the replay matches the chain, and lists every comparison.

import type { RecordPart } from "./chain-record.ts";

export type VerdictKind = "exact" | "equivalent" | "diverged" | "inconclusive";

/** A compared part of the outcome. Each is one file of `verdict/`. */
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
  /**
   * `unavailable` means that the chain record has nothing to compare with. `detail` has the reason.
   */
  readonly result: "equal" | "different" | "unavailable";
  /** Both values as text: base64 XDR, a hash or a number; null if absent. */
  readonly chain: string | null;
  readonly replay: string | null;
  /**
   * The sides with a plain text where the subject otherwise has XDR: the kind of a change, a TTL,
   * or a result code (default: none).
   */
  readonly plain?: readonly ("chain" | "replay")[];
  readonly detail: string | null;
}

/** Subjects that nodes count and report beside the chain. No hash covers them. */
const REPORTED: readonly ComparisonSubject[] = [
  "core-metric",
  "diagnostic-error",
  "diagnostic-events",
];

/** Returns the place of the chain's side of a comparison, for a sentence. */
export function placeOnRecord({ subject }: Pick<Comparison, "subject">): string {
  return REPORTED.includes(subject) ? "in the diagnostic events" : "on chain";
}

/** Metrics that also depend on the host's version. The others count what the call did. */
const METERED_BY_HOST: ReadonlySet<string | null> = new Set(["cpu_insn", "mem_byte"]);

/** True if the replay has the chain's result, events and changes, with or without caveats. */
export function isReproduced(kind: VerdictKind | null | undefined): boolean {
  return kind === "exact" || kind === "equivalent";
}

/**
 * True if the replay did what the chain did, by everything that the record shows. Facts about the
 * run are then facts about the chain.
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

/**
 * True if the replay did something else than the chain did, by anything that the record shows: also
 * where only diagnostics differ, which are no part of a ledger.
 */
export function differsFromChain(verdict: Verdict | null): boolean {
  if (verdict === null || isRunOfChain(verdict)) return false;
  return verdict.comparisons.some(({ result }) => result === "different");
}

const DIAGNOSTICS: ReadonlySet<Comparison["subject"]> = new Set([
  "diagnostic-error",
  "diagnostic-events",
]);

/** True if the node's diagnostic events differ from those of the replay. */
export function hasOtherDiagnostics(verdict: Verdict | null): boolean {
  return (verdict?.comparisons ?? []).some(
    ({ subject, result }) => DIAGNOSTICS.has(subject) && result === "different",
  );
}

/** A reason why a replay without differences is not `exact`, or why svc makes no claim about it. */
export interface Caveat {
  readonly kind: "assumed" | "unknown" | "metering" | "diagnostics" | "events" | "not-compared";
  readonly keyXdr: string | null;
  /** A clause about the key, which follows its name; without a key also sentences. */
  readonly detail: string;
  /** What was metered otherwise. Only for the kind `metering`. */
  readonly metric?: {
    /** Such as `cpu_insn`. */
    readonly name: string;
    readonly chain: string | null;
    readonly replay: string | null;
  };
}

/** The inputs that no ledger that was read, and no proof, shows. */
export interface Unconfirmed {
  /** The parts of a capsule's chain record; empty if the record is from nodes and ledgers. */
  readonly record: readonly RecordPart[];
  /** The number of entries. Contract code is not counted, because its hash confirms it. */
  readonly entries: number;
  readonly settings: number;
}

export interface Verdict {
  readonly kind: VerdictKind;
  readonly comparisons: readonly Comparison[];
  readonly caveats: readonly Caveat[];
  readonly unconfirmed: Unconfirmed;
  /** The first difference that decides; null unless the verdict is `diverged`. */
  readonly firstDifference: Comparison | null;
  /** The best known cause of a divergence in one sentence; null if unknown or not diverged. */
  readonly likelyCause: string | null;
}

/**
 * True if nothing of the state was assumed, and no entry is known only from a node's answer. Null
 * means that nothing ran on the state.
 */
export function isStateSure(verdict: Pick<Verdict, "caveats" | "unconfirmed"> | null): boolean {
  if (verdict === null) return true;
  return (
    !verdict.caveats.some(({ kind }) => kind === "assumed") && verdict.unconfirmed.entries === 0
  );
}

/** The subjects that a fee decides. */
export const FEE_SUBJECTS: ReadonlySet<Comparison["subject"]> = new Set([
  "fee-charged",
  "resource-fee",
  "refund",
  "transaction-result",
]);
