// Reads the bodies of answers with a limit while they stream, and parses them. Nodes and the
// proxies in front of them sometimes send a web page instead of JSON. The limit counts the bytes
// after decompression.

import { indexOfBytes, latin1Bytes, latin1Text, utf8Bytes } from "../bytes.ts";
import { SvcError } from "../errors/errors.ts";
import { type JsonBounds, openJsonMeter } from "../json-bounds.ts";
import { beginningOf } from "../own-text.ts";
import { AGAIN, flag, phrase } from "../phrase.ts";
import { jsonSkeleton } from "../text/json-skeleton.ts";
import { parseWithLongTexts } from "../text/long-texts.ts";
import { neutralise } from "../text/neutralise.ts";
import type { AnswerRoom } from "./answer-room.ts";

export interface HttpAnswer {
  /** Public part of the node's URL. */
  readonly node: string;
  readonly status: number;
  readonly body: Uint8Array;
  /** The size of the whole file, if the answer is a part that was asked for. */
  readonly totalBytes?: number | null;
  /** The server's name for the version of the file. */
  readonly etag?: string | null;
}

export interface BodyLimits {
  /** Public part of the node's URL. */
  readonly node: string;
  readonly maximumBytes: number;
  /** False if headers may be hidden: the announced length may then be that of a compressed body. */
  readonly showsHeaders: boolean;
}

const EXCERPT_CHARACTERS = 120;
const LARGE_BYTES = 1024 * 1024;
const LEAST_BYTES = 4 * 1024;
/** The largest answers have 10,000 events, and need a quarter of these values. */
const JSON_BOUNDS: JsonBounds = { depth: 500, values: 1_000_000 };

/** A body. It holds its share of the memory for answers until it is disposed of. */
export interface ReadBody extends Disposable {
  readonly bytes: Uint8Array;
}

/**
 * Throws NETWORK_ANSWER_TOO_LARGE and ANSWER_ROOM_FULL as soon as a limit is exceeded. `giveUp` ends
 * the request of the response.
 */
export async function readBody(
  response: Response,
  limits: BodyLimits,
  room: AnswerRoom,
  giveUp: () => void,
): Promise<ReadBody> {
  let failure: SvcError | null = null;
  const end = (error: SvcError) => {
    failure = error;
    giveUp();
  };
  const share = room.enter(() => end(roomFull(limits)));
  const take = (size: number) => {
    share.grow(size);
    if (failure !== null) throw failure;
  };
  const announced = announcedLength(response.headers, limits);
  try {
    take(announced);
    // HTTP ends an announced body there, and an incomplete one is a failure.
    const bytes =
      announced > 0
        ? await response.bytes()
        : await joined(response.body, (size, length) => {
            if (length > limits.maximumBytes) end(tooLarge(limits));
            take(size);
          });
    if (failure !== null) throw failure;
    return { bytes, [Symbol.dispose]: share.leave };
  } catch (error) {
    share.leave();
    throw failure ?? error;
  }
}

/** The length that the headers announce; 0 if it is unknown, as for a compressed body. */
function announcedLength(headers: Headers, { maximumBytes, showsHeaders }: BodyLimits): number {
  if (!showsHeaders || headers.has("content-encoding")) return 0;
  const length = Number(headers.get("content-length") ?? 0);
  return length <= maximumBytes ? length : 0;
}

/**
 * The bytes of a stream. `arrived` gets the size of each piece, and the length of all so far. It may
 * throw.
 */
async function joined(
  stream: ReadableStream<Uint8Array> | null,
  arrived: (size: number, length: number) => void,
): Promise<Uint8Array> {
  const reader = stream?.getReader();
  if (reader === undefined) return new Uint8Array();
  let all = new Uint8Array(LEAST_BYTES);
  let length = 0;
  for (;;) {
    const { done, value: piece } = await reader.read();
    if (done) return length === all.length ? all : all.slice(0, length);
    const needed = length + piece.length;
    arrived(piece.length, needed);
    if (needed > all.length) {
      const more = new Uint8Array(Math.max(needed, 2 * all.length));
      more.set(all.subarray(0, length));
      all = more;
    }
    all.set(piece, length);
    length = needed;
  }
}

const NAME_OF_SECRET = /auth|cookie|key|secret|token/i;
/**
 * Shorter words are not secrets. A header with another name may hold words that also occur in
 * answers.
 */
