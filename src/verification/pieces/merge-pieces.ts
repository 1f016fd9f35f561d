// Merges the documents of all pieces into the verification that one run gives. Invariant: pieces
// are added up only if each of them is present once, complete, and of one job.

import { SvcError } from "../../base/errors/errors.ts";
import type { Store } from "../../base/store/store.ts";
import { counted } from "../../base/text/counted.ts";
import { Tally } from "../../model/verification/tally.ts";
import {
  type PieceJob,
  readPiece,
  type VerificationPiece,
} from "../../model/verification/verification-piece.ts";
import type { Verification, VerificationNodes } from "../../model/verification.ts";
import { differenceOfJobs, filesOfParts } from "../../verify/divided-inputs.ts";
import { splitRange } from "../../verify/split-range.ts";
import { nameOfRange } from "../../verify/verify-ledgers.ts";

export interface Merged {
  readonly verification: Verification;
  readonly job: PieceJob;
  /** The nodes of the first piece. */
  readonly nodes: VerificationNodes | null;
  /** Pieces with transactions that are not exact while state from before the piece is unknown. */
  readonly withoutHistory: readonly { readonly shard: number; readonly transactions: number }[];
}

interface FoundPiece {
  /** The name of the piece with its store, for people. */
  readonly name: string;
  readonly piece: VerificationPiece;
}

const PIECE_NAME = /^piece-\d+-of-\d+\.json$/;

/**
 * Merges the pieces. `keep` is the number of transactions that are listed. Throws
 * PIECES_INCOMPLETE, and the errors of the stores.
 */
export async function mergePieces(stores: readonly Store[], keep: number): Promise<Merged> {
  const { found: pieces, problems } = await readPieces(stores);
  const job = mostCommonJob(pieces);
  if (job === null) throw incomplete(["no piece is complete", ...problems], stores);
  const ours: FoundPiece[] = [];
  for (const each of pieces) {
    const difference = differenceOfJobs(job, each.piece.job);
    const misplaced = difference === null ? problemOf(each.piece) : null;
    if (difference !== null) problems.push(`foreign: ${each.name}: ${difference}`);
    else if (misplaced !== null) problems.push(`damaged: ${each.name}: ${misplaced}`);
    else ours.push(each);
  }
  problems.push(...overlaps(ours), ...missing(ours, job.shards));
  const inputs = inputsOf(job, ours);
  if (problems.length === 0 && inputs === null) problems.push("the files are not those of the run");
  if (problems.length > 0 || inputs === null) throw incomplete(problems, stores);
  const tally = new Tally(keep, inputs);
  let elapsedMilliseconds = 0;
  const inOrder = ours.map(({ piece }) => piece).sort((a, b) => a.shard - b.shard);
  for (const piece of inOrder) {
    tally.add(piece.counts);
    elapsedMilliseconds += piece.elapsedMilliseconds;
  }
  const nodes = inOrder[0]?.nodes ?? null;
  const withoutHistory = inOrder
    .map(({ shard, counts }) => ({ shard, transactions: counts.notExactWithoutHistory }))
    .filter(({ shard, transactions }) => shard > 1 && transactions > 0);
  return { verification: tally.finish(inputs, elapsedMilliseconds), job, nodes, withoutHistory };
}

async function readPieces(stores: readonly Store[]) {
  const pieces: FoundPiece[] = [];
  const problems: string[] = [];
  for (const store of stores) {
    for (const name of (await store.list()).filter((each) => PIECE_NAME.test(each))) {
      const where = `${name} in ${store.name}`;
      const read = readPiece((await store.read(name)) ?? "");
      if (read.kind === "damaged") problems.push(`damaged: ${where} ${read.reason}`);
      else pieces.push({ name: where, piece: read.piece });
    }
  }
  return { found: pieces, problems };
}

/** The first of the jobs that occur most often. */
function mostCommonJob(pieces: readonly FoundPiece[]): PieceJob | null {
  const counts = new Map<string, { readonly job: PieceJob; many: number }>();
  for (const { piece } of pieces) {
    const key = JSON.stringify(piece.job);
    const counted = counts.get(key);
    if (counted === undefined) counts.set(key, { job: piece.job, many: 1 });
    else counted.many += 1;
  }
  const most = [...counts.values()].reduce<{ job: PieceJob; many: number } | null>(
    (best, each) => (best === null || each.many > best.many ? each : best),
    null,
  );
  return most?.job ?? null;
}

/** The reason why the piece contradicts itself; null if it does not. */
function problemOf({ job, shard, part, counts }: VerificationPiece): string | null {
  if (shard < 1 || shard > job.shards) return `it is piece ${shard} of ${job.shards}`;
  if (part.kind !== job.inputs.kind) return `it has ${part.kind}, the run has ${job.inputs.kind}`;
  if (part.kind === "files" || job.inputs.kind === "files") return null;
  const { first, last } = splitRange(job.inputs, shard, job.shards);
  if (part.first !== first || part.last !== last) {
    return `piece ${shard} is ${nameOfRange({ first, last })}, not ${nameOfRange(part)}`;
  }
  const ledgers = last - first + 1;
  if (counts.ledgers === ledgers) return null;
  return `it counts ${counts.ledgers} of its ${counted(ledgers, "ledger")}`;
}

function overlaps(pieces: readonly FoundPiece[]): string[] {
  const first = new Map<number, string>();
  const problems: string[] = [];
  for (const { name, piece } of pieces) {
    const other = first.get(piece.shard);
    if (other === undefined) first.set(piece.shard, name);
    else problems.push(`overlapping: ${name} and ${other} are both piece ${piece.shard}`);
  }
  return problems;
}

function missing(pieces: readonly FoundPiece[], shards: number): string[] {
  const there = new Set(pieces.map(({ piece }) => piece.shard));
  const runs: [number, number][] = [];
  for (let shard = 1; shard <= shards; shard += 1) {
    if (there.has(shard)) continue;
    const run = runs.at(-1);
    if (run !== undefined && run[1] === shard - 1) run[1] = shard;
    else runs.push([shard, shard]);
  }
  if (runs.length === 0) return [];
  const named = runs.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(", ");
  return [`missing: ${named} of ${shards}`];
}

/** The inputs of the run; null if the files of the pieces are not its list of files. */
function inputsOf({ inputs }: PieceJob, pieces: readonly FoundPiece[]): readonly string[] | null {
  if (inputs.kind === "range") return [nameOfRange(inputs)];
  return filesOfParts(
    inputs,
    pieces.map(({ piece }) => piece.part),
  );
}

function incomplete(problems: readonly string[], stores: readonly Store[]): SvcError {
  const where = stores.map(({ name }) => name).join(", ");
  return new SvcError("PIECES_INCOMPLETE", {
    message: `The pieces in ${where} are not a complete run:\n  ${problems.join("\n  ")}`,
    remedy: "Run the missing and damaged pieces again; leave foreign and overlapping ones out.",
    details: { problems },
  });
}
