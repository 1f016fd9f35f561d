// The result of one piece of a verification that several processes share, as it is kept in a file
// or an object store, and the progress inside a piece. Everything that decides the counts is in
// `job`: pieces of different jobs are never added up.

import * as v from "valibot";
import type { SealedKind } from "../base/store/sealed-json.ts";

const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const counts = v.record(v.string(), count);
const verdict = v.picklist(["exact", "equivalent", "diverged", "inconclusive"]);
const verdictCounts = v.object({
  exact: count,
  equivalent: count,
  diverged: count,
  inconclusive: count,
});

const notExact = v.object({
  hash: v.string(),
  ledger: count,
  protocolVersion: count,
  applicationOrder: count,
  source: v.string(),
  verdict,
  cause: v.string(),
  detail: v.string(),
  contract: v.nullable(v.string()),
  lacksHistory: v.boolean(),
});

const mismatch = v.object({
  kind: v.picklist(["state", "restored"]),
  ledger: count,
  source: v.string(),
  keyXdr: v.string(),
  key: v.string(),
  folded: v.nullable(v.string()),
  onChain: v.nullable(v.string()),
  foldedXdr: v.nullable(v.string()),
  onChainXdr: v.nullable(v.string()),
});

const tally = v.object({
  ledgers: count,
  classicTransactions: count,
  refusedTransactions: count,
  byProtocol: v.record(v.string(), verdictCounts),
  byCause: counts,
  byContract: counts,
  firstOfEach: v.array(notExact),
  exactUnconfirmed: count,
  notExactWithoutHistory: count,
  notExact: v.array(notExact),
  stateMismatches: count,
  mismatches: v.array(mismatch),
});

const range = v.object({ kind: v.literal("range"), first: count, last: count });
const job = v.object({
  /** `sha256`: of the paths in their order. */
  inputs: v.variant("kind", [
    range,
    v.object({ kind: v.literal("files"), count, sha256: v.string() }),
  ]),
  shards: count,
  warmUpLedgers: count,
  /** Null: found out from the files. */
  networkPassphrase: v.nullable(v.string()),
  svc: v.string(),
  simulator: v.string(),
  /** `protocol 23: 23.0.1`. */
  hosts: v.array(v.string()),
});

const piece = v.object({
  job,
  /** Not part of the job: the pieces of a run may ask different nodes. */
  nodes: v.object({
    networkPassphrase: v.nullable(v.string()),
    rpcUrls: v.array(v.string()),
    ledgerLakeUrls: v.array(v.string()),
  }),
  /** From 1. */
  shard: count,
  /** What this piece counts; files with their place in the whole list, from 0. */
  part: v.variant("kind", [
    range,
    v.object({
      kind: v.literal("files"),
      files: v.array(v.object({ at: count, path: v.string() })),
    }),
  ]),
  counts: tally,
  elapsedMilliseconds: v.number(),
});

const progress = v.object({
  job,
  shard: count,
  /** Streams that are counted; a range is one stream. */
  streams: count,
  /** Inside the next stream; null: at its beginning. */
  position: v.nullable(
    v.object({
      /** The first ledger that is not counted. */
      next: count,
      /** The last ledger that was read ahead of the fold. */
      mentionsTo: count,
      facts: v.object({
        firstLedger: count,
        youngSince: count,
        generation: count,
        everyLedgerFolded: v.boolean(),
        genesisProtocol: v.nullable(count),
      }),
      /** Documents with what was folded. */
      segments: v.object({ from: count, to: count }),
    }),
  ),
  counts: tally,
  elapsedMilliseconds: v.number(),
});

const segment = v.object({
  /** Name of the piece. */
  piece: v.string(),
  /** Its place among the piece's segments, from 0. */
  at: count,
  generation: count,
  /** Base64 of the rows as JSON, compressed with zstd. */
  rows: v.string(),
});

export type PieceJob = v.InferOutput<typeof job>;
export type VerificationPiece = v.InferOutput<typeof piece>;
export type PieceProgress = v.InferOutput<typeof progress>;

export const PIECE: SealedKind<VerificationPiece> = {
  kind: "svc verify piece",
  version: 2,
  schema: piece,
};

export const PROGRESS: SealedKind<PieceProgress> = {
  kind: "svc verify progress",
  version: 2,
  schema: progress,
};

export const FOLDED_SEGMENT: SealedKind<v.InferOutput<typeof segment>> = {
  kind: "svc verify folded state",
  version: 1,
  schema: segment,
};

// Before it runs: the pieces, and what each will need.

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
