// One piece of a verification, from its place in the whole to its result in a store.
// Invariant: a result that is there, whole and of the same job is never computed again, and one of
// another job is never replaced.

import { createHash } from "node:crypto";
import { BUILD_INFO } from "../../base/build-info.ts";
import { SvcError } from "../../base/errors/errors.ts";
import { seal } from "../../base/store/sealed-json.ts";
import type { Store } from "../../base/store/store.ts";
import { counted } from "../../base/text/counted.ts";
import type { VerificationNodes } from "../../model/verification.ts";
import {
  PIECE,
  type PieceJob,
  type PieceProgress,
  PROGRESS,
  type VerificationPiece,
} from "../../model/verification-piece.ts";
import { inspectSimulator } from "../../simulator/inspect-simulator.ts";
import type { FoldChanges } from "../../snapshot/stream/ledgers-fold.ts";
import type { Source } from "../../sources/source.ts";
import { ledgersOfRange, nameOfRange, type Range } from "../verify/ledgers-of-range.ts";
import { planStreams } from "../verify/plan-streams.ts";
import { VerificationTally } from "../verify/verification-tally.ts";
import {
  countLedgers,
  countStreams,
  countStreamsHere,
  type StreamCheckpoints,
  type VerifyDependencies,
} from "../verify/verify-ledgers.ts";
import type { Checkpoint, Position } from "../verify/verify-stream.ts";
import { addSegments, clearSegments, NO_SEGMENTS, removeSegments } from "./folded-segments.ts";
import { progressNameOf, readOf, readSaved, type Saved } from "./read-saved.ts";
import { splitRange, splitStreams } from "./split.ts";

export type PieceInputs =
  | ({
      readonly kind: "range";
      readonly sources: readonly Source[];
      readonly networkPassphrase: string;
    } & Range)
  | { readonly kind: "files"; readonly paths: readonly string[] };

export interface PieceChoice {
  /** From 1. */
  readonly shard: number;
  readonly shards: number;
  readonly warmUpLedgers: number;
  /** Ledgers between two savings of the progress. */
  readonly checkpointLedgers: number;
}

export interface PieceDependencies extends VerifyDependencies {
  readonly store: Store;
  /** For the commands that reports of the whole show. */
  readonly nodes: VerificationNodes;
  readonly warn: (text: string) => void;
}

export interface PieceOutcome {
  /** Name of the document in the store. */
  readonly name: string;
  readonly piece: VerificationPiece;
  /** `already`: an earlier process did it. */
  readonly done: "already" | "now";
}

/** A piece lists as many transactions as the document of a whole run. */
export const LISTED_AT_MOST = 10_000;
/** Streams between two savings of the progress, for each job. */
const STREAMS_PER_CHECKPOINT = 16;

export function pieceName(shard: number, shards: number): string {
  const width = String(shards).length;
  return `piece-${String(shard).padStart(width, "0")}-of-${shards}.json`;
}

/** Throws USAGE, CONFIG_INVALID, and what verifying and the store throw. */
export async function verifyPiece(
  dependencies: PieceDependencies,
  inputs: PieceInputs,
  choice: PieceChoice,
  options: { readonly signal: AbortSignal },
): Promise<PieceOutcome> {
  const startedAt = performance.now();
  const { store, warn } = dependencies;
  const { shard, shards } = choice;
  checkSize(inputs, shards);
  const job = await describeJob(dependencies, inputs, choice, options);
  const name = pieceName(shard, shards);
  const there = await readOf(store, name, PIECE, job, warn);
  if (there !== null) return { name, piece: there, done: "already" };
  const stem = name.slice(0, -".json".length);
  const saved = await readSaved(store, stem, job, warn);
  const before = saved?.progress.elapsedMilliseconds ?? 0;
  const elapsed = () => before + performance.now() - startedAt;
  let segments = saved?.progress.position?.segments ?? NO_SEGMENTS;
  const save = async (
    { counts }: VerificationTally,
    streams: number,
    reached: Position<FoldChanges> | null,
  ): Promise<void> => {
    const earlier = segments;
    if (reached !== null) segments = await addSegments(store, stem, segments, reached.folded);
    const position = reached && {
      next: reached.next,
      mentionsTo: reached.mentionsTo,
      facts: reached.folded.facts,
      segments,
    };
    const elapsedMilliseconds = elapsed();
    const progress = { job, shard, streams, position, counts, elapsedMilliseconds };
    await store.write(progressNameOf(stem), seal(PROGRESS, progress as PieceProgress));
    await removeSegments(store, stem, { from: earlier.from, to: segments.from });
  };
  const work = { dependencies, choice, saved, save, options };
  const { part, tally } = await (inputs.kind === "range"
    ? countRange(work, inputs)
    : countFiles(work, inputs.paths));
  const elapsedMilliseconds = elapsed();
  const piece = {
    job,
    nodes: dependencies.nodes,
    shard,
    part,
    counts: tally.counts,
    elapsedMilliseconds,
  } as VerificationPiece;
  await store.write(name, seal(PIECE, piece));
  await store.remove(progressNameOf(stem));
  await clearSegments(store, stem);
  return { name, piece, done: "now" };
}

