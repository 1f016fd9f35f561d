// The functions that a contract offers to callers, with types as people write them.

export interface ShownContract {
  /** The state in which the contract is, such as `ledger 5 of testnet`. */
  readonly state: string;
  /** Without those that only the host calls. Empty if the contract's code describes none. */
  readonly functions: readonly ShownFunction[];
}

export interface ShownFunction {
  readonly name: string;
  /** Empty if the author wrote none. */
  readonly documentation: string;
  /** The inputs in order. */
  readonly inputs: readonly { readonly name: string; readonly type: string }[];
  /** Null if it returns nothing. */
  readonly output: string | null;
}
