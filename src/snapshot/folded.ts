// The facts that a run of ledgers shows, in the form that the rules need.

/** `undefined` if the state is unknown, null if the entry is known not to exist. */
export type Known<T> = T | null | undefined;

/**
 * The facts that a gap-free run of ledgers shows of a transaction's keys, just before its
 * operation.
 */
export interface Folded {
  /** The ledger since which nothing is missing; 0 before the first. */
  readonly firstLedger: number;
  /** True if a key that was never mentioned is known not to exist. */
  readonly complete: boolean;
  entry(keyXdr: string): Known<string>;
  /** The last live ledger, by the TTL entry's key. */
  liveUntilLedger(ttlKeyXdr: string): Known<number>;
  /** The value in the hot archive; null if it has none. */
  archived(keyXdr: string): string | null;
  changedInThisLedger(keyXdr: string): boolean;
  /** True if an earlier transaction of this ledger restored the entry from the hot archive. */
  restoredInThisLedger(keyXdr: string): boolean;
  /** True for contract code that was not live when the previous ledger closed. */
  isNewCode(keyXdr: string): boolean;
  /**
   * True for code that was restored in this ledger, from the archive or in place: both look the
   * same.
   */
  isRevivedCode(keyXdr: string): boolean;
}
