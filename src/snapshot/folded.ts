// What a run of ledgers shows, as the rules see it.

/** `undefined` where the state is not known, null where the entry is known not to exist. */
export type Known<T> = T | null | undefined;

/** What a gap-free run of ledgers shows of a transaction's keys, just before its operation. */
export interface Folded {
  /** Nothing is missing from this ledger on; 0 before the first. */
  readonly firstLedger: number;
  /** Whether a key that was never mentioned is known not to exist. */
  readonly complete: boolean;
  entry(keyXdr: string): Known<string>;
  /** By the TTL entry's key. */
  liveUntilLedger(ttlKeyXdr: string): Known<number>;
  /** What the hot archive has. */
  archived(keyXdr: string): string | null;
  changedInThisLedger(keyXdr: string): boolean;
  /** An earlier transaction of this ledger restored it from the hot archive. */
  restoredInThisLedger(keyXdr: string): boolean;
  /** Contract code that was not live when the previous ledger closed. */
  isNewCode(keyXdr: string): boolean;
  /** Code that came back in this ledger, from the archive or in place: both look the same. */
  isRevivedCode(keyXdr: string): boolean;
}
