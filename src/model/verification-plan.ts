// The pieces of a verification before it runs, with what each will need.

export interface PlannedPiece {
  /** From 1. */
  readonly shard: number;
  /** Ledgers of a range, files otherwise, without the warm-up. */
  readonly part:
    | { readonly kind: "range"; readonly first: number; readonly last: number }
    | { readonly kind: "files"; readonly files: number };
}

/** For one piece of the usual size, from ledgers that were read now. */
export interface PieceEstimate {
  readonly sampledLedgers: number;
  readonly ledgers: number;
  readonly downloadBytes: number;
  readonly sorobanTransactions: number;
  readonly seconds: number;
  /** With the state that the fold may have at the end. */
  readonly memoryBytes: number;
}

export interface VerificationPlan {
  readonly inputs: readonly string[];
  readonly shards: number;
  readonly warmUpLedgers: number;
  readonly pieces: readonly PlannedPiece[];
  /** Null: no ledger could be read, or the inputs are files. */
  readonly estimate: PieceEstimate | null;
}
