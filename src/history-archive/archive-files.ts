// A history archive (stellar-core, HistoryArchive.h and its page on history) has files by category
// and checkpoint, and buckets by their hash, all under names that follow from these. Nothing in it
// is trusted: the reader of a file proves it.

import { createReadStream, existsSync, statSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { createGunzip, gunzipSync } from "node:zlib";
import { SvcError } from "../base/errors/errors.ts";
import { systemCodeOf } from "../base/errors/system-code.ts";
import { ifVisible, whyUnreadable } from "../base/files/read-file.ts";
import type { Http, HttpOptions } from "../base/http/http.ts";
import { nodeAddress } from "../base/http/node-address.ts";
import { flag, phrase } from "../base/phrase.ts";
import { sha256 } from "../xdr/reader/hash.ts";
import { type ArchiveState, readArchiveState } from "./archive-state.ts";
import type { PieceStore } from "./bucket-store.ts";
import { archiveDamaged, lacking } from "./errors.ts";

export type ArchiveCategory = "ledger" | "transactions" | "results" | "scp";

export interface HistoryArchive {
  /** The archive's name for people, without credentials. */
  readonly name: string;
  /** The distance from one checkpoint to the next. */
  readonly ledgersPerCheckpoint: 8 | 64;
  /** The latest checkpoint that the archive has. */
  readonly latestCheckpoint: number;
  /** Throws ARCHIVE_LACKS and ARCHIVE_DAMAGED, as the other methods do. */
  state(checkpoint: number): Promise<ArchiveState>;
  /** Returns the frames of the file, uncompressed, or null if the archive has no such file. */
  frames(category: ArchiveCategory, checkpoint: number): Promise<Uint8Array[] | null>;
  /** Returns the bucket in pieces, uncompressed, or null if there are no buckets at all. */
  bucket(hash: string): AsyncIterable<Uint8Array> | null;
  /** Returns the size of the stored bucket, or null if the archive does not have it. */
  bucketBytes(hash: string): Promise<number | null>;
  /** True if nothing has to be downloaded. */
  readonly local: boolean;
}

const MEBIBYTE = 1024 * 1024;
const MAXIMUM_FILE_BYTES = 512 * MEBIBYTE;
/**
 * The most bytes of an unpacked file. On public networks, 64 headers have some 50 KB, and their
 * messages some megabytes.
 */
const MAXIMUM_PLAIN_BYTES: Readonly<Record<ArchiveCategory, number>> = {
  ledger: 16 * MEBIBYTE,
  scp: 64 * MEBIBYTE,
  transactions: MAXIMUM_FILE_BYTES,
  results: MAXIMUM_FILE_BYTES,
};
const CATEGORIES = Object.keys(MAXIMUM_PLAIN_BYTES) as ArchiveCategory[];
/** A state names 44 buckets. */
const MAXIMUM_JSON_BYTES = MEBIBYTE;
/** A file has one record for each ledger, but some archives write more. */
const MAXIMUM_RECORDS = 1024;
const READ_BYTES = MEBIBYTE;
/** Larger pieces leave the caches of the processor before they are hashed and compressed. */
const UNPACKED_BYTES = 512 * 1024;
/** A part of this size arrives on a slow line within the time limit of a request. */
const PART_BYTES = 8 * MEBIBYTE;
/**
 * The number of parts that may be smaller than requested. Without a limit, single bytes would never
 * end.
 */
const SMALLER_PARTS = 8;
const ABSENT = [403, 404];
export const USUAL_LEDGERS_PER_CHECKPOINT = 64;
/** Networks for tests close a ledger a second (stellar-core, HistoryManagerImpl.cpp). */
const ACCELERATED = 8;
/** The bit above a record's length marks the last fragment. */
const LENGTH_BITS = 0x7fffffff;

/** Returns the checkpoint that includes the ledger: the first one that is not before it. */
export function checkpointOf(ledger: number, { ledgersPerCheckpoint }: HistoryArchive): number {
  return ledger - (ledger % ledgersPerCheckpoint) + ledgersPerCheckpoint - 1;
}

/** The files of an archive, in a directory or below a URL. */
export interface ArchiveFiles {
  readonly name: string;
  /** Returns null if there is no such file. */
  read(name: string): Promise<Uint8Array | null>;
  /** Yields the stored file in pieces; nothing if there is no such file. */
  pieces(name: string): AsyncIterable<Uint8Array>;
  /** Returns null if there is no such file. */
  size(name: string): Promise<number | null>;
  /** True if nothing has to be downloaded. */
  readonly local: boolean;
}

/** `known` has facts that need not be found out. */
export async function openArchiveFiles(
  files: ArchiveFiles,
  known: Partial<Pick<HistoryArchive, "latestCheckpoint" | "ledgersPerCheckpoint">> = {},
): Promise<HistoryArchive> {
  const { name, local } = files;
  const latestCheckpoint = known.latestCheckpoint ?? (await latestOf(files));
  return {
    name,
    local,
    latestCheckpoint,
    ledgersPerCheckpoint: known.ledgersPerCheckpoint ?? (await distanceOf(files, latestCheckpoint)),
    async state(checkpoint) {
      const name = fileName("history", checkpoint, "json");
      const bytes = await files.read(name);
      if (bytes === null) throw lacking(name);
      const state = readArchiveState(parsed(bytes, name), name);
      if (state.ledger !== checkpoint)
        throw archiveDamaged(name, `it is of ledger ${state.ledger}`);
      return state;
    },
    async frames(category, checkpoint) {
      const name = fileName(category, checkpoint, "xdr.gz");
      const bytes = await files.read(name);
      const plain = bytes && unpacked(bytes, name, MAXIMUM_PLAIN_BYTES[category]);
      return plain && framesOf(plain, name);
    },
    bucket: (hash) => unpackedPieces(files.pieces(bucketName(hash)), bucketName(hash)),
    bucketBytes: (hash) => files.size(bucketName(hash)),
  };
}

/** `signal` ends the reading of a bucket, which may take a minute. */
export function archiveDirectory(directory: string, signal?: AbortSignal): ArchiveFiles {
  const path = (name: string) => join(directory, name);
  return {
    name: directory,
    local: true,
    read: (name) => absentAsNull(path(name), (each) => readFile(each)),
    async size(name) {
      return (await absentAsNull(path(name), (each) => stat(each)))?.size ?? null;
    },
    async *pieces(name) {
      if (!existsSync(path(name))) return;
      for await (const piece of createReadStream(path(name), { highWaterMark: READ_BYTES })) {
        signal?.throwIfAborted();
        yield piece as Uint8Array;
      }
    },
  };
}

/**
 * The files below a URL. Each is requested in parts, and a part that fails is requested again
 * alone. The parts of a larger file are kept, so that a download continues where another one ended.
 */
export function archiveUrl(
  url: string,
  http: Http,
  options: HttpOptions,
  kept: PieceStore | null = null,
): ArchiveFiles {
  const base = url.endsWith("/") ? url : `${url}/`;
  const totals = new Map<string, number>();
  /** For each file, the name under which its parts, in this server's version, are kept. */
  const marks = new Map<string, string>();
  /** Returns null if there is no such file. */
  async function ask(name: string, range: readonly [number, number]): Promise<Uint8Array | null> {
    const href = new URL(name, base).href;
    const { status, totalBytes, body, etag } = await http.send(
      {
        url: href,
        nodeUrl: url,
        method: "GET",
        maximumBytes: PART_BYTES + 1,
        answers: ABSENT,
        range,
      },
      options,
    );
    if (ABSENT.includes(status)) return null;
    const total = totalBytes ?? body.length;
    // A file keeps its size from the first part to the last, because the user allowed that size.
    const known = totals.get(name) ?? total;
    totals.set(name, known);
    if (known !== total) throw archiveDamaged(name, `it had ${known} bytes, and now ${total}`);
    const mark = sha256(Buffer.from(`${href} ${total} ${etag ?? ""}`)).toHex();
    if (!marks.has(name)) marks.set(name, `${name.slice(-71, -7)}.${mark.slice(0, 16)}`);
    return body;
  }
  async function part(name: string, at: number): Promise<Uint8Array | null> {
    const mark = marks.get(name);
    const place = kept !== null && mark !== undefined ? `${mark}.${at}` : null;
    const keptPart = place === null ? null : kept?.read(place);
    const total = totals.get(name) ?? 0;
    if (keptPart?.length === Math.min(PART_BYTES, total - at)) return keptPart;
    const body = await ask(name, [at, at + PART_BYTES - 1]);
    const length = body?.length ?? 0;
    const whole = totals.get(name) ?? 0;
    if (body !== null && (length === 0 || at + length > whole))
      throw archiveDamaged(name, `${length} bytes came for byte ${at} of ${whole}`);
    if (place !== null && body !== null && whole > PART_BYTES) kept?.write(place, body);
    return body;
  }
  async function* pieces(name: string): AsyncGenerator<Uint8Array> {
    let next = part(name, 0);
    for (let at = 0, parts = 1; ; parts += 1) {
      const body = await next;
      if (body === null) return;
      at += body.length;
      const total = totals.get(name) ?? 0;
      const isLast = at >= total;
      if (parts > SMALLER_PARTS + 2 * (total / PART_BYTES))
        throw archiveDamaged(name, `${parts} parts came, and only ${at} of ${total} bytes`);
      // The next part arrives while the caller reads this one.
      if (!isLast) next = part(name, at);
      next.catch(() => {});
      yield body;
      if (isLast) return;
    }
  }
  return {
    name: nodeAddress(url),
    local: false,
    pieces,
    async read(name) {
      const parts: Uint8Array[] = [];
      const category = CATEGORIES.find((each) => name.startsWith(`${each}/`));
      const most = category === undefined ? MAXIMUM_JSON_BYTES : MAXIMUM_PLAIN_BYTES[category];
      for await (const piece of pieces(name)) {
        parts.push(piece);
        if ((totals.get(name) ?? 0) > most) throw archiveDamaged(name, "it is too large");
      }
      return parts.length === 0 ? null : Buffer.concat(parts);
    },
    size: async (name) => ((await ask(name, [0, 0])) === null ? null : (totals.get(name) ?? 0)),
  };
}

const HISTORY = ".well-known/stellar-history.json";

/**
 * Each network uses one distance, which the checkpoint 8 ledgers before shows: it exists or not.
 */
async function distanceOf(files: ArchiveFiles, latest: number): Promise<8 | 64> {
  const isUsual = (latest + 1) % USUAL_LEDGERS_PER_CHECKPOINT === 0;
  const earlier = fileName("history", latest - ACCELERATED, "json");
  return isUsual && (await files.size(earlier)) === null
    ? USUAL_LEDGERS_PER_CHECKPOINT
    : ACCELERATED;
}

/** Returns the latest checkpoint. Some of its files may not exist yet. */
async function latestOf(files: ArchiveFiles): Promise<number> {
  const root = await files.read(HISTORY);
  if (root !== null) {
    const { ledger } = readArchiveState(parsed(root, HISTORY), HISTORY);
    // The network has just begun.
    if (ledger === 0) throw lacking("checkpoint yet");
    return ledger;
  }
  // The directory may be a copy of a part of an archive, without that file.
  const glob = new Bun.Glob("history/*/*/*/history-*.json");
  const paths =
    files.local && ifVisible(() => statSync(files.name))?.isDirectory()
      ? glob.scanSync({ cwd: files.name })
      : [];
  const last = [...paths]
    .map((path) => path.slice(-13, -5))
    .sort()
    .at(-1);
  if (last === undefined) throw lacking(`${HISTORY} (${files.name})`);
  return Number.parseInt(last, 16);
}

/** Returns a name such as `ledger/00/00/17/ledger-0000177f.xdr.gz`. */
function fileName(category: ArchiveCategory | "history", checkpoint: number, end: string): string {
  const hex = checkpoint.toString(16).padStart(8, "0");
  return `${category}/${folders(hex)}/${category}-${hex}.${end}`;
}

function bucketName(hash: string): string {
  return `bucket/${folders(hash)}/bucket-${hash}.xdr.gz`;
}

function folders(hex: string): string {
  return `${hex.slice(0, 2)}/${hex.slice(2, 4)}/${hex.slice(4, 6)}`;
}

async function absentAsNull<T>(path: string, read: (path: string) => Promise<T>) {
  try {
    return await read(path);
  } catch (cause) {
    if (["ENOENT", "ENOTDIR"].includes(systemCodeOf(cause) ?? "")) return null;
    throw new SvcError("FILE_UNREADABLE", {
      message: `Cannot read ${path}: ${whyUnreadable(cause)}.`,
      httpMessage: `A file of the history archive cannot be read: ${whyUnreadable(cause)}.`,
      remedy: phrase`Set a directory that you can read, or a URL, with ${flag("historyArchive")}.`,
      cause,
      details: { file: path },
    });
  }
}

function parsed(bytes: Uint8Array, name: string): unknown {
  if (bytes.length > MAXIMUM_JSON_BYTES) throw archiveDamaged(name, `it has ${bytes.length} bytes`);
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch (cause) {
    throw archiveDamaged(name, "it is not JSON", cause);
  }
}

/** Decompresses a gzip file. Throws ARCHIVE_DAMAGED. */
export function unpacked(
  bytes: Uint8Array,
  name: string,
  maxOutputLength = MAXIMUM_FILE_BYTES,
): Uint8Array {
  try {
    return gunzipSync(bytes, { maxOutputLength });
  } catch (cause) {
    throw archiveDamaged(name, "it is not a complete gzip file", cause);
  }
}

async function* unpackedPieces(
  packed: AsyncIterable<Uint8Array>,
  name: string,
): AsyncGenerator<Uint8Array> {
  // An absent file has no pieces. To gunzip it would be an incomplete file.
  let isThere = false;
  const stored = async function* () {
    for await (const piece of packed) {
      isThere = true;
      yield piece;
    }
  };
  const source = Readable.from(stored(), { objectMode: false });
  const gunzip = createGunzip({ chunkSize: UNPACKED_BYTES });
  let failure: unknown = null;
  source.on("error", (error) => {
    failure = error;
    gunzip.destroy(error);
  });
  try {
    for await (const piece of source.pipe(gunzip)) yield piece as Uint8Array;
  } catch (cause) {
    // A signal ended the reading, and its reason is thrown.
    if (failure instanceof SvcError || failure instanceof DOMException) throw failure;
    if (isThere) throw archiveDamaged(name, "it is not a complete gzip file", cause);
  } finally {
    source.destroy();
  }
  if (!isThere) throw lacking(name);
}

/** Splits XDR records (RFC 5531, 11). stellar-core writes each of them in one fragment. */
export function framesOf(bytes: Uint8Array, name: string): Uint8Array[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const frames: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; ) {
    if (frames.length === MAXIMUM_RECORDS)
      throw archiveDamaged(name, `more than ${MAXIMUM_RECORDS} records`);
    const mark = at + 4 <= bytes.length ? view.getUint32(at) : 0;
    const end = at + 4 + (mark & LENGTH_BITS);
    if (mark <= LENGTH_BITS || end > bytes.length)
      throw archiveDamaged(name, `record at byte ${at}`);
    frames.push(bytes.subarray(at + 4, end));
    at = end;
  }
  return frames;
}
