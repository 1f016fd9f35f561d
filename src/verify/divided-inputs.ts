// The inputs that pieces divide, a range of ledgers or a list of files, and how a job and its
// results name them. Invariant: results are merged only if together they have all inputs.

import { createHash } from "node:crypto";
import { statSync } from "node:fs";
import { SvcError } from "../base/errors/errors.ts";
import type { Store } from "../base/store/store.ts";
import { counted } from "../base/text/counted.ts";
import {
  type PieceInputsName,
  type PiecePart,
  readStreams,
} from "../model/verification/verification-piece.ts";
import { type FoundStream, type PlanOptions, planStreams } from "./plan-streams.ts";
import type { Range } from "./verify-ledgers.ts";

export type DividedInputs =
  | ({ readonly kind: "range" } & Range)
  | { readonly kind: "files"; readonly paths: readonly string[] };

export function nameOfInputs(inputs: DividedInputs): PieceInputsName {
  if (inputs.kind === "range") return { kind: "range", first: inputs.first, last: inputs.last };
  const { paths } = inputs;
  return { kind: "files", count: paths.length, sha256: hashOfPaths(paths) };
}

/** Checks the number of shards. Throws USAGE. */
export function checkSize(inputs: DividedInputs, shards: number): void {
  const [many, noun] =
    inputs.kind === "range"
      ? [inputs.last - inputs.first + 1, "ledger"]
      : [inputs.paths.length, "file"];
  if (many >= shards) return;
  throw new SvcError("USAGE", {
    message: `${counted(many, noun)} cannot be divided into ${shards} pieces.`,
    remedy: `Use at most ${counted(many, "piece")}.`,
  });
}

const STREAMS_NAME = "streams.json";

/**
 * Finds the streams of the files. That needs a look into each file, so the first piece, or `svc
 * verify plan`, stores the result, and the other pieces open only their own files.
 */
export async function findStreams(
  store: Store,
  paths: readonly string[],
  options: PlanOptions,
): Promise<readonly FoundStream[]> {
  const sizes = paths.map((path) => statSync(path, { throwIfNoEntry: false })?.size ?? 0);
  const of = hashOfPaths([options.networkPassphrase ?? "", ...paths, sizes.join()]);
  const kept = readStreams((await store.read(STREAMS_NAME)) ?? "");
  if (kept?.of === of) return kept.streams;
  const streams = await planStreams(paths, options);
  await store.write(STREAMS_NAME, `${JSON.stringify({ version: 1, of, streams })}\n`);
  return streams;
}

/** The part of a piece that counts these files. */
export function partOfFiles(paths: readonly string[], counted: ReadonlySet<string>): PiecePart {
  const files = paths.flatMap((path, at) => (counted.has(path) ? [{ at, path }] : []));
  return { kind: "files", files };
}

/** The files of all parts in the order of the run; null if they are not its list of files. */
export function filesOfParts(
  inputs: Extract<PieceInputsName, { readonly kind: "files" }>,
  parts: readonly PiecePart[],
): readonly string[] | null {
  const files = parts.flatMap((part) => (part.kind === "files" ? part.files : []));
  const paths = files.sort((a, b) => a.at - b.at).map(({ path }) => path);
  return paths.length === inputs.count && hashOfPaths(paths) === inputs.sha256 ? paths : null;
}

/** The first field that differs, with both values; null for the same job. */
export function differenceOfJobs<Job extends object>(left: Job, right: Job): string | null {
  for (const name of Object.keys(left) as (keyof Job & string)[]) {
    const [a, b] = [JSON.stringify(left[name]), JSON.stringify(right[name])];
    if (a !== b) return `${name} is ${b}, not ${a}`;
  }
  return null;
}

function hashOfPaths(paths: readonly string[]): string {
  return createHash("sha256").update(JSON.stringify(paths)).digest("hex");
}
