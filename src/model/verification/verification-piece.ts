// The result of one piece of a verification that several processes share, as it is kept in a file
// or an object store. `job` has everything that decides the counts: pieces of different jobs are
// never added up.

import * as v from "valibot";
import { excessOfJson } from "../../base/json-bounds.ts";
import { count, countsSchema } from "../verification.ts";

const range = v.object({ kind: v.literal("range"), first: count, last: count });
/** `sha256` is the hash of the paths in their order. */
export const pieceInputsSchema = v.variant("kind", [
  range,
  v.object({ kind: v.literal("files"), count, sha256: v.string() }),
]);
/** The ledgers that a piece counts, or files with their position in the whole list, from 0. */
export const piecePartSchema = v.variant("kind", [
  range,
  v.object({
    kind: v.literal("files"),
    files: v.array(v.object({ at: count, path: v.string() })),
  }),
]);
const job = v.object({
  inputs: pieceInputsSchema,
  shards: count,
  warmUpLedgers: count,
  rehearseProtocol: v.nullable(count),
  /** Null if it is found out from the files. */
  networkPassphrase: v.nullable(v.string()),
  svc: v.string(),
  simulator: v.string(),
  /** A text such as `protocol 23: 23.0.1`. */
  hosts: v.array(v.string()),
});

const addresses = v.union([v.array(v.string()), v.literal("hidden")]);

const piece = v.object({
  job,
  /** The nodes are not part of the job, because the pieces of a run may ask different ones. */
  nodes: v.object({
    networkPassphrase: v.nullable(v.string()),
    areFiles: v.exactOptional(v.boolean()),
    rpcUrls: addresses,
    ledgerLakeUrls: addresses,
  }),
  /** The number of the piece, from 1. */
  shard: count,
  part: piecePartSchema,
  counts: countsSchema,
  elapsedMilliseconds: v.number(),
});

export type PieceInputsName = v.InferOutput<typeof pieceInputsSchema>;
export type PiecePart = v.InferOutput<typeof piecePartSchema>;
export type PieceJob = v.InferOutput<typeof job>;
export type VerificationPiece = v.InferOutput<typeof piece>;

/** The content of a file, or of an object of a store. */
const pieceDocumentSchema = v.object({
  kind: v.literal("svc verify piece"),
  version: v.literal(3),
  piece,
});

export type ReadPiece =
  | { readonly kind: "whole"; readonly piece: VerificationPiece }
  /** `reason` ends a sentence that begins with "it". */
  | { readonly kind: "damaged"; readonly reason: string };

/**
 * Reads a document, which shows by itself that it is complete: a store shows it only when it is.
 */
export function readPiece(text: string): ReadPiece {
  const excess = excessOfJson(text);
  if (excess !== null) return { kind: "damaged", reason: `has ${excess}` };
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return { kind: "damaged", reason: "is cut off or is not JSON" };
  }
  const checked = v.safeParse(pieceDocumentSchema, parsed);
  if (checked.success) return { kind: "whole", piece: checked.output.piece };
  return {
    kind: "damaged",
    reason: `has no valid ${v.getDotPath(checked.issues[0]) ?? "content"}`,
  };
}

/** The order and content of the files, found out once for all pieces. */
const streamsSchema = v.object({
  version: v.literal(1),
  of: v.string(),
  streams: v.array(
    v.object({
      files: v.array(v.string()),
      fromGenesis: v.boolean(),
      networkPassphrase: v.string(),
      firstLedgers: v.array(v.number()),
      bytes: v.array(v.number()),
    }),
  ),
});

/** Returns null if the document is damaged. */
export function readStreams(text: string): v.InferOutput<typeof streamsSchema> | null {
  try {
    return v.parse(streamsSchema, JSON.parse(text));
  } catch {
    return null;
  }
}