interface Work {
  readonly dependencies: PieceDependencies;
  readonly choice: PieceChoice;
  readonly saved: Saved | null;
  readonly save: (
    tally: VerificationTally,
    streams: number,
    position: Position<FoldChanges> | null,
  ) => Promise<void>;
  readonly options: { readonly signal: AbortSignal };
}

type Counted = Pick<VerificationPiece, "part"> & { readonly tally: VerificationTally };

async function countRange(
  { dependencies, choice, saved, save, options }: Work,
  { first, last, sources, networkPassphrase }: PieceInputs & { readonly kind: "range" },
): Promise<Counted> {
  const { shard, shards, warmUpLedgers, checkpointLedgers: every } = choice;
  const range = splitRange({ first, last }, shard, shards);
  const tally = new VerificationTally(LISTED_AT_MOST, [nameOfRange({ first, last })]);
  if (saved !== null) tally.add(saved.progress.counts);
  const resumed = saved?.resumed ?? null;
  if (resumed === null || resumed.next <= range.last) {
    // What is known of an entry does not depend on a restart: what was folded is saved too.
    const from = resumed === null ? Math.max(1, range.first - warmUpLedgers) : resumed.next - 1;
    const checkpoint: Checkpoint = {
      every,
      save: (all, position) => save(all, 0, position),
    };
    const counting = { countFrom: range.first, checkpoint, resumed };
    const ranged = { ...dependencies, sources, networkPassphrase, ...counting };
    const ledgers = ledgersOfRange(sources, { first: from, last: range.last }, options);
    await countLedgers(ranged, ledgers, tally, options);
  }
  return { part: { kind: "range", ...range }, tally };
}

/** With one job progress is saved inside of streams, and otherwise after so many of them. */
async function countFiles(
  { dependencies, choice, saved, save, options }: Work,
  paths: readonly string[],
): Promise<Counted> {
  const { shard, shards, warmUpLedgers, checkpointLedgers: every } = choice;
  const { networkPassphrase, jobs } = dependencies;
  const found = await planStreams(paths, { ...options, networkPassphrase });
  const streams = splitStreams(found, shard, shards, warmUpLedgers);
  const tally = new VerificationTally(LISTED_AT_MOST, paths);
  if (saved !== null) tally.add(saved.progress.counts);
  const done = saved?.progress.streams ?? 0;
  const resumed = saved?.resumed ?? null;
  if (Math.min(jobs, streams.length) === 1 || resumed !== null) {
    const checkpoints: StreamCheckpoints = {
      every,
      save: (all, at, position) => save(all, done + at, position),
    };
    const here = { checkpoints, resumed };
    await countStreamsHere(dependencies, streams.slice(done), tally, here, options);
  } else {
    const many = STREAMS_PER_CHECKPOINT * jobs;
    for (let next = done; next < streams.length; ) {
      const what = { streams: streams.slice(next, next + many), inputs: paths };
      await countStreams(dependencies, what, tally, options);
      next += many;
      if (next < streams.length) await save(tally, next, null);
    }
  }
  const counted = new Set(streams.flatMap((stream) => stream.counted));
  const files = paths.flatMap((path, at) => (counted.has(path) ? [{ at, path }] : []));
  return { part: { kind: "files", files }, tally };
}

async function describeJob(
  { simulatorPath, networkPassphrase }: PieceDependencies,
  inputs: PieceInputs,
  { shards, warmUpLedgers }: PieceChoice,
  options: { readonly signal: AbortSignal },
): Promise<PieceJob> {
  const { version, hosts } = await inspectSimulator(simulatorPath, options);
  return {
    inputs:
      inputs.kind === "range"
        ? { kind: "range", first: inputs.first, last: inputs.last }
        : { kind: "files", count: inputs.paths.length, sha256: hashOfPaths(inputs.paths) },
    shards,
    warmUpLedgers,
    networkPassphrase,
    svc: `${BUILD_INFO.version} (${BUILD_INFO.commit})`,
    simulator: version,
    hosts: hosts.map(({ protocol, crateVersion }) => `protocol ${protocol}: ${crateVersion}`),
  };
}

export function hashOfPaths(paths: readonly string[]): string {
  return createHash("sha256").update(JSON.stringify(paths)).digest("hex");
}

/** Throws USAGE. */
export function checkSize(inputs: PieceInputs, shards: number): void {
  const [many, what] =
    inputs.kind === "range"
      ? [inputs.last - inputs.first + 1, "ledger"]
      : [inputs.paths.length, "file"];
  if (many >= shards) return;
  throw new SvcError("USAGE", {
    message: `${counted(many, what)} cannot be divided into ${shards} pieces.`,
    remedy: `Use at most ${counted(many, "piece")}.`,
  });
}
