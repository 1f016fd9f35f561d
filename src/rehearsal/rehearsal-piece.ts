// One piece of a rehearsal, as a machine of a cluster stores it, and all pieces as one rehearsal.
// Invariant: pieces are merged only if each of them is present once, and of one job.

import * as v from "valibot";
import { SvcError } from "../base/errors/errors.ts";
import type { Store } from "../base/store/store.ts";
import { splitRange } from "../verify/split-range.ts";
import { nameOfRange } from "../verify/verify-ledgers.ts";
import { mergeReasons } from "./failure-reasons.ts";
import { mergeSeen, type SeenInPiece } from "./known-contracts.ts";
import type { ListedRehearsal, UpgradeRehearsal } from "./rehearsal.ts";

/** What all pieces have in common. */
export interface RehearsalJob {
  readonly first: number;
  readonly last: number;
  readonly shards: number;
  readonly warmUpLedgers: number;
  /** The new code by contract, as hex hashes. */
  readonly builds: Readonly<Record<string, string>>;
  readonly function: string | null;
  /** The call of `--first`; null for none. */
  readonly firstCall: string | null;
  readonly networkPassphrase: string;
  readonly archive: boolean;
  readonly svc: string;
}

export interface RehearsalPiece {
  readonly version: 1;
  readonly job: RehearsalJob;
  /** From 1. */
  readonly shard: number;
  /** The words with which `svc debug` finds the network of a call; empty for the usual one. */
  readonly network: string;
  readonly rehearsal: ListedRehearsal;
  readonly seen: SeenInPiece;
}

const isList = (value: unknown) => Array.isArray(value);
/** svc wrote the documents itself, so only the parts that tell them apart are checked. */
const pieceSchema = v.looseObject({
  version: v.literal(1),
  job: v.looseObject({
    first: v.number(),
    last: v.number(),
    shards: v.number(),
    builds: v.record(v.string(), v.string()),
    networkPassphrase: v.string(),
  }),
  shard: v.number(),
  network: v.string(),
  rehearsal: v.looseObject({
    contracts: v.custom(isList),
    calls: v.custom(isList),
    reasons: v.custom(isList),
    notJudged: v.custom(isList),
  }),
  seen: v.custom(isList),
});

export function nameOfPiece(shard: number, shards: number): string {
  return `rehearsal-${shard}-of-${shards}.json`;
}

const PIECE_NAME = /^rehearsal-\d+-of-\d+\.json$/;

/** Null if the text is not a whole piece. */
export function readRehearsalPiece(text: string | null): RehearsalPiece | null {
  try {
    const json: unknown = JSON.parse(text ?? "");
    return v.is(pieceSchema, json) ? (json as unknown as RehearsalPiece) : null;
  } catch {
    return null;
  }
}

export function isSameJob(left: RehearsalJob, right: RehearsalJob): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}

/** Reads the pieces in the order of their ledgers. Throws PIECES_INCOMPLETE. */
export async function readPiecesOf(stores: readonly Store[]): Promise<readonly RehearsalPiece[]> {
  const pieces = new Map<number, RehearsalPiece>();
  const problems: string[] = [];
  let job: RehearsalJob | null = null;
  for (const store of stores)
    for (const name of (await store.list()).filter((each) => PIECE_NAME.test(each))) {
      const where = `${name} in ${store.name}`;
      const piece = readRehearsalPiece(await store.read(name));
      if (piece === null) {
        problems.push(`damaged: ${where}`);
        continue;
      }
      job ??= piece.job;
      if (!isSameJob(job, piece.job)) problems.push(`foreign: ${where} is of another run`);
      else if (pieces.has(piece.shard)) problems.push(`overlapping: ${where} is there twice`);
      else pieces.set(piece.shard, piece);
    }
  for (let shard = 1; shard <= (job?.shards ?? 0); shard += 1)
    if (!pieces.has(shard)) problems.push(`missing: piece ${shard} of ${job?.shards}`);
  if (job === null) problems.push("no piece is complete");
  if (problems.length > 0) throw incomplete(problems, stores);
  return [...pieces.values()].sort((left, right) => left.shard - right.shard);
}

function incomplete(problems: readonly string[], stores: readonly Store[]): SvcError {
  const where = stores.map(({ name }) => name).join(", ");
  return new SvcError("PIECES_INCOMPLETE", {
    message: `The pieces in ${where} are not a complete run:\n  ${problems.join("\n  ")}`,
    remedy: "Run the missing and damaged pieces again; leave foreign and overlapping ones out.",
    details: { problems },
  });
}

/** The rehearsal that one run over the whole range gives. */
export function mergeRehearsals(pieces: readonly RehearsalPiece[]): UpgradeRehearsal {
  const rehearsals = pieces.map(({ rehearsal }) => rehearsal);
  const [first] = rehearsals;
  if (first === undefined) throw new Error("there is a piece");
  const reasons = new Map<string, UpgradeRehearsal["notJudged"][number]>();
  for (const { calls, ...reason } of rehearsals.flatMap(({ notJudged }) => notJudged)) {
    const key = JSON.stringify(reason);
    reasons.set(key, { ...reason, calls: (reasons.get(key)?.calls ?? 0) + calls });
  }
  const raised = rehearsals.flatMap(({ raisedProtocol }) => raisedProtocol ?? []);
  return {
    ...first,
    contracts: mergeSeen(pieces),
    calls: rehearsals.flatMap(({ calls }) => calls),
    reasons: mergeReasons(rehearsals.map(({ reasons: own }) => own)),
    notJudged: [...reasons.values()],
    raisedProtocol: raised.length === 0 ? null : Math.max(...raised),
  };
}

/** Throws USAGE if the range has fewer ledgers than pieces. */
export function partOf(job: Pick<RehearsalJob, "first" | "last" | "shards">, shard: number) {
  const { first, last, shards } = job;
  if (last - first + 1 >= shards) return splitRange({ first, last }, shard, shards);
  throw new SvcError("USAGE", {
    message: `${nameOfRange({ first, last })} cannot be divided into ${shards} pieces.`,
    remedy: `Use at most ${last - first + 1} pieces.`,
  });
}
