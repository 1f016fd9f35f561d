// Events that svc reports while it follows a network, in ledger order. Each event has an id that
// depends on the chain alone, so that an event that is sent again is recognized as the same.
// Invariant: all text that came from the chain has been neutralised.

import type { SvcError } from "../base/errors/errors.ts";
import type { CauseKind } from "./cause-kinds.ts";
import type { Cause } from "./explanation.ts";
import type { VerdictKind } from "./verdict.ts";
import {
  COUNTS,
  type CountTable,
  type LedgerOutcome,
  numberCount,
  type StateMismatch,
  type ValuesOf,
  VERDICTS,
} from "./verification.ts";

/** A following that runs beside the daemon. Its disposal waits until it has stopped. */
export interface Following extends AsyncDisposable {
  /** Null: it keeps up. */
  readonly whyNotReady: () => SvcError | null;
  /** Resolves after the stop. Throws what ends the following before. */
  readonly ended: Promise<void>;
}

/** The fields of every event. */
export interface FollowEventFields {
  /** Receivers drop repeats of the same id. */
  readonly id: string;
  /** The name of the network, or its passphrase. */
  readonly network: string;
  readonly ledger: number;
  /** The close time of the ledger. */
  readonly unixSeconds: number;
  /** True if people should see the event now. The other events complete the record. */
  readonly alert: boolean;
}

/** The place of a failure. Failures that are equal in all of these fields are one group. */
export interface FailureGroup {
  /** The watched things that the transaction names: their labels, or addresses without a label. */
  readonly watched: readonly string[];
  /** The contract that raised the error, or the one that was called. */
  readonly contract: string | null;
  readonly function: string | null;
  /** A kind of cause, or the rehearsal that the group belongs to. */
  readonly cause: string;
  /** Such as `Error(Contract, #6)` or `txBadSeq`. */
  readonly error: string;
  /** Identifies the branch that decided, and its condition without values; null if unknown. */
  readonly condition: string | null;
}

export interface FollowedFailure extends FailureGroup {
  readonly cause: CauseKind;
  readonly hash: string;
  /** The name of the error in the contract's specification. */
  readonly errorName: string | null;
  readonly summary: string;
  readonly confidence: Cause["confidence"];
  /** The value that decided, in a sentence. It is proven only for the first failure of a group. */
  readonly decidedBy: string | null;
  readonly remedy: string | null;
  readonly sourceAccount: string;
  readonly feeSource: string;
  /**
   * Null if nothing was replayed, because the transaction was refused before the contract host ran.
   */
  readonly verdict: VerdictKind | null;
  /** Null if svc did not look for a fix. */
  readonly fix: { readonly summary: string; readonly outcome: string | null } | null;
  /** The user's names of the addresses above. */
  readonly labels: Readonly<Record<string, string>>;
}

export interface FailureEvent extends FollowEventFields, FollowedFailure {
  readonly kind: "failure";
  /** Identifies the group. */
  readonly group: string;
  /** The failures of the group so far, with this one. */
  readonly count: number;
}

/** The facts of the first example in the latest window with failures. */
export type FirstFailure = Pick<
  FollowedFailure,
  "errorName" | "summary" | "confidence" | "decidedBy"
>;

/** Sent at the end of a window in which a group failed, or would differ, more than once. */
export interface FailureSummaryEvent extends FollowEventFields, FailureGroup, FirstFailure {
  readonly kind: "failure-summary";
  readonly group: string;
  /** The protocol under which these transactions would differ; null if they failed. */
  readonly rehearsedProtocol: number | null;
  readonly firstLedger: number;
  readonly windowSeconds: number;
  /** The failures in the window. */
  readonly count: number;
  /** The failures so far. */
  readonly total: number;
  /** The hashes of some of the failures. */
  readonly examples: readonly string[];
}

/** The replay differs from the chain, or could not be compared. */
export interface VerdictEvent extends FollowEventFields {
  readonly kind: "diverged" | "inconclusive" | "equivalent";
  readonly hash: string;
  readonly protocolVersion: number;
  readonly cause: string;
  readonly detail: string;
}

/** The chain restored or read an entry with another value than earlier ledgers gave it. */
export interface StateMismatchEvent extends FollowEventFields {
  readonly kind: "state-mismatch";
  readonly mismatch: StateMismatch;
}

/** The host of another protocol would have had another outcome. */
export interface RehearsalEvent extends FollowEventFields {
  readonly kind: "rehearsal";
  readonly hash: string;
  readonly protocolVersion: number;
  readonly contract: string | null;
  readonly function: string | null;
  /** Such as `result` or `events`. */
  readonly differences: readonly string[];
  readonly detail: string;
}

/** A transaction that succeeded. */
export interface SuccessEvent extends FollowEventFields {
  readonly kind: "success";
  readonly hash: string;
  readonly contract: string | null;
  readonly function: string | null;
  readonly sourceAccount: string;
  readonly verdict: VerdictKind;
}

/** Ledgers that the backlog policy `skip` left out. They were not verified. */
export interface SkippedEvent extends FollowEventFields {
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
export type Seen =
  | ({ readonly kind: "failure" } & FollowedFailure)
  | Omit<SuccessEvent, keyof FollowEventFields>;

type FollowedLedger = LedgerOutcome & { readonly seen: readonly Seen[] };

const rehearsedIn = ({ transactions }: LedgerOutcome) =>
  transactions.flatMap((each) => each.rehearsed ?? []);

/** The counts since the state was created. */
export const FOLLOW_COUNTS = {
  ledgers: COUNTS.ledgers,
  skippedLedgers: numberCount("Ledgers that the backlog policy left out.", () => 0),
  verdicts: VERDICTS,
  classicTransactions: COUNTS.classicTransactions,
  refusedTransactions: COUNTS.refusedTransactions,
  failures: numberCount<FollowedLedger>(
    "Failed transactions that are watched.",
    ({ seen }) => seen.filter(({ kind }) => kind === "failure").length,
  ),
  stateMismatches: COUNTS.stateMismatches,
  rehearsed: numberCount(
    "Transactions that were rehearsed.",
    (outcome) => rehearsedIn(outcome).length,
  ),
  rehearsalDifferences: numberCount(
    "Rehearsed transactions that would differ.",
    (outcome) => rehearsedIn(outcome).filter((each) => each.differences.length > 0).length,
  ),
} as const satisfies CountTable<FollowedLedger>;

export type FollowTotals = ValuesOf<typeof FOLLOW_COUNTS>;
