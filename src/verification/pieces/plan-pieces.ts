// Plans the pieces of a range or of files, and estimates what a piece of a range needs. svc reads
// ledgers that are spread over the range, and assumes their sizes and transactions for the others.

import type { Store } from "../../base/store/store.ts";
import type { PieceChoice } from "../../command/shard-settings.ts";
import { LedgerReader } from "../../ledgers/ledger-reader.ts";
import type {
  PieceEstimate,
  VerificationPlan,
} from "../../model/verification/verification-plan.ts";
import { findStreams } from "../../verify/divided-inputs.ts";
import { planStreams } from "../../verify/plan-streams.ts";
import { splitRange } from "../../verify/split-range.ts";
import { bytesOf, splitStreams } from "../../verify/split-streams.ts";
import { nameOfRange } from "../../verify/verify-ledgers.ts";
import { readSorobanFacts } from "../../xdr/envelope/envelope-facts.ts";
import type { PieceInputs } from "./verify-piece.ts";

type Choice = Pick<PieceChoice, "shards" | "warmUpLedgers">;
type RangeInputs = PieceInputs & { readonly kind: "range" };

const SAMPLES = 8;
// Rates of CPU time, from docs/internals/scale.md and `bun bench/rates.ts`, rounded to the slower
// side.
const FOLDED_BYTES_PER_SECOND = 85e6;
const SECONDS_PER_TRANSACTION = 0.0004;
const INSTRUCTIONS_PER_SECOND = 4e9;
const BASE_MEMORY_BYTES = 600e6;
/** The limit of the state that a fold keeps, in base64. */
const STATE_BYTES = 2 ** 30;

/**
 * Plans the pieces. Throws the errors of planning the files. A range is planned even if no node
 * answers.
 */
export async function planPieces(
  inputs: PieceInputs,
  { shards, warmUpLedgers }: Choice,
  options: {
    readonly signal: AbortSignal;
    readonly networkPassphrase: string | null;
    /** The store in which the pieces find the facts of the files. */
    readonly store: Store | null;
  },
): Promise<VerificationPlan> {
  const numbers = Array.from({ length: shards }, (_, index) => index + 1);
  const plan = { shards, warmUpLedgers };
  if (inputs.kind === "files") {
    const { store } = options;
    const streams = await (store === null
      ? planStreams(inputs.paths, options)
      : findStreams(store, inputs.paths, options));
    const pieces = numbers.map((shard) => {
      const parts = splitStreams(streams, shard, shards, warmUpLedgers);
      const files = parts.reduce((sum, { counted }) => sum + counted.length, 0);
      const bytes = parts.reduce((sum, part) => sum + bytesOf(part), 0);
      return { shard, part: { kind: "files" as const, files, bytes } };
    });
    return { ...plan, inputs: inputs.paths, pieces, estimate: null };
  }
  const pieces = numbers.map((shard) => {
    return { shard, part: { kind: "range" as const, ...splitRange(inputs, shard, shards) } };
  });
  const estimate = await estimatePiece(inputs, { shards, warmUpLedgers }, options);
  return { ...plan, inputs: [nameOfRange(inputs)], pieces, estimate };
}

async function estimatePiece(
  inputs: RangeInputs,
  { shards, warmUpLedgers }: Choice,
  options: { readonly signal: AbortSignal },
): Promise<PieceEstimate | null> {
  const { first, last } = inputs;
  const reader = new LedgerReader(inputs);
  const ledgers = Math.ceil((last - first + 1) / shards);
  const sum = { sampled: 0, bytes: 0, packed: 0, read: 0, transactions: 0, instructions: 0 };
  const step = Math.max(1, Math.floor((last - first + 1) / SAMPLES));
  for (let sequence = first; sequence <= last; sequence += step) {
    const startedAt = performance.now();
    const ledger = await reader.view(sequence, options);
    if (ledger === null) continue;
    sum.read += (performance.now() - startedAt) / 1000;
    sum.sampled += 1;
    sum.bytes += ledger.ledgerCloseMeta.length;
    sum.packed += Bun.zstdCompressSync(new Uint8Array(ledger.ledgerCloseMeta)).length;
    for (const { placed } of ledger.view.transactions) {
      const soroban = readSorobanFacts(placed.envelope);
      sum.transactions += soroban === null ? 0 : 1;
      sum.instructions += soroban?.instructions ?? 0;
    }
  }
  if (sum.sampled === 0) return null;
  const read = ledgers + warmUpLedgers;
  const bytes = (sum.bytes / sum.sampled) * read;
  const sorobanTransactions = Math.round((sum.transactions / sum.sampled) * ledgers);
  const seconds =
    (sum.read / sum.sampled) * read +
    bytes / FOLDED_BYTES_PER_SECOND +
    sorobanTransactions * SECONDS_PER_TRANSACTION +
    (sum.instructions / sum.sampled) * (ledgers / INSTRUCTIONS_PER_SECOND);
  return {
    sampledLedgers: sum.sampled,
    ledgers,
    downloadBytes: Math.round((sum.packed / sum.sampled) * read),
    sorobanTransactions,
    seconds: Math.ceil(seconds),
    memoryBytes: Math.round(BASE_MEMORY_BYTES + Math.min(2 * STATE_BYTES, 2 * bytes)),
  };
}
