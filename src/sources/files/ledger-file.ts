// Ledger files as a source: ledgers from a local disk, plain or compressed with zstd or gzip. svc
// recognizes the compression by the first bytes, never by the name.

import { concatBytes, indexOfBytes } from "../../base/bytes.ts";
import { decompress } from "../../base/decompress.ts";
import { SvcError } from "../../base/errors/errors.ts";
import { messageOf, systemCodeOf } from "../../base/errors/system-code.ts";
import { fileBytes } from "../../base/files/read-file.ts";
import { readLedgerCloseMeta, transactionInLedger } from "../../xdr/ledger/ledger-close-meta.ts";
import type { FetchContext, Source, TransactionAnswer } from "../source.ts";
import { type LedgerBytes, readLedgerStream } from "./ledger-stream.ts";

/** The ledgers of one file, in its order. Throws FILE_UNREADABLE or FILE_INVALID. */
export async function* readLedgerFile(
  path: string,
  context: FetchContext,
): AsyncGenerator<LedgerBytes> {
  for await (const ledger of readLedgerStream(readBytes(path, context.signal), path)) {
    context.signal.throwIfAborted();
    yield ledger;
  }
}

/**
 * Opens the files as a source. The ledgers of a file are in order, though some may be repeated. For
 * ranges, the files must be in ledger order too. Ledgers after the requested ones are not read.
 */
export function openLedgerFiles(paths: readonly string[], networkPassphrase: string): Source {
  const extents = new FileExtents();
  const find = async (sequence: number, context: FetchContext): Promise<Uint8Array | null> => {
    for (const path of await extents.mayHold(paths, sequence, context)) {
      for await (const ledger of extents.read(path, context)) {
        if (ledger.sequence === sequence) return ledger.ledgerCloseMeta;
        if (ledger.sequence > sequence) break;
      }
    }
    return null;
  };
  return {
    name: paths.length === 1 ? `file ${paths[0]}` : `${paths.length} ledger files`,
    local: true,
    fetchTransaction: (hash, context) =>
      scanForTransaction(paths, networkPassphrase, hash, context),
    fetchLedgerCloseMeta: find,
    async *fetchLedgerCloseMetas(first, last, context): AsyncGenerator<LedgerBytes> {
      for await (const ledger of readAll(await extents.from(paths, first, context), context)) {
        const { sequence } = ledger;
        if (sequence >= first && sequence <= last) yield ledger;
        if (sequence >= last) return;
      }
    },
  };
}

/** Remembers where the ledgers of files begin and end, so that few files are read. */
class FileExtents {
  /** The first ledger of each file; null if only reading the whole file can show it. */
  private readonly firsts = new Map<string, number | null>();
  /** The last ledger of each file that was read to its end. */
  private readonly lasts = new Map<string, number>();

  /** The files that may contain the ledger, the most likely one first. */
  async mayHold(
    paths: readonly string[],
    sequence: number,
    context: FetchContext,
  ): Promise<string[]> {
    const firsts = await this.firstsOf(paths, context);
    return paths
      .filter((path) => (this.lasts.get(path) ?? Number.POSITIVE_INFINITY) >= sequence)
      .map((path) => ({ path, first: firsts.get(path) ?? null }))
      .filter(({ first }) => first === null || first <= sequence)
      .toSorted((left, right) => (right.first ?? 0) - (left.first ?? 0))
      .map(({ path }) => path);
  }

  /** The files without those before the ledger, if all are in order. */
  async from(
    paths: readonly string[],
    sequence: number,
    context: FetchContext,
  ): Promise<readonly string[]> {
    const known = await this.firstsOf(paths, context);
    const firsts = paths.map((path) => known.get(path) ?? null);
    const numbers = firsts.filter((first) => first !== null);
    if (numbers.some((first, at) => at > 0 && first < (numbers[at - 1] ?? 0))) return paths;
    const last = firsts.findLastIndex((first) => first !== null && first <= sequence);
    // An unread file before it may contain the ledger.
    const unknown = firsts.indexOf(null);
    const begin = unknown === -1 ? last : Math.min(last, unknown);
    return paths.slice(Math.max(0, begin));
  }

  /** All ledgers of a file. */
  async *read(path: string, context: FetchContext): AsyncGenerator<LedgerBytes> {
    let last = 0;
    for await (const ledger of readLedgerFile(path, context)) {
      last = Math.max(last, ledger.sequence);
      yield ledger;
    }
    this.lasts.set(path, last);
  }

