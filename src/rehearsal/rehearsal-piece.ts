// One piece of a rehearsal, as a machine of a cluster stores it, and all pieces as one rehearsal.
// Invariant: pieces are merged only if each of them is present once, and of one job, and if they
// have all inputs together.

import * as v from "valibot";
import { SvcError } from "../base/errors/errors.ts";
import type { Store } from "../base/store/store.ts";
import {
  type PieceInputsName,
  type PiecePart,
  pieceInputsSchema,
  piecePartSchema,
} from "../model/verification/verification-piece.ts";
import { differenceOfJobs, filesOfParts } from "../verify/divided-inputs.ts";
import { CallList } from "./call-list.ts";
import { mergeReasons } from "./failure-reasons.ts";
import { mergeSeen } from "./known-contracts.ts";
import type { ListedRehearsal, UpgradeRehearsal } from "./rehearsal.ts";
import { countedReasons, firstLater, type PieceFacts } from "./rehearse-traffic.ts";

/** What all pieces have in common. */
export interface RehearsalJob {
  readonly inputs: PieceInputsName;
  readonly shards: number;
  /** Null: a piece of files knows all that its stream shows. */
  readonly warmUpLedgers: number | null;
  /** The new code by contract, as hex hashes. */
  readonly builds: Readonly<Record<string, string>>;
  readonly function: string | null;
  /** The call of `--first`; null for none. */
  readonly firstCall: string | null;
  /** Null if it is found out from the files. */
  readonly networkPassphrase: string | null;
  readonly archive: boolean;
  readonly svc: string;
}

export interface RehearsalPiece extends PieceFacts {
  readonly version: 3;
  readonly job: RehearsalJob;
  /** From 1. */
  readonly shard: number;
  readonly part: PiecePart;
  /** The words with which `svc debug` finds the network of a call; empty for the usual one. */
  readonly network: string;
  readonly rehearsal: ListedRehearsal;
}

const isList = (value: unknown) => Array.isArray(value);
/** svc wrote the documents itself, so only the parts that tell them apart are checked. */
const pieceSchema = v.looseObject({
  version: v.literal(3),
  job: v.looseObject({
    inputs: pieceInputsSchema,
    shards: v.number(),
    builds: v.record(v.string(), v.string()),
  }),
  shard: v.number(),
  part: piecePartSchema,
  network: v.string(),
  rehearsal: v.looseObject({
    contracts: v.custom(isList),
    calls: v.custom(isList),
    reasons: v.custom(isList),
  }),
  seen: v.custom(isList),
  notJudged: v.array(v.looseObject({ hashes: v.custom(isList) })),
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

/** Reads the pieces in the order of their numbers. Throws PIECES_INCOMPLETE. */
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
      const difference = differenceOfJobs(job, piece.job);
      if (difference !== null) problems.push(`foreign: ${where}: ${difference}`);
      else if (pieces.has(piece.shard)) problems.push(`overlapping: ${where} is there twice`);
      else pieces.set(piece.shard, piece);
    }
  for (let shard = 1; shard <= (job?.shards ?? 0); shard += 1)
    if (!pieces.has(shard)) problems.push(`missing: piece ${shard} of ${job?.shards}`);
  if (job === null) problems.push("no piece is complete");
  const inOrder = [...pieces.values()].sort((left, right) => left.shard - right.shard);
  if (problems.length === 0 && job?.inputs.kind === "files") {
    const parts = inOrder.map(({ part }) => part);
    if (filesOfParts(job.inputs, parts) === null)
      problems.push("the files of the pieces are not those of the run");
  }
  if (problems.length > 0) throw incomplete(problems, stores);
  return inOrder;
}

function incomplete(problems: readonly string[], stores: readonly Store[]): SvcError {
  const where = stores.map(({ name }) => name).join(", ");
  return new SvcError("PIECES_INCOMPLETE", {
    message: `The pieces in ${where} are not a complete run:\n  ${problems.join("\n  ")}`,
    remedy: "Run the missing and damaged pieces again; leave foreign and overlapping ones out.",
    details: { problems },
  });
}

/** The rehearsal that one run over all inputs gives. */
export function mergeRehearsals(pieces: readonly RehearsalPiece[]): UpgradeRehearsal {
  const rehearsals = pieces.map(({ rehearsal }) => rehearsal);
  const [first] = rehearsals;
  if (first === undefined) throw new Error("there is a piece");
  const list = new CallList();
  // Files can have a ledger twice.
  for (const call of rehearsals.flatMap(({ calls }) => calls)) list.set(call);
  const calls = list.inOrder(null);
  const raised = rehearsals.flatMap(({ raisedProtocol }) => raisedProtocol ?? []);
  return {
    ...first,
    contracts: mergeSeen(pieces),
    calls,
    reasons: mergeReasons(
      calls,
      rehearsals.map(({ reasons }) => reasons),
    ),
    notJudged: mergeNotJudged(pieces, list),
    raisedProtocol: raised.length === 0 ? null : Math.max(...raised),
    laterProtocol: firstLater(rehearsals.map(({ laterProtocol }) => laterProtocol)),
  };
}

function mergeNotJudged(
  pieces: readonly RehearsalPiece[],
  judged: Pick<CallList, "has">,
): UpgradeRehearsal["notJudged"] {
  const all = pieces.flatMap(({ notJudged }) => notJudged);
  const byReason = Map.groupBy(all, ({ reason }) => JSON.stringify(reason));
  const merged = [...byReason.values()].flatMap((same) => {
    const hashes = new Set(same.flatMap((each) => each.hashes));
    const left = [...hashes].filter((hash) => !judged.has(hash));
    return same.slice(0, left.length === 0 ? 0 : 1).map((each) => ({ ...each, hashes: left }));
  });
  return countedReasons(merged);
}
