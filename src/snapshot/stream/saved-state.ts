// The form of a folded state in a store. All rows since the beginning, with the later one of each
// key, restore the state.

type RowValue = string | number | null;

/** A row without a value means that the key is unknown from then on. */
export type StateRow = readonly [key: string, value?: RowValue];

/** The facts of a state, apart from its rows, as plain data. */
export interface StateFacts {
  /** The ledger since which nothing is missing; 0 before the first. */
  readonly firstLedger: number;
  /**
   * The ledger since which young generations hold every change, in a state that forgets what was
   * not used for long.
   */
  readonly youngSince: number;
  /**
   * The generation of current rows. Rows of the generation before it count too, older ones do not.
   */
  readonly generation: number;
  readonly everyLedgerFolded: boolean;
}

/** What was learnt or used since the last call. */
export interface StateChanges {
  /** True if earlier rows are void. */
  readonly reset: boolean;
  readonly facts: StateFacts;
  readonly rows: readonly StateRow[];
}

/** A stored row, with the generation of the facts that it was stored with. */
export interface KeptRow {
  readonly key: string;
  readonly value: RowValue;
  readonly generation: number;
}

export interface SavedState {
  readonly facts: StateFacts;
  readonly rows: Iterable<KeptRow>;
}
