// A Conflict is another transaction that changed an entry just before the failed one ran. It is a
// common reason why a simulation succeeds and the transaction then fails.
// Invariant: the failed transaction ran on the state before the other one, and succeeded; or it
// failed for a nonce, and the other one's meta shows that it used that nonce.

export interface ConflictingEntry {
  readonly keyXdr: string;
  /** Readable and neutralised, like the two fields below. */
  readonly key: string;
  /** Null if the entry did not exist. */
  readonly before: string | null;
  readonly after: string | null;
}

export interface Conflict {
  /** The hash of the other transaction, hex. */
  readonly transactionHash: string;
  readonly ledger: number;
  /** Counted from 1. */
  readonly applicationOrder: number;
  /** What its call has in common with the failed one: all, the function, or nothing. */
  readonly repeats: "call" | "function" | null;
  readonly entries: readonly ConflictingEntry[];
  readonly summary: string;
}
