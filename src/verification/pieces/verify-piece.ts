// Verifies one piece of a verification, and stores its result. Invariant: a stored result that is
// complete and of the same job is never computed again, and a result of another job is never
// replaced.

import { BUILD_INFO } from "../../base/build-info.ts";
import { SvcError } from "../../base/errors/errors.ts";
import { flag, phrase } from "../../base/phrase.ts";
import type { Store } from "../../base/store/store.ts";
import type { PieceChoice } from "../../command/shard-settings.ts";
import { Tally } from "../../model/verification/tally.ts";
import {
  type PieceJob,
  readPiece,
  type VerificationPiece,
} from "../../model/verification/verification-piece.ts";
import type { VerificationNodes } from "../../model/verification.ts";
import { inspectSimulator } from "../../simulator/inspect-simulator.ts";
import type { Source } from "../../sources/source.ts";
import {
  checkSize,
  differenceOfJobs,
  findStreams,
  nameOfInputs,
  partOfFiles,
} from "../../verify/divided-inputs.ts";
import { splitRange } from "../../verify/split-range.ts";
import { splitStreams } from "../../verify/split-streams.ts";
import {
  nameOfRange,
  type Range,
  tallyRange,
  tallyStreams,
  type VerifyDependencies,
} from "../../verify/verify-ledgers.ts";

export type PieceInputs =
  | ({
      readonly kind: "range";
      readonly sources: readonly Source[];
      readonly networkPassphrase: string;
    } & Range)
  | { readonly kind: "files"; readonly paths: readonly string[] };

export interface PieceDependencies extends VerifyDependencies {
  readonly store: Store;
  /** The nodes for the commands that reports of the whole show. */
  readonly nodes: VerificationNodes;
  readonly warn: (text: string) => void;
}

export interface PieceOutcome {
  /** The name of the document in the store. */
  readonly name: string;
  readonly piece: VerificationPiece;
  /** `already` if an earlier process did it. */
  readonly done: "already" | "now";
}

/** A piece lists as many transactions as the document of a complete run. */
export const LISTED_AT_MOST = 10_000;

export function pieceName(shard: number, shards: number): string {
  const width = String(shards).length;
  return `piece-${String(shard).padStart(width, "0")}-of-${shards}.json`;
}

/**
 * Verifies the piece. Throws USAGE, CONFIG_INVALID, and the errors of verifying and of the store.
 */
export async function verifyPiece(
  dependencies: PieceDependencies,
  inputs: PieceInputs,
  choice: PieceChoice,
  options: { readonly signal: AbortSignal },
): Promise<PieceOutcome> {
  const startedAt = performance.now();
  const { store } = dependencies;
  const { shard, shards } = choice;
  checkSize(inputs, shards);
  const job = await describeJob(dependencies, inputs, choice, options);
  const name = pieceName(shard, shards);
  const there = await readDone(dependencies, name, job);
  if (there !== null) return { name, piece: there, done: "already" };
  const work = { dependencies, choice, options };
  const { part, tally } = await (inputs.kind === "range"
    ? countRange(work, inputs)
    : countFiles(work, inputs.paths));
  const elapsedMilliseconds = performance.now() - startedAt;
  const { nodes } = dependencies;
  const counts = tally.counts;
  const piece = { job, nodes, shard, part, counts, elapsedMilliseconds } as VerificationPiece;
  const document = { kind: "svc verify piece", version: 3, piece };
  await store.write(name, `${JSON.stringify(document)}\n`);
  return { name, piece, done: "now" };
}

/** The stored result. Null if there is none, or if it is damaged and must be made again. */
async function readDone(
  { store, warn }: PieceDependencies,
  name: string,
  job: PieceJob,
): Promise<VerificationPiece | null> {
  const text = await store.read(name);
  if (text === null) return null;
  const read = readPiece(text);
  if (read.kind === "damaged") {
    warn(`${name} in ${store.name} ${read.reason}: svc makes it again.`);
    return null;
  }
  const difference = differenceOfJobs(job, read.piece.job);
  if (difference === null) return read.piece;
  throw new SvcError("CONFIG_INVALID", {
    message: `${name} in ${store.name} is of another run: ${difference}.`,
    remedy: phrase`Use an empty ${flag("result")} for this run, or run it with the settings of the other.`,
    details: { name },
  });
}

interface PieceWork {
  readonly dependencies: PieceDependencies;
  readonly choice: PieceChoice;
  readonly options: { readonly signal: AbortSignal };
}

type Counted = Pick<VerificationPiece, "part"> & { readonly tally: Tally };

async function countRange(
  { dependencies, choice, options }: PieceWork,
  { first, last, sources, networkPassphrase }: PieceInputs & { readonly kind: "range" },
): Promise<Counted> {
  const { shard, shards, warmUpLedgers } = choice;
  const range = splitRange({ first, last }, shard, shards);
  const tally = new Tally(
    LISTED_AT_MOST,
    [nameOfRange({ first, last })],
    dependencies.rehearseProtocol,
  );
  const ranged = { ...dependencies, sources, networkPassphrase, warmUpLedgers };
  await tallyRange(ranged, range, tally, options);
  return { part: { kind: "range", ...range }, tally };
}

async function countFiles(
  { dependencies, choice, options }: PieceWork,
  paths: readonly string[],
): Promise<Counted> {
  const { shard, shards, warmUpLedgers } = choice;
  const { store, networkPassphrase } = dependencies;
  const foundStreams = await findStreams(store, paths, { ...options, networkPassphrase });
  const streams = splitStreams(foundStreams, shard, shards, warmUpLedgers);
  const tally = new Tally(LISTED_AT_MOST, paths, dependencies.rehearseProtocol);
  await tallyStreams(dependencies, { streams, inputs: paths }, tally, options);
  const counted = new Set(streams.flatMap((stream) => stream.counted));
  return { part: partOfFiles(paths, counted), tally };
}

async function describeJob(
  { program, networkPassphrase, rehearseProtocol }: PieceDependencies,
  inputs: PieceInputs,
  { shards, warmUpLedgers }: PieceChoice,
  options: { readonly signal: AbortSignal },
): Promise<PieceJob> {
  const { version, hosts } = await inspectSimulator(program.path, options);
  return {
    inputs: nameOfInputs(inputs),
    shards,
    warmUpLedgers,
    rehearseProtocol,
    networkPassphrase,
    svc: `${BUILD_INFO.version} (${BUILD_INFO.commit})`,
    simulator: version,
    hosts: hosts.map(({ protocol, crateVersion }) => `protocol ${protocol}: ${crateVersion}`),
  };
}
