// The plan of a verification before it runs: the pieces, and what each will need.

export interface PlannedPiece {
  /** The number of the piece, from 1. */
  readonly shard: number;
  /** The ledgers of a range, or else files, without the warm-up. */
  readonly part:
    | { readonly kind: "range"; readonly first: number; readonly last: number }
    | { readonly kind: "files"; readonly files: number; readonly bytes: number };
}

/** The estimate for one piece of the usual size, from a sample of ledgers. */
export interface PieceEstimate {
  readonly sampledLedgers: number;
  readonly ledgers: number;
  readonly downloadBytes: number;
  readonly sorobanTransactions: number;
  readonly seconds: number;
  /** The memory for the largest state that the fold may have at the end. */
  readonly memoryBytes: number;
}

export interface VerificationPlan {
  readonly inputs: readonly string[];
  readonly shards: number;
  readonly warmUpLedgers: number;
  readonly pieces: readonly PlannedPiece[];
  /** Null if no ledger could be read, or the inputs are files. */
  readonly estimate: PieceEstimate | null;
}