  private async firstsOf(paths: readonly string[], context: FetchContext) {
    for (const path of paths)
      if (!this.firsts.has(path)) this.firsts.set(path, await firstLedgerOf(path, context));
    return this.firsts;
  }
}

/**
 * The first ledger of a file. Null if its bytes can be read only once, or if the file does not
 * begin with a ledger; the next reader reports why.
 */
async function firstLedgerOf(path: string, context: FetchContext): Promise<number | null> {
  try {
    if (!(await Bun.file(path).stat()).isFile()) return null;
    for await (const { sequence } of readLedgerFile(path, context)) return sequence;
    return null;
  } catch (error) {
    context.signal.throwIfAborted();
    if (error instanceof SvcError || systemCodeOf(error) !== null) return null;
    throw error;
  }
}

async function* readAll(
  paths: readonly string[],
  context: FetchContext,
): AsyncGenerator<LedgerBytes> {
  for (const path of paths) yield* readLedgerFile(path, context);
}

/** A ledger with the transaction contains its hash, so most ledgers need not be parsed. */
async function scanForTransaction(
  paths: readonly string[],
  networkPassphrase: string,
  hash: string,
  context: FetchContext,
): Promise<TransactionAnswer | null> {
  const needle = Uint8Array.fromHex(hash);
  for await (const { ledgerCloseMeta } of readAll(paths, context)) {
    if (indexOfBytes(ledgerCloseMeta, needle) === -1) continue;
    const transaction = transactionInLedger(
      readLedgerCloseMeta(ledgerCloseMeta, networkPassphrase),
      hash,
    );
    if (transaction !== null) return transaction;
  }
  return null;
}

type Packing = "none" | "gzip" | "zstd";

function packingOf(head: Uint8Array): Packing {
  const [first = 0, second = 0, third = 0, fourth = 0] = head;
  if (first === 0x1f && second === 0x8b) return "gzip";
  const word = ((fourth << 24) | (third << 16) | (second << 8) | first) >>> 0;
  // The bytes of a zstd frame, or of a skippable frame before one (RFC 8878, 3.1).
  return word === 0xfd2fb528 || word >>> 4 === 0x184d2a5 ? "zstd" : "none";
}

async function* readBytes(path: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  let packing: Packing = "none";
  try {
    const { head, stream } = await begun(path, signal);
    packing = packingOf(head);
    yield* packing === "none" ? stream : decompress(stream, packing);
  } catch (cause) {
    if (cause === signal.reason) throw cause;
    throw packing === "none" ? unreadable(path, cause) : unpackable(path, packing, cause);
  }
}

interface Begun {
  /** The first bytes of the stream. */
  readonly head: Uint8Array;
  readonly stream: ReadableStream<Uint8Array<ArrayBuffer>>;
}

const HEAD_BYTES = 4;

/** A file that is not regular can be read only once. */
async function begun(path: string, signal: AbortSignal): Promise<Begun> {
  const file = Bun.file(path);
  if ((await file.stat()).isFile())
    return { head: await file.slice(0, HEAD_BYTES).bytes(), stream: file.stream() };
  const bytes = fileBytes(path, signal);
  const pieces: Uint8Array[] = [];
  while (concatBytes(pieces).length < HEAD_BYTES) {
    const { done, value } = await bytes.next();
    if (done) break;
    pieces.push(value);
  }
  async function* whole() {
    yield* pieces;
    yield* bytes;
  }
  const { body } = new Response(whole());
  if (body === null) throw new Error("a response with bytes has a body");
  return { head: concatBytes(pieces), stream: body };
}

function unreadable(path: string, cause: unknown): SvcError {
  return new SvcError("FILE_UNREADABLE", {
    message: `${path} cannot be read (${systemCodeOf(cause) ?? messageOf(cause)}).`,
    remedy: "Check the path and its permissions.",
    cause,
    details: { file: path },
  });
}

function unpackable(path: string, packing: Packing, cause: unknown): SvcError {
  return new SvcError("FILE_INVALID", {
    message: `${path} cannot be decompressed as ${packing}: ${messageOf(cause)}.`,
    remedy: "Copy the file again: it is damaged or incomplete.",
    cause,
    details: { file: path, packing },
  });
}
