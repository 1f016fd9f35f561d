// An Interference is another transaction that changed an entry just before a failed one, which
// would have succeeded without that: what makes a simulation and the ledger disagree.
// Invariant: the failed transaction ran on the state before the other one, and succeeded.

export interface ChangedEntry {
  readonly keyXdr: string;
  /** Readable and neutralised, like the two below; null: it was not there. */
  readonly key: string;
  readonly before: string | null;
  readonly after: string | null;
}

export interface Conflict {
  /** Of the other transaction, hex. */
  readonly transactionHash: string;
  readonly ledger: number;
  /** From 1. */
  readonly applicationOrder: number;
  readonly entries: readonly ChangedEntry[];
  readonly summary: string;
}
