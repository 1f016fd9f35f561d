// The context in which fixes are tried. An attempt is the failed transaction with something
// changed. The context runs it, finds the state of keys outside the failed transaction's footprint,
// and explains why an attempt fails.

import type { Wording } from "../base/phrase.ts";
import type { LedgerFacts } from "../model/chain-record.ts";
import type { Execution } from "../model/execution.ts";
import type { Cause } from "../model/explanation.ts";
import type { RecordedAuthorization } from "../model/fix.ts";
import { type Snapshot, type SnapshotEntry, snapshotState } from "../model/snapshot.ts";
import { type StateAt, withEntries } from "../model/state/entry-state.ts";
import type { Envelope } from "../xdr/envelope/envelope.ts";
import type { SorobanFacts } from "../xdr/envelope/envelope-facts.ts";
import type { TransactionLimits } from "../xdr/ledger/transaction-limits.ts";
import type { ErrorFacts } from "../xdr/values/value-text.ts";
import type { Variant } from "./variant.ts";

/** The result of a run that records authorizations instead of checking them. */
export type RecordedRun =
  | {
      readonly kind: "succeeded";
      readonly authorizations: readonly RecordedAuthorization[];
      /** The SorobanTransactionData: footprint, resources and fee. */
      readonly transactionDataXdr: string;
    }
  | {
      readonly kind: "failed";
      /** The reason, as one sentence. */
      readonly reason: string;
      /** The reason why the transaction fails with authorizations; null if it is unknown. */
      readonly next: RemediedCause | null;
      /** The error of the host; null if it did not run to an end. */
      readonly error: ErrorFacts | null;
    };

export interface RemediedCause {
  readonly cause: Cause;
  /** Null if none is known. */
  readonly remedy: Wording | null;
  /** True if the transaction failed with the same facts. */
  readonly isOfFailed?: boolean;
  /** True if it only succeeds in an earlier ledger. */
  readonly isTooLate?: boolean;
  /** True if an earlier transaction has already done what the call does. */
  readonly isDone?: boolean;
}

export interface FixContext {
  readonly ledger: LedgerFacts;
  /** The transaction as the chain ran it. Its state is completely known. */
  readonly failed: {
    readonly envelope: Envelope;
    readonly entries: readonly SnapshotEntry[];
    readonly execution: Execution;
  };
  readonly failedCause: Pick<Cause, "kind">;
  readonly limits: TransactionLimits;
  /** Set if only a node or a capsule claims the limits; null if ledgers show them. */
  readonly limitsReportedBy: "node" | "capsule" | null;
  /** Runs an attempt. Throws the errors of the simulator. */
  readonly run: (attempt: Variant) => Promise<Execution>;
  /**
   * Records the authorizations of an attempt instead of checking them. Null without a recording
   * simulator.
   */
  readonly record: ((attempt: Variant) => Promise<RecordedRun>) | null;
  /** The state just before the failed transaction, found by the rules of its snapshot. */
  readonly findEntries: (
    keysXdr: readonly string[],
  ) => Promise<Pick<Snapshot, "entries" | "unknown">>;
  readonly causeOf: (attempt: Variant, execution: Execution) => RemediedCause;
  /** The cause with the value that decided it. Without that value, it is `remedied`. */
  readonly decide: (
    attempt: Variant,
    execution: Execution,
    remedied: RemediedCause,
  ) => Promise<RemediedCause>;
  /** The name of a key, readable and neutralized. */
  readonly nameKey: (keyXdr: string) => string;
}

/** The outcome of one kind of fix for a failed run; null if the failure is of another kind. */
export type FixStep =
  | { readonly kind: "changed"; readonly attempt: Variant }
  /** The missing part is known but cannot be tried. `attempt` has the parts that are known. */
  | {
      readonly kind: "blocked";
      readonly attempt: Variant;
      readonly reason: string;
      /** The missing part needs a signature. */
      readonly unsigned?: true;
    };

/** The reason why a footprint cannot be extended. */
export type FootprintBlock =
  /** The host does not report which entry is missing. */
  | { readonly kind: "entry-unreported" }
  /** `entry`: its name. `why`: a clause. */
  | { readonly kind: "entry-unknown"; readonly entry: string; readonly why: string };

export type StepFinder = (
  context: FixContext,
  attempt: Variant,
  execution: Execution,
) => Promise<FixStep | null>;

/** The state on which the attempt runs. */
export function stateInAttempt(
  { failed }: { readonly failed: Pick<FixContext["failed"], "entries"> },
  { entries }: Pick<Variant, "entries">,
): StateAt<SnapshotEntry> {
  return withEntries(snapshotState(failed), entries);
}

export function declaredBy({ envelope }: { readonly envelope: Envelope }): SorobanFacts {
  if (envelope.soroban === null) throw new Error("an attempt is a Soroban transaction");
  return envelope.soroban;
}
