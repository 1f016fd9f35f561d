// An observation of a transaction while it is verified: what its observer needs, and what it sees.

import type { RanAgain } from "../simulator/engine-messages.ts";
import type { ReadTransaction } from "../snapshot/stream/fold-evidence.ts";
import type { ReplayedTransaction } from "./replay-transaction.ts";
import type { CapturedTransaction } from "./run-keys.ts";

/** The observation of a transaction beyond its verdict; null for none. */
export type Observe<Seen> = (transaction: ReadTransaction) => Observation<Seen> | null;

export interface Observation<Seen> {
  /** True if its replay needs the call tree, so that a digest is not enough. */
  readonly traced: boolean;
  /** What is enough instead of an execution; absent if an execution is always needed. */
  readonly again?: ObservedAgain;
  /**
   * Sees the outcome. `captured` is null for a transaction that was refused before its operation
   * ran.
   */
  readonly see: (
    captured: (CapturedTransaction & ReplayedTransaction) | null,
  ) => Promise<Seen | null>;
}

/** A transaction that the engine runs as it was, and with other code of contracts. */
export interface ObservedAgain {
  /**
   * The LedgerEntries of the new code, by the LedgerKey of the contract's instance. Null if the
   * execution is needed.
   */
  readonly codeFor: (captured: CapturedTransaction) => Promise<ReadonlyMap<string, string> | null>;
  /**
   * Sees both runs, of which the first is as the chain recorded it. Returns false if the execution
   * is needed.
   */
  readonly see: (captured: CapturedTransaction, ran: ComparedByEngine) => boolean;
}

export interface ComparedByEngine extends RanAgain {
  /** True if a part of the record or of the state is only what a node says. */
  readonly unconfirmed: boolean;
}
