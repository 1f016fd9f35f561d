// What a store has of a piece: its result, or the progress that a process which ended left behind.
// Invariant: documents of another job are refused, and damaged ones are as none.

import { SvcError } from "../../base/errors/errors.ts";
import { type SealedKind, unseal } from "../../base/store/sealed-json.ts";
import type { Store } from "../../base/store/store.ts";
import { type PieceJob, type PieceProgress, PROGRESS } from "../../model/verification-piece.ts";
import type { SavedFold } from "../../snapshot/stream/ledgers-fold.ts";
import type { Position } from "../verify/verify-stream.ts";
import { readSegments } from "./folded-segments.ts";

export interface Saved {
  readonly progress: PieceProgress;
  /** Null: at the beginning of a stream. */
  readonly resumed: Position<SavedFold> | null;
}

export function progressNameOf(stem: string): string {
  return `${stem}.progress.json`;
}

/** Null: there is none, or something of it is damaged. Throws CONFIG_INVALID. */
export async function readSaved(
  store: Store,
  stem: string,
  job: PieceJob,
  warn: (text: string) => void,
): Promise<Saved | null> {
  const progress = await readOf(store, progressNameOf(stem), PROGRESS, job, warn);
  if (progress === null) return null;
  const { position } = progress;
  if (position === null) return { progress, resumed: null };
  const rows = await readSegments(store, stem, position.segments);
  if (rows === null) {
    warn(`What ${stem} has folded is damaged in ${store.name}: the piece is made again.`);
    return null;
  }
  const { next, mentionsTo, facts } = position;
  return { progress, resumed: { next, mentionsTo, folded: { facts, rows } } };
}

/** Null: there is none, or it is damaged and has to be made again. Throws CONFIG_INVALID. */
export async function readOf<Body extends { readonly job: PieceJob; readonly shard: number }>(
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
