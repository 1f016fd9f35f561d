// Sends an answer, which is a list of parts of text; a large one has many megabytes. A small answer
// is sent at once, and the kernel keeps what the network does not take. A larger one is sent in
// pieces, each after the client has taken the one before, and counts until then (answer-memory.ts).
// A client that takes nothing for a while loses its connection.

import type { WaitingAnswer } from "../limits/answer-memory.ts";

/** Text, or the bytes of text. */
export type Part = string | Uint8Array;

export interface ReplyOptions {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

export class Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  /**
   * Parts that are made one after another count for the code that makes them, until they are taken.
   */
  constructor(
    readonly parts: readonly Part[] | AsyncIterable<Part>,
    { status = 200, headers = {} }: ReplyOptions = {},
  ) {
    this.status = status;
    this.headers = headers;
  }
}

export type Answer = Response | Reply;

/** The parts of a request that sending needs. */
export interface Way {
  readonly request: Pick<Request, "method" | "signal">;
  /** Holds an answer that waits to be sent. Throws ANSWER_ROOM_FULL. */
  readonly hold: (bytes: number) => WaitingAnswer;
  /** Aborted with ANSWER_ROOM_FULL when the waiting answer is cut off and the connection ends. */
  readonly cut: AbortSignal;
  /** Sets the time after which a silent connection is closed; null for that of an idle one. */
  readonly patience: (seconds: number | null) => void;
  /** Continues the answer after its headers, until this settles. */
  readonly streams: (finished: Promise<null>) => void;
}

/** A larger answer is sent in pieces of this size. */
export const PIECE_BYTES = 256 * 1024;
/** The time in which a client must take a piece. */
const PIECE_SECONDS = 30;
/** The time until the answer or its next part is ready: longer than any work. */
export const WORK_SECONDS = 255;

/**
 * Sends the answer. Throws ANSWER_ROOM_FULL, and the errors of the parts before a piece is full.
 */
export async function sendReply(reply: Reply, way: Way): Promise<Response> {
  const { parts, status, headers } = reply;
  const { request, cut } = way;
  if (Array.isArray(parts)) {
    const bytes = parts.reduce((sum, part) => sum + part.length, 0);
    if (bytes <= PIECE_BYTES) return new Response(joined(parts), { status, headers });
    // The stream of an answer without a body, or without a client, would never be read.
    const isRead = request.method !== "HEAD" && !request.signal.aborted;
    return new Response(isRead ? heldStream(parts, bytes, way) : null, { status, headers });
  }
  const iterator = (parts as AsyncIterable<Part>)[Symbol.asyncIterator]();
  const first: Part[] = [];
  for (let bytes = 0; bytes <= PIECE_BYTES; ) {
    const { done, value } = await iterator.next();
    cut.throwIfAborted();
    if (done) return new Response(joined(first), { status, headers });
    first.push(value);
    bytes += value.length;
  }
  return new Response(madeStream(first, iterator, way), { status, headers });
}

export function textOf(part: Part): string {
  return typeof part === "string" ? part : decoder.decode(part);
}

function joined(parts: readonly Part[]): Part {
  if (parts.every((part) => typeof part === "string")) return parts.join("");
  return Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part) : part)));
}

type Piece = Uint8Array<ArrayBuffer>;

/** A stream of parts that are all ready, and leave the memory together. */
function heldStream(parts: readonly Part[], bytes: number, way: Way): ReadableStream<Piece> {
  const held = way.hold(bytes);
  const pieces = piecesOf(parts);
  way.patience(PIECE_SECONDS);
  return pulled(way, () => pieces.next(), held.leave);
}

/** A stream of parts that are made while others are sent. The request ends with them. */
function madeStream(
  first: readonly Part[],
  laterParts: AsyncIterator<Part>,
  way: Way,
): ReadableStream<Piece> {
  const ended = Promise.withResolvers<null>();
  way.streams(ended.promise);
  const parts = (async function* () {
    yield* first;
    for (;;) {
      const { done, value } = await laterParts.next();
      if (done) return;
      yield value;
    }
  })();
  const end = () => ended.resolve(null);
  return sendParts(parts, way, () => {
    (laterParts.return?.() ?? Promise.resolve()).then(end, end);
  });
}

/** Sends parts. `leave` is called once, after the last one. */
export function sendParts(
  parts: AsyncIterator<Part>,
  way: Pick<Way, "request" | "cut" | "patience">,
  leave: () => void,
): ReadableStream<Piece> {
  const { patience } = way;
  let pieces = piecesOf([]);
  const next = async (): Promise<IteratorResult<Piece, void>> => {
    for (;;) {
      const piece = pieces.next();
      if (!piece.done) {
        patience(PIECE_SECONDS);
        return piece;
      }
      patience(WORK_SECONDS);
      const { done, value } = await parts.next();
      if (done) return { done: true, value: undefined };
      pieces = piecesOf([value]);
    }
  };
  return pulled(way, next, leave);
}

/**
 * A stream that asks for the next piece after the client has taken the one before. `leave` is
 * called once, after the last one.
 */
function pulled(
  { request, cut, patience }: Pick<Way, "request" | "cut" | "patience">,
  next: () => IteratorResult<Piece, void> | Promise<IteratorResult<Piece, void>>,
  leave: () => void,
): ReadableStream<Piece> {
  let take: typeof next | null = next;
  const end = () => {
    if (take !== null) leave();
    take = null;
  };
  // A client may leave before its answer begins, and then nothing cancels the stream.
  for (const signal of [request.signal, cut]) signal.addEventListener("abort", end, { once: true });
  return new ReadableStream(
    {
      async pull(controller) {
        const piece = await take?.();
        // An answer that gave way is cut off: its end must not look like the end of the answer.
        if (take === null || piece === undefined) return new Promise(() => {});
        if (!piece.done) controller.enqueue(piece.value);
        else {
          end();
          patience(null);
          controller.close();
        }
        return undefined;
      },
      cancel: end,
    },
    { highWaterMark: 0 },
  );
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

function* piecesOf(parts: readonly Part[]): Generator<Piece, void> {
  for (const part of parts) {
    for (let from = 0; from < part.length; ) {
      const to = endOfPiece(part, from);
      if (typeof part === "string") yield encoder.encode(part.slice(from, to));
      // The piece is a copy, because otherwise the whole part would stay in memory.
      else yield new Uint8Array(part.subarray(from, to));
      from = to;
    }
  }
}

/** The end of a piece, which never cuts a character of two units. */
function endOfPiece(part: Part, from: number): number {
  const to = Math.min(part.length, from + PIECE_BYTES);
  if (typeof part !== "string" || to === part.length) return to;
  const last = part.charCodeAt(to - 1);
  return last >= 0xd800 && last <= 0xdbff ? to - 1 : to;
}
