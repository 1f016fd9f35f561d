// One piece of a verification, from its place in the whole to its result in a store.
// Invariant: a result that is there, whole and of the same job is never computed again, and one of
// another job is never replaced.

import { createHash } from "node:crypto";
import { BUILD_INFO } from "../../base/build-info.ts";
import { SvcError } from "../../base/errors/errors.ts";
import { type SealedKind, seal, unseal } from "../../base/store/sealed-json.ts";
import type { Store } from "../../base/store/store.ts";
import {
  PIECE,
  type PieceJob,
  type PieceProgress,
  PROGRESS,
  type VerificationPiece,
} from "../../model/verification-piece.ts";
import { inspectSimulator } from "../../simulator/inspect-simulator.ts";
import type { Source } from "../../sources/source.ts";
import { ledgersOfRange, nameOfRange, type Range } from "../verify/ledgers-of-range.ts";
import { planStreams } from "../verify/plan-streams.ts";
import { VerificationTally } from "../verify/verification-tally.ts";
import { countLedgers, countStreams, type VerifyDependencies } from "../verify/verify-ledgers.ts";
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
  const progressName = `${name.slice(0, -".json".length)}.progress.json`;
  const there = await readOf(store, name, PIECE, job, warn);
  if (there !== null) return { name, piece: there, done: "already" };
  const saved = await readOf(store, progressName, PROGRESS, job, warn);
  const before = saved?.elapsedMilliseconds ?? 0;
  const elapsed = () => before + performance.now() - startedAt;
  const save = async (tally: VerificationTally, next: number): Promise<void> => {
    const elapsedMilliseconds = elapsed();
    const { counts } = tally;
    await store.write(
      progressName,
      seal(PROGRESS, { job, shard, next, counts, elapsedMilliseconds } as PieceProgress),
    );
  };
  const work = { dependencies, choice, saved, save, options };
  const { part, tally } = await (inputs.kind === "range"
    ? countRange(work, inputs)
    : countFiles(work, inputs.paths));
  const elapsedMilliseconds = elapsed();
  const piece = {
    job,
    shard,
    part,
    counts: tally.counts,
    elapsedMilliseconds,
  } as VerificationPiece;
  await store.write(name, seal(PIECE, piece));
  await store.remove(progressName);
  return { name, piece, done: "now" };
}

interface Work {
  readonly dependencies: PieceDependencies;
  readonly choice: PieceChoice;
  readonly saved: PieceProgress | null;
  readonly save: (tally: VerificationTally, next: number) => Promise<void>;
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
  if (saved !== null) tally.add(saved.counts);
  const countFrom = saved?.next ?? range.first;
  if (countFrom <= range.last) {
    // Counted ledgers are folded again: what is known of an entry must not depend on a restart.
    const folded = { first: Math.max(1, range.first - warmUpLedgers), last: range.last };
    const checkpoint = { every, save };
    const ranged = { ...dependencies, sources, networkPassphrase, countFrom, checkpoint };
    await countLedgers(ranged, ledgersOfRange(sources, folded, options), tally, options);
  }
  return { part: { kind: "range", ...range }, tally };
}

async function countFiles(
  { dependencies, choice, saved, save, options }: Work,
  paths: readonly string[],
): Promise<Counted> {
  const { shard, shards, warmUpLedgers } = choice;
  const { networkPassphrase, jobs } = dependencies;
  const found = await planStreams(paths, { ...options, networkPassphrase });
  const streams = splitStreams(found, shard, shards, warmUpLedgers);
  const tally = new VerificationTally(LISTED_AT_MOST, paths);
  if (saved !== null) tally.add(saved.counts);
  const many = STREAMS_PER_CHECKPOINT * jobs;
  for (let next = saved?.next ?? 0; next < streams.length; ) {
    const what = { streams: streams.slice(next, next + many), inputs: paths };
    await countStreams(dependencies, what, tally, options);
    next += many;
    if (next < streams.length) await save(tally, next);
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
      ? [inputs.last - inputs.first + 1, "ledgers"]
      : [inputs.paths.length, "files"];
  if (many >= shards) return;
  throw new SvcError("USAGE", {
    message: `${many} ${what} cannot be divided into ${shards} pieces.`,
    remedy: `Use at most ${many} pieces.`,
  });
}

/** Null: there is none, or it is damaged and has to be made again. Throws CONFIG_INVALID. */
async function readOf<Body extends { readonly job: PieceJob; readonly shard: number }>(
  store: Store,
  name: string,
  kind: SealedKind<Body>,
  job: PieceJob,
  warn: (text: string) => void,
): Promise<Body | null> {
  const text = await store.read(name);
  if (text === null) return null;
  const read = unseal(kind, text);
  if (read.kind === "damaged") {
    warn(`${name} in ${store.name} ${read.reason}: it is made again.`);
    return null;
  }
  const difference = differenceOfJobs(job, read.body.job);
  if (difference === null) return read.body;
  throw new SvcError("CONFIG_INVALID", {
    message: `${name} in ${store.name} is of another run: ${difference}.`,
    remedy: "Use an empty --result for this run, or run it with the settings of the other.",
    details: { name },
  });
}

/** The first field that differs, with both values; null for the same job. */
export function differenceOfJobs(one: PieceJob, other: PieceJob): string | null {
  for (const name of Object.keys(one) as (keyof PieceJob)[]) {
    const [a, b] = [JSON.stringify(one[name]), JSON.stringify(other[name])];
    if (a !== b) return `${name} is ${b}, not ${a}`;
  }
  return null;
}
