// Computes the I-th of N pieces from N and the range, or from the streams of the files. It is a
// pure function, so that processes agree without talking to each other. The pieces share no ledger
// and leave none out.

import type { FoundStream, PlannedStream } from "./plan-streams.ts";

export interface PartOfStream extends PlannedStream {
  /** The files without those that are only folded. */
  readonly counted: readonly string[];
  /** The size of each of those files. */
  readonly bytes: readonly number[];
}

/**
 * Splits streams into pieces of equal work, by the bytes of the files. A piece gets whole streams
 * if there are at least as many as shards, and files otherwise. A piece can then begin in the
 * middle of a stream; `warmUpLedgers` and the ledger before them are folded. A piece can be empty
 * if sizes are uneven. `warmUpLedgers` null: a part knows all that its whole stream shows.
 */
export function splitStreams(
  streams: readonly FoundStream[],
  shard: number,
  shards: number,
  warmUpLedgers: number | null,
): PartOfStream[] {
  if (streams.length >= shards) {
    const pieces = pieceOfEach(streams.map(bytesOf), shards);
    return streams.flatMap((stream, index) =>
      pieces[index] === shard - 1 ? [{ ...stream, counted: stream.files }] : [],
    );
  }
  const total = streams.reduce((sum, stream) => sum + bytesOf(stream), 0);
  let before = 0;
  return streams.flatMap((stream) => {
    const mine = stream.bytes.map((bytes) => {
      const size = Math.max(1, bytes);
      const middle = before + size / 2;
      before += size;
      return Math.min(shards - 1, Math.floor((middle / total) * shards)) === shard - 1;
    });
    const from = mine.indexOf(true);
    return from === -1 ? [] : [partOf(stream, from, mine.lastIndexOf(true) + 1, warmUpLedgers)];
  });
}

/**
 * The index of the piece of each part. The largest part goes first, each to the piece with the
 * least work so far.
 */
function pieceOfEach(sizes: readonly number[], shards: number): readonly number[] {
  const loads = new Array<number>(shards).fill(0);
  const pieces = new Array<number>(sizes.length).fill(0);
  const largestFirst = sizes.map((size, index) => ({ size, index }));
  largestFirst.sort((a, b) => b.size - a.size || a.index - b.index);
  for (const { size, index } of largestFirst) {
    const least = loads.indexOf(Math.min(...loads));
    // An empty file is work too.
    loads[least] = (loads[least] ?? 0) + Math.max(1, size);
    pieces[index] = least;
  }
  return pieces;
}

export function bytesOf({ bytes }: Pick<FoundStream, "bytes">): number {
  return bytes.reduce((sum, each) => sum + Math.max(1, each), 0);
}

function partOf(
  stream: FoundStream,
  from: number,
  to: number,
  warmUpLedgers: number | null,
): PartOfStream {
  const { firstLedgers, networkPassphrase } = stream;
  const counted = stream.files.slice(from, to);
  const bytes = stream.bytes.slice(from, to);
  const mentionedIn = warmUpLedgers === null ? { mentionedIn: stream.files } : {};
  if (from === 0) return { ...stream, files: counted, counted, bytes, ...mentionedIn };
  const countFrom = firstLedgers[from] ?? 0;
  const foldFrom = warmUpLedgers === null ? 0 : Math.max(0, countFrom - warmUpLedgers - 1);
  let start = from;
  while (start > 0 && (firstLedgers[start] ?? 0) > foldFrom) start -= 1;
  const fromGenesis = stream.fromGenesis && foldFrom <= (firstLedgers[0] ?? 0);
  const files = stream.files.slice(start, to);
  const part = { files, counted, bytes, fromGenesis, networkPassphrase };
  return { ...part, foldFrom, countFrom, ...mentionedIn };
}
