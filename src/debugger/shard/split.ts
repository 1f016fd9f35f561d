// What the I-th of N pieces is: a pure function of N and the range, or the streams that the files
// are, so that processes which never talk to each other agree. The pieces have no ledger in common
// and leave none out.

import type { Range } from "../verify/ledgers-of-range.ts";
import type { FoundStream, PlannedStream } from "../verify/plan-streams.ts";

/** Lakes store 1 or 64 ledgers an object; objects of two pieces would be read twice. */
const ALIGNMENT = 64;

export interface PartOfStream extends PlannedStream {
  /** Without the files that are only folded. */
  readonly counted: readonly string[];
}

/** `shard`: from 1. There must be at least as many ledgers as shards. */
export function splitRange({ first, last }: Range, shard: number, shards: number): Range {
  const ledgers = last - first + 1;
  const step = ledgers >= 2 * ALIGNMENT * shards ? ALIGNMENT : 1;
  const beginning = (index: number): number => {
    if (index === 0) return first;
    if (index === shards) return last + 1;
    const even = first + Number((BigInt(ledgers) * BigInt(index)) / BigInt(shards));
    return even - (even % step);
  };
  return { first: beginning(shard - 1), last: beginning(shard) - 1 };
}

/**
 * Whole streams where there are at least as many as shards, files otherwise; then a piece can begin
 * in the middle of a stream, with `warmUpLedgers` and the one before them folded. A piece can be
 * empty when streams are uneven.
 */
export function splitStreams(
  streams: readonly FoundStream[],
  shard: number,
  shards: number,
  warmUpLedgers: number,
): PartOfStream[] {
  const files = streams.reduce((sum, stream) => sum + stream.files.length, 0);
  const isMine = (before: number) => Math.floor((before * shards) / files) === shard - 1;
  let before = 0;
  return streams.flatMap((stream) => {
    const start = before;
    before += stream.files.length;
    if (streams.length >= shards)
      return isMine(start) ? [{ ...stream, counted: stream.files }] : [];
    const mine = stream.files.map((_, index) => isMine(start + index));
    const from = mine.indexOf(true);
    return from === -1 ? [] : [partOf(stream, from, mine.lastIndexOf(true) + 1, warmUpLedgers)];
  });
}

function partOf(
  stream: FoundStream,
  from: number,
  to: number,
  warmUpLedgers: number,
): PartOfStream {
  const { firstLedgers, networkPassphrase } = stream;
  const counted = stream.files.slice(from, to);
  if (from === 0) return { ...stream, files: counted, counted };
  const countFrom = firstLedgers[from] ?? 0;
  const foldFrom = Math.max(0, countFrom - warmUpLedgers - 1);
  let start = from;
  while (start > 0 && (firstLedgers[start] ?? 0) > foldFrom) start -= 1;
  const fromGenesis = stream.fromGenesis && foldFrom <= (firstLedgers[0] ?? 0);
  const files = stream.files.slice(start, to);
  return { files, counted, fromGenesis, networkPassphrase, foldFrom, countFrom };
}
