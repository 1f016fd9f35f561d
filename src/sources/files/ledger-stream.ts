// Splits a stream of bytes into LedgerCloseMetas. svc recognizes three layouts by their first
// bytes: framed (stellar-core's meta stream: XDR record marks, RFC 5531 §11), a SEP-54
// LedgerCloseMetaBatch (first sequence, last sequence, ledgers), and one bare LedgerCloseMeta.
// Invariant: memory holds at most one ledger and one read of the source, however long the stream
// is.

import { SvcError } from "../../base/errors/errors.ts";
import { messageOf } from "../../base/errors/system-code.ts";
import { phrase, svc } from "../../base/phrase.ts";
import { isProtocolUnknown, namedLedger } from "../../model/protocols.ts";
import { endOfLedgerCloseMeta, ledgerSequenceOf } from "../../xdr/ledger/ledger-close-meta.ts";
import { ByteReader } from "./byte-reader.ts";

export interface LedgerBytes {
  readonly sequence: number;
  /** LedgerCloseMeta. */
  readonly ledgerCloseMeta: Uint8Array;
}

export interface LedgerStreamOptions {
  /**
   * The largest ledger in bytes (default: 256 MiB, which is more than the network's limits allow).
   */
  readonly maximumLedgerBytes?: number;
}

/** A stream that is being read. `name` is for errors. */
interface Stream {
  readonly reader: ByteReader;
  readonly name: string;
  readonly maximumLedgerBytes: number;
}

const LAST_FRAGMENT = 0x80000000;
const HEADER_SIZE = 12;

/**
 * The ledgers in the order of the stream. `name` is for errors. Throws FILE_INVALID if the bytes
 * are not ledgers, end early, or continue after the end.
 */
export async function* readLedgerStream(
  chunks: AsyncIterable<Uint8Array>,
  name: string,
  { maximumLedgerBytes = 256 * 1024 * 1024 }: LedgerStreamOptions = {},
): AsyncGenerator<LedgerBytes> {
  const reader = new ByteReader(chunks);
  const stream = { reader, name, maximumLedgerBytes };
  try {
    await reader.fill(HEADER_SIZE);
    switch (layoutOf(reader.peek(), name)) {
      case "framed":
        yield* readFrames(stream);
        break;
      case "batch":
        yield* readBatch(stream);
        break;
      case "bare":
        yield await readBare(stream);
        await expectEnd(stream);
        break;
    }
  } finally {
    await reader.close();
  }
}

type Layout = "framed" | "batch" | "bare";

function layoutOf(head: Uint8Array, name: string): Layout {
  if (head.length < HEADER_SIZE) {
    throw notLedgers(name, head.length === 0 ? "the file is empty" : "the file is too short");
  }
  const words = new DataView(head.buffer, head.byteOffset, head.length);
  const first = words.getUint32(0);
  const second = words.getUint32(4);
  if (first >= LAST_FRAGMENT) return "framed";
  // A LedgerCloseMeta begins with its version. From version 1 an extension (0 or 1) follows, where
  // a batch that begins with ledger 1 or 2 has its last sequence.
  if (first === 0 || (first <= 2 && second <= 1)) return "bare";
  if (second >= first) return "batch";
  throw notLedgers(name, "the file is neither framed LedgerCloseMeta nor a LedgerCloseMetaBatch");
}

async function* readFrames(stream: Stream): AsyncGenerator<LedgerBytes> {
  const { reader, name } = stream;
  while (reader.available > 0 || (await reader.fill(1))) {
    const at = reader.position;
    if (!(await reader.fill(4))) throw truncated(name, at);
    const mark = wordAt(reader.peek(), 0);
    // stellar-core writes each ledger as one record of one fragment.
    if (mark < LAST_FRAGMENT) throw notLedgers(name, `no record mark at byte ${at}`);
    const length = mark - LAST_FRAGMENT;
    if (length > stream.maximumLedgerBytes) throw tooLarge(stream, at, length);
    reader.skip(4);
    if (!(await reader.fill(length))) throw truncated(name, at);
    yield toLedger(reader.take(length), name, at);
  }
}

