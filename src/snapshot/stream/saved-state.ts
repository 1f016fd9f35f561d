// What a folded state is in a store: all rows since the beginning, the later one of each key, are
// the state again.

type RowValue = string | number | null;

/** Without a value: nothing is known of the key any more. */
export type StateRow = readonly [key: string, value?: RowValue];

/** What a state is besides its rows; plain data. */
export interface StateFacts {
  /** Nothing is missing from this ledger on; 0 before the first. */
  readonly firstLedger: number;
  /** Of a state that forgets what was not used for long. */
  readonly youngSince: number;
  /** Of the rows of now. Those of the generation before it are known too, older ones are not. */
  readonly generation: number;
  readonly everyLedgerFolded: boolean;
}

/** What was learnt or used since the last time. */
export interface StateChanges {
  /** Rows from before are void. */
  readonly reset: boolean;
  readonly facts: StateFacts;
  readonly rows: readonly StateRow[];
}

/** A row as it was kept, with the generation of the facts that it came with. */
export interface KeptRow {
  readonly key: string;
  readonly value: RowValue;
  readonly generation: number;
}

export interface SavedState {
  readonly facts: StateFacts;
  readonly rows: Iterable<KeptRow>;
}
