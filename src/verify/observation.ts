// An observation of a transaction while it is verified: what its observer needs, and what it sees.

import type { KeyedEntry } from "../model/snapshot.ts";
import type { CodeByInstance, EngineObserve, RanAgain } from "../simulator/engine-messages.ts";
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
  /** The new code. Null if the execution is needed. */
  readonly codeFor: (captured: CapturedTransaction) => Promise<CodeByInstance | null>;
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

/** The transactions of streams that are observed. The others are folded and not verified. */
export interface ObservedStreams<Seen> {
  readonly transactions: EngineObserve;
  /** Observes a transaction that the engine does not finish by itself. */
  readonly observe: Observe<Seen>;
  /** Sees a transaction that is as the chain recorded it, and does the same with new code. */
  readonly see: (call: UnchangedCall) => void;
}

/** A transaction that does the same with new code. */
export interface UnchangedCall extends ComparedByEngine {
  readonly hash: string;
  readonly ledger: number;
  /** The position in apply order, from 1. */
  readonly order: number;
  /** The file that it was read from; empty for a ledger of a node. */
  readonly source: string;
  /** The contract and the function that it calls; null if it calls none. */
  readonly invoked: { readonly contract: string; readonly function: string } | null;
  /** The state of its footprint before it. The same array for the same state. */
  readonly entries: readonly KeyedEntry[];
}