async function* readBatch(stream: Stream): AsyncGenerator<LedgerBytes> {
  const { reader, name } = stream;
  const head = reader.peek();
  const first = wordAt(head, 0);
  const last = wordAt(head, 4);
  const count = wordAt(head, 8);
  if (count !== last - first + 1) {
    throw notLedgers(name, `its header has ledgers ${first} to ${last}, but a count of ${count}`);
  }
  reader.skip(HEADER_SIZE);
  for (let sequence = first; sequence <= last; sequence += 1) {
    const ledger = await readBare(stream).catch((error) => {
      throw namedLedger(error, sequence);
    });
    if (ledger.sequence !== sequence) {
      throw notLedgers(name, `ledger ${ledger.sequence} is in the place of ledger ${sequence}`);
    }
    yield ledger;
  }
  await expectEnd(stream);
}

/** Reads a LedgerCloseMeta of unknown length: it tries the buffered bytes, then twice as many. */
async function readBare(stream: Stream): Promise<LedgerBytes> {
  const { reader, name } = stream;
  const at = reader.position;
  for (let neededBytes = 1 << 16; ; neededBytes = Math.max(neededBytes, reader.available) * 2) {
    const complete = !(await reader.fill(neededBytes));
    const length = endOfLedger(reader.peek(), complete, name, at);
    const atLeast = length ?? neededBytes;
    if (atLeast > stream.maximumLedgerBytes) throw tooLarge(stream, at, atLeast);
    if (length !== null) return toLedger(reader.take(length), name, at);
  }
}

/** Null if the ledger continues after the buffered bytes and the stream has not ended. */
function endOfLedger(
  bytes: Uint8Array,
  complete: boolean,
  name: string,
  at: number,
): number | null {
  try {
    return endOfLedgerCloseMeta(bytes);
  } catch (cause) {
    if (!(cause instanceof SvcError && cause.details.incomplete === true)) {
      throw invalidLedger(name, at, cause);
    }
    if (complete) throw truncated(name, at);
    return null;
  }
}

function toLedger(ledgerCloseMeta: Uint8Array, name: string, at: number): LedgerBytes {
  try {
    return { sequence: ledgerSequenceOf(ledgerCloseMeta), ledgerCloseMeta };
  } catch (cause) {
    throw invalidLedger(name, at, cause);
  }
}

async function expectEnd({ reader, name }: Stream): Promise<void> {
  if (!(await reader.fill(1))) return;
  throw notLedgers(name, `bytes follow the last ledger at byte ${reader.position}`);
}

function wordAt(bytes: Uint8Array, at: number): number {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length).getUint32(at);
}

function notLedgers(name: string, why: string): SvcError {
  return new SvcError("FILE_INVALID", {
    message: `${name} has no ledgers that svc can read: ${why}.`,
    remedy:
      "Pass framed LedgerCloseMeta or a SEP-54 LedgerCloseMetaBatch, plain or compressed with zstd or gzip.",
    details: { file: name },
  });
}

/** A ledger of a later protocol than svc knows is not damage of the file. */
function invalidLedger(name: string, at: number, cause: unknown): SvcError {
  if (isProtocolUnknown(cause)) return cause;
  return new SvcError("FILE_INVALID", {
    message: `The ledger at byte ${at} of ${name} cannot be decoded: ${messageOf(cause)}`,
    remedy: phrase`Check that the file is complete. ${svc("version")} prints the latest protocol that svc reads.`,
    cause,
    details: { file: name, offset: at },
  });
}

function truncated(name: string, at: number): SvcError {
  return new SvcError("FILE_INVALID", {
    message: `${name} ends inside the ledger that begins at byte ${at}.`,
    remedy: "Copy the file again: it is incomplete.",
    details: { file: name, offset: at },
  });
}

function tooLarge({ name, maximumLedgerBytes }: Stream, at: number, length: number): SvcError {
  return new SvcError("FILE_INVALID", {
    message: `The ledger at byte ${at} of ${name} would be ${length} bytes long; the limit is ${maximumLedgerBytes}.`,
    remedy: "Check that the file has ledgers and is not damaged.",
    details: { file: name, offset: at, length },
  });
}