const SHORTEST_SECRET = 8;
const SHORTEST_OTHER = 16;

/**
 * Removes the secrets of the request's headers from the body, because a node may repeat them in an
 * error.
 */
export function withoutSecrets(
  body: Uint8Array,
  headers: Readonly<Record<string, string>>,
): Uint8Array {
  const secrets = Object.entries(headers).flatMap(([name, value]) => {
    const shortest = NAME_OF_SECRET.test(name) ? SHORTEST_SECRET : SHORTEST_OTHER;
    return value
      .split(/\s+/)
      .filter((word) => word.length >= shortest && indexOfBytes(body, utf8Bytes(word)) !== -1);
  });
  if (secrets.length === 0) return body;
  const text = latin1Text(body);
  return latin1Bytes(
    secrets.reduce((remainder, word) => remainder.replaceAll(word, "(secret)"), text),
  );
}

/** Throws NETWORK_BAD_ANSWER if the body is not JSON, or has more values than any real answer. */
export function parseAnswer(answer: HttpAnswer): unknown {
  return parseText(answer, (body) => new TextDecoder().decode(body));
}

/** Does the same, but cuts long strings short in a large answer. */
export function parseAnswerSkeleton(answer: HttpAnswer): unknown {
  return answer.body.length > LARGE_BYTES ? parseText(answer, jsonSkeleton) : parseAnswer(answer);
}

/**
 * Does the same as `parseAnswer`, but long strings of a large answer are of the class LongText. It
 * is for answers whose long strings are decoded afterwards.
 */
export function parseAnswerWithLongTexts(answer: HttpAnswer): unknown {
  if (answer.body.length <= LARGE_BYTES) return parseAnswer(answer);
  requireBounds(answer);
  try {
    return parseWithLongTexts(answer.body);
  } catch {
    // `parseAnswer` has the words for what is wrong.
    return parseAnswer(answer);
  }
}

function parseText(answer: HttpAnswer, read: (body: Uint8Array) => string): unknown {
  requireBounds(answer);
  const text = read(answer.body);
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw notJson(answer.node, text.trim(), cause);
  }
}

/** Throws NETWORK_BAD_ANSWER if the body has more values than any real answer. */
function requireBounds({ node, body }: HttpAnswer): void {
  const excess = openJsonMeter(JSON_BOUNDS)(body);
  if (excess !== null)
    throw new SvcError("NETWORK_BAD_ANSWER", {
      message: `${node} answered with JSON that has ${excess}.`,
      remedy: phrase`Set another node with ${flag("horizonUrl")} or ${flag("rpcUrl")}.`,
      details: { node },
    });
}

function tooLarge({ node, maximumBytes }: BodyLimits): SvcError {
  return new SvcError("NETWORK_ANSWER_TOO_LARGE", {
    message: `${node} answered with more than ${maximumBytes} bytes.`,
    remedy: phrase`Set another node with ${flag("horizonUrl")} or ${flag("rpcUrl")}.`,
    details: { node, maximumBytes },
  });
}

function roomFull({ node }: BodyLimits): SvcError {
  return new SvcError("ANSWER_ROOM_FULL", {
    message: `The answer of ${node} was given up: there is no more memory for answers.`,
    remedy: phrase`Try again when fewer requests are in work, or set another node with ${flag("horizonUrl")} or ${flag("rpcUrl")}.`,
    details: { node },
  });
}

function notJson(node: string, text: string, cause: unknown): SvcError {
  const excerpt = neutralise(beginningOf(text, EXCERPT_CHARACTERS));
  const details = { node, bytes: text.length, excerpt };
  if (text.startsWith("<")) {
    return new SvcError("NETWORK_BAD_ANSWER", {
      message: `${node} answered with a web page instead of JSON.`,
      remedy: phrase`Check that the URL is the node's API, not its home page, or set another node or ${flag("network")}.`,
      cause,
      details,
    });
  }
  const content = text === "" ? "an empty body" : "text that is not JSON, or is incomplete";
  return new SvcError("NETWORK_BAD_ANSWER", {
    message: `${node} answered with ${content} (${text.length} characters).`,
    remedy: phrase`${AGAIN}. If the error persists, set another node.`,
    cause,
    details,
  });
}
