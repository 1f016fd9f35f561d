// Events that svc reports while it follows a network, in ledger order. Each event has an id that
// depends on the chain alone, so that an event that is sent again is recognized as the same.
// Invariant: all text that came from the chain has been neutralised.

import type { CauseKind } from "./cause-kinds.ts";
import type { Cause } from "./explanation.ts";
import type { VerdictKind } from "./verdict.ts";
import {
  COUNTS,
  type LedgerOutcome,
  numberOf,
  type StateMismatch,
  type Table,
  type ValuesOf,
  VERDICTS,
} from "./verification.ts";

/** The fields of every event. */
export interface EventFacts {
  /** Receivers drop repeats by it. */
  readonly id: string;
  /** Name of the network, or its passphrase. */
  readonly network: string;
  readonly ledger: number;
  /** Close time of the ledger. */
  readonly unixSeconds: number;
  /** True: for people to see now. The other events complete the record. */
  readonly alert: boolean;
}

/** The place of a failure: failures that are equal in all of this are one group. */
export interface FailureGroup {
  /** The watched things that the transaction names: their labels, or addresses without one. */
  readonly watched: readonly string[];
  /** The contract that raised the error, or the one that was called. */
  readonly contract: string | null;
  readonly function: string | null;
  /** A kind of cause, or the rehearsal that the group belongs to. */
  readonly cause: string;
  /** E.g. `Error(Contract, #6)` or `txBadSeq`. */
  readonly error: string;
  /** Identifies the branch that decided, and its condition without values; null: not known. */
  readonly condition: string | null;
}

export interface Failure extends FailureGroup {
  readonly cause: CauseKind;
  readonly hash: string;
  /** Name of the error in the contract's specification. */
  readonly errorName: string | null;
  readonly summary: string;
  readonly confidence: Cause["confidence"];
  /** The value that decided, in a sentence; proven only in the first of its group. */
  readonly decidedBy: string | null;
  readonly remedy: string | null;
  readonly sourceAccount: string;
  readonly feeSource: string;
  /** Null when nothing was replayed: it was refused before the contract host ran. */
  readonly verdict: VerdictKind | null;
  /** Null when no fix was looked for. */
  readonly fix: { readonly summary: string; readonly outcome: string | null } | null;
  /** The user's names of the addresses above. */
  readonly labels: Readonly<Record<string, string>>;
}

export interface FailureEvent extends EventFacts, Failure {
  readonly kind: "failure";
  /** Identifies the group. */
  readonly group: string;
  /** Failures of the group so far, with this one. */
  readonly count: number;
}

/** Facts of the first example of the latest window with failures. */
export type ToldOfFirst = Pick<Failure, "errorName" | "summary" | "confidence" | "decidedBy">;

/** At the end of a window in which a group failed, or would differ, more than once. */
export interface FailureSummaryEvent extends EventFacts, FailureGroup, ToldOfFirst {
  readonly kind: "failure-summary";
  readonly group: string;
  /** The protocol under which these transactions would differ; null: they failed. */
  readonly rehearsedProtocol: number | null;
  readonly firstLedger: number;
  readonly windowSeconds: number;
  /** Failures in the window. */
  readonly count: number;
  /** Failures so far. */
  readonly total: number;
  /** Hashes of some of the failures. */
  readonly examples: readonly string[];
}

/** The replay differs from the chain, or could not be compared. */
export interface VerdictEvent extends EventFacts {
  readonly kind: "diverged" | "inconclusive" | "equivalent";
  readonly hash: string;
  readonly protocolVersion: number;
  readonly cause: string;
  readonly detail: string;
}

/** An entry came back, or was read, with another value than earlier ledgers gave it. */
export interface StateMismatchEvent extends EventFacts {
  readonly kind: "state-mismatch";
  readonly mismatch: StateMismatch;
}

/** The host of another protocol would have come to another outcome. */
export interface RehearsalEvent extends EventFacts {
  readonly kind: "rehearsal";
  readonly hash: string;
  readonly protocolVersion: number;
  readonly contract: string | null;
  readonly function: string | null;
  /** E.g. `result`, `events`. */
  readonly differences: readonly string[];
  readonly detail: string;
}

/** A transaction that succeeded. */
export interface SuccessEvent extends EventFacts {
  readonly kind: "success";
  readonly hash: string;
  readonly contract: string | null;
  readonly function: string | null;
  readonly sourceAccount: string;
  readonly verdict: VerdictKind;
}

/** Ledgers that the backlog policy `skip` left out. Nothing of them was verified. */
export interface SkippedEvent extends EventFacts {
  readonly kind: "ledgers-skipped";
  readonly firstSkipped: number;
  readonly lastSkipped: number;
}

export type FollowEvent =
  | FailureEvent
  | FailureSummaryEvent
  | VerdictEvent
  | StateMismatchEvent
  | RehearsalEvent
  | SuccessEvent
  | SkippedEvent;

/** The report about one followed transaction, besides its verdict. */
export type Seen = ({ readonly kind: "failure" } & Failure) | Omit<SuccessEvent, keyof EventFacts>;

type FollowedLedger = LedgerOutcome & { readonly seen: readonly Seen[] };

const rehearsedIn = ({ transactions }: LedgerOutcome) =>
  transactions.flatMap((each) => each.rehearsed ?? []);

/** Counts since the state was created. */
export const FOLLOW_COUNTS = {
  ledgers: COUNTS.ledgers,
  skippedLedgers: numberOf("Ledgers that the backlog policy left out.", () => 0),
  verdicts: VERDICTS,
  classicTransactions: COUNTS.classicTransactions,
  refusedTransactions: COUNTS.refusedTransactions,
  failures: numberOf<FollowedLedger>(
    "Failed transactions that are watched.",
    ({ seen }) => seen.filter(({ kind }) => kind === "failure").length,
  ),
  stateMismatches: COUNTS.stateMismatches,
  rehearsed: numberOf(
    "Transactions that were rehearsed.",
    (outcome) => rehearsedIn(outcome).length,
  ),
  rehearsalDifferences: numberOf(
    "Rehearsed transactions that would differ.",
    (outcome) => rehearsedIn(outcome).filter((each) => each.differences.length > 0).length,
  ),
} as const satisfies Table<FollowedLedger>;

export type FollowTotals = ValuesOf<typeof FOLLOW_COUNTS>;
