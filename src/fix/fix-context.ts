// What a mend is tried with. A trial is the failed transaction with something changed. The
// workbench runs it, finds the state of keys that the failed one did not name, and says why it
// fails.

import type { LedgerFacts } from "../model/chain-record.ts";
import type { Execution } from "../model/execution.ts";
import type { Cause } from "../model/explanation.ts";
import type { RecordedAuthorization } from "../model/fix.ts";
import type { SnapshotEntry, UnknownInput } from "../model/snapshot.ts";
import { readSorobanFacts, type SorobanFacts } from "../xdr/envelope/envelope.ts";
import type { TransactionLimits } from "../xdr/ledger/transaction-limits.ts";

export interface Attempt {
  /** Signatures stay as they were: the fee counts their bytes, and no run checks them. */
  readonly envelopeXdr: string;
  /** By key: what the snapshot does not hold, or holds otherwise. */
  readonly entries: ReadonlyMap<string, SnapshotEntry>;
  /** Archived keys that a transaction of its own restores first. */
  readonly restoredFirst: readonly string[];
}

export interface FoundEntries {
  readonly entries: readonly SnapshotEntry[];
  readonly unknown: readonly UnknownInput[];
}

/** What a run told that records authorizations instead of checking them. */
export type RecordedRun =
  | {
      readonly kind: "succeeded";
      readonly authorizations: readonly RecordedAuthorization[];
      /** SorobanTransactionData: footprint, resources and fee. */
      readonly transactionDataXdr: string;
    }
  /** One sentence. */
  | { readonly kind: "failed"; readonly reason: string };

export interface FoundCause {
  readonly cause: Cause;
  /** Null: none is known. */
  readonly remedy: string | null;
}

export interface FixContext {
  readonly ledger: LedgerFacts;
  /** As the chain ran it; none of its state is unknown. */
  readonly failed: { readonly envelopeXdr: string; readonly entries: readonly SnapshotEntry[] };
  readonly failedCause: Cause;
  readonly limits: TransactionLimits;
  /** Throws what the simulator throws. */
  readonly run: (attempt: Attempt) => Promise<Execution>;
  /** Without the authorizations that the trial has; null: nothing is at hand that records. */
  readonly record: ((attempt: Attempt) => Promise<RecordedRun>) | null;
  /** Just before the failed transaction, by the rules of its snapshot. */
  readonly findEntries: (keysXdr: readonly string[]) => Promise<FoundEntries>;
  readonly causeOf: (attempt: Attempt, execution: Execution) => FoundCause;
  /** Readable and neutralised. */
  readonly nameKey: (keyXdr: string) => string;
}

/** What a kind of mend says to a run that failed; null: it has nothing to say to this failure. */
export type Step =
  | { readonly kind: "changed"; readonly attempt: Attempt }
  /** It knows what is missing, and cannot try it; as far as it is known, `trial` has it. */
  | {
      readonly kind: "blocked";
      readonly attempt: Attempt;
      readonly reason: string;
      /** Somebody has to sign what is missing. */
      readonly unsigned?: true;
    };

export type StepFinder = (
  context: FixContext,
  attempt: Attempt,
  execution: Execution,
) => Promise<Step | null>;

/** The entry as the trial sees it; null when it is not at hand. */
export function entryOf(
  context: { readonly failed: Pick<FixContext["failed"], "entries"> },
  attempt: Attempt,
  keyXdr: string,
): SnapshotEntry | null {
  const own = attempt.entries.get(keyXdr);
  return own ?? context.failed.entries.find((each) => each.keyXdr === keyXdr) ?? null;
}

export function declaredBy({ envelopeXdr }: Attempt): SorobanFacts {
  const facts = readSorobanFacts(Uint8Array.fromBase64(envelopeXdr));
  if (facts === null) throw new Error("a trial is a Soroban transaction");
  return facts;
}
