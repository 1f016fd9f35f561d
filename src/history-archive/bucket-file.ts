// A file with a bucket. It has the bucket's blocks, compressed, then the bucket's hash and the
// fences as compressed JSON, then their checksum and length and a mark. A fence is the first key of
// a block: buckets are sorted, so the fences find the one block that can have a key.

import { type FileHandle, open } from "node:fs/promises";
import { XdrCursor } from "../xdr/reader/cursor.ts";
import { ENTRY_TYPE, keyBytesOfEntry } from "../xdr/reader/keys.ts";
import { shapeOf, xdrSource } from "../xdr/reader/shape.ts";
import { uint32At } from "../xdr/reader/words.ts";
import { archiveDamaged } from "./errors.ts";
import { compareKeys } from "./key-order.ts";

/** The record of a bucket about a key. */
export type BucketWord =
  | { readonly kind: "entry"; readonly entry: Uint8Array }
  /** The entry was deleted, or, in a bucket of the hot archive, restored. */
  | { readonly kind: "gone" };

export type BucketList = "live" | "hot";

/** The blocks of a file, in their order. */
interface Fences {
  readonly hash: string;
  /** The first key of each block, base64. */
  readonly firsts: readonly string[];
  readonly sizes: readonly number[];
  /** The checksum of each block as it is stored, 16 hex digits. */
  readonly sums: string;
}

/** stellar-core refuses larger buckets (HistoryArchive.h). */
export const MAXIMUM_BUCKET_BYTES = 100 * 1024 ** 3;
/** The network limits entries and code, so no ledger entry comes near this size. */
const MAXIMUM_FRAME_BYTES = 16 * 1024 * 1024;
/** The bit above the length marks the last fragment of a record. */
const LENGTH_BITS = 0x7fffffff;
/** The description of a bucket is the shortest record. */
const SHORTEST_FRAME_BYTES = 12;
const MARK = 0x73766364;
/** The checksum and the length of the fences, and the mark. */
const END_BYTES = 16;
const META = -1;
const META_BITS = 0xffffffff;
/** A piece smaller than this part of a block joins the block before. Joining more takes longer. */
const SMALLER = 4;
/** The number of blocks that are compressed at the same time. */
const BLOCKS_AT_ONCE = 4;
/** Blocks are written together when they have this many bytes. */
const WRITE_BYTES = 1024 * 1024;
const ENTRY_SHAPES = { live: shapeOf("BucketEntry"), hot: shapeOf("HotArchiveBucketEntry") };
/**
 * The kinds of records that are entries. BucketEntryType: LIVEENTRY and INITENTRY.
 * HotArchiveBucketEntryType: ARCHIVED.
 */
const ENTRIES = { live: [0, 2], hot: [0] };

export const HASH_CHARACTERS = 64;

export async function writeBucket(
  path: string,
  hash: string,
  pieces: AsyncIterable<Uint8Array>,
  {
    fromType,
    blockBytes,
    mostBytes,
  }: Readonly<Record<"fromType" | "blockBytes" | "mostBytes", number>>,
): Promise<void> {
  const hasher = new Bun.CryptoHasher("sha256");
  const [firsts, sizes, sums]: [string[], number[], string[]] = [[], [], []];
  const file = await open(path, "wx", 0o644);
  /**
   * Blocks that other threads compress, compressed blocks that wait to be written, and the write of
   * others.
   */
  const waiting: { readonly first: Uint8Array; packing: Promise<Uint8Array>; bytes: number }[] = [];
  let [packed, packedBytes, writing] = [[] as Uint8Array[], 0, Promise.resolve()];
  const write = async () => {
    await writing;
    writing = handled(writeAll(file, packed));
    [packed, packedBytes] = [[], 0];
  };
  const takeOne = async () => {
    const next = waiting.shift();
    if (next === undefined) return;
    const block = await next.packing;
    firsts.push(next.first.toBase64());
    sizes.push(block.length);
    sums.push(sumOf(block));
    packed.push(block);
    packedBytes += block.length;
    if (packedBytes >= WRITE_BYTES) await write();
  };
  /** Adds a block of whole records of a kind that is kept. */
  const add = async (first: Uint8Array, block: Uint8Array) => {
    const last = waiting.at(-1);
    // A record in two pieces is the end of a block. zstd frames in a row are unpacked as one.
    if (block.length < blockBytes / SMALLER && last !== undefined && last.bytes < 2 * blockBytes) {
      const end = Bun.zstdCompressSync(block, { level: 1 });
      last.packing = handled(last.packing.then((begin) => Buffer.concat([begin, end])));
      last.bytes += block.length;
      return;
    }
    const packing = handled(Bun.zstdCompress(block, { level: 1 }));
    waiting.push({ first, packing, bytes: block.length });
    if (waiting.length > BLOCKS_AT_ONCE) await takeOne();
  };
  /**
   * Adds blocks of the whole records in `bytes`. Returns the start of the first record that is cut
   * off.
   */
  const addBlocks = async (bytes: Uint8Array): Promise<number> => {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    for (let begin = 0; ; ) {
      const next = endOfRecords(view, begin, begin + 1, hash);
      if (next === begin) return begin;
      // The description of the bucket and unwanted records come before all others.
      const isKept = isWanted(view, begin + 4, fromType);
      const end = isKept ? endOfRecords(view, next, begin + blockBytes, hash) : next;
      if (isKept)
        await add(keyIn(bytes.subarray(begin + 4, next)).slice(), bytes.subarray(begin, end));
      begin = end;
    }
  };
  try {
    let [incomplete, bytes]: [Uint8Array, number] = [new Uint8Array(), 0];
    for await (const piece of gathered(pieces, blockBytes / SMALLER)) {
      hasher.update(piece);
      bytes += piece.length;
      if (bytes > mostBytes) throw archiveDamaged(`bucket ${hash}`, `more than ${mostBytes} bytes`);
      // A record in two pieces is walked by itself, so that nothing larger is copied.
      let begin = 0;
      if (incomplete.length > 0) {
        const head = Uint8Array.from([...incomplete.subarray(0, 4), ...piece.subarray(0, 4)]);
        const length = head.length < 4 ? 0 : lengthAt(new DataView(head.buffer), 0, hash);
        begin = Math.min(4 + length - incomplete.length, piece.length);
        incomplete = Buffer.concat([incomplete, piece.subarray(0, begin)]);
        incomplete = incomplete.subarray(await addBlocks(incomplete));
        if (incomplete.length > 0) continue;
      }
      const left = piece.subarray(begin);
      incomplete = left.subarray(await addBlocks(left));
    }
    while (waiting.length > 0) await takeOne();
    await write();
    await writing;
    const contentHash = hasher.digest("hex");
    if (incomplete.length > 0) throw archiveDamaged(`bucket ${hash}`, "its last record is cut off");
    if (contentHash !== hash) throw archiveDamaged(`bucket ${hash}`, `its hash is ${contentHash}`);
    const fences: Fences = { hash, firsts, sizes, sums: sums.join("") };
    const packed = Bun.zstdCompressSync(Buffer.from(JSON.stringify(fences)));
    const end = Buffer.from(sumOf(packed).padEnd(2 * END_BYTES, "0"), "hex");
    end.writeUInt32BE(packed.length, END_BYTES - 8);
    end.writeUInt32BE(MARK, END_BYTES - 4);
    // svc does not wait for the disk. If power is lost, the rest of the file has another checksum.
    await writeAll(file, [packed, end]);
  } finally {
    await writing.catch(() => {});
    await file.close();
  }
}

/** Marks a failure as handled, because it is thrown when the work is awaited later. */
function handled<T>(work: Promise<T>): Promise<T> {
  work.catch(() => {});
  return work;
}

/** Returns the length of the record at `at`. Throws ARCHIVE_DAMAGED. */
function lengthAt(view: DataView, at: number, hash: string): number {
  const length = view.getUint32(at) & LENGTH_BITS;
  if (length >= SHORTEST_FRAME_BYTES && length <= MAXIMUM_FRAME_BYTES) return length;
  throw archiveDamaged(`bucket ${hash}`, `a record of ${length} bytes`);
}

/**
 * Returns the end of the whole records from `from` up to the first that ends at `enough` or later.
 */
function endOfRecords(view: DataView, from: number, enough: number, hash: string): number {
  let end = from;
  while (end < enough && end + 4 <= view.byteLength) {
    const next = end + 4 + lengthAt(view, end, hash);
    if (next > view.byteLength) break;
    end = next;
  }
  return end;
}

/** Joins small pieces, so that blocks have their size. */
async function* gathered(
  pieces: AsyncIterable<Uint8Array>,
  leastBytes: number,
): AsyncGenerator<Uint8Array> {
  let waiting: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of pieces) {
    waiting.push(piece);
    bytes += piece.length;
    if (bytes < leastBytes) continue;
    yield waiting.length === 1 ? piece : Buffer.concat(waiting);
    [waiting, bytes] = [[], 0];
  }
  if (bytes > 0) yield Buffer.concat(waiting);
}

/** Returns a checksum against accidental damage. It does not stop an attacker. */
function sumOf(bytes: Uint8Array): string {
  return Bun.hash.xxHash64(bytes).toString(16).padStart(16, "0");
}

/** True if the record has a key of that type or of a later one. Both lists begin alike. */
function isWanted(view: DataView, at: number, fromType: number): boolean {
  const kind = view.getInt32(at);
  if (kind === META) return false;
  // A key is alone in its record. An entry begins with the ledger of its last modification.
  return view.getInt32(at + (kind === 1 ? 4 : 8)) >= fromType;
}

/** Writes all parts. A disk that is nearly full accepts only a part of them at a time. */
async function writeAll(file: FileHandle, parts: readonly Uint8Array[]): Promise<void> {
  let left = [...parts];
  while (left.length > 0) {
    let { bytesWritten } = await file.writev(left);
    left = left.flatMap((part) => {
      const written = Math.min(bytesWritten, part.length);
      bytesWritten -= written;
      return written === part.length ? [] : [part.subarray(written)];
    });
  }
}

/**
 * Returns the key of a record that is not the bucket's description. Both lists begin with the type.
 */
function keyIn(record: Uint8Array): Uint8Array {
  const type = new DataView(record.buffer, record.byteOffset).getInt32(0);
  return type === 1 ? record.subarray(4) : keyBytesOfEntry(record.subarray(4));
}

export interface OpenedFences extends Fences {
  /** The end of each block. */
  readonly ends: readonly number[];
}

/** Throws an error of any kind unless `writeBucket` wrote the file for the hash. */
export async function readFences(path: string, hash: string): Promise<OpenedFences> {
  const file = Bun.file(path);
  const end = Buffer.from(await file.slice(file.size - END_BYTES).bytes());
  if (end.readUInt32BE(END_BYTES - 4) !== MARK) throw new Error("no mark");
  const size = end.readUInt32BE(END_BYTES - 8);
  const sum = end.toHex().slice(0, 16);
  const bytes = await readPart(path, file.size - END_BYTES - size, size, sum);
  const fences = JSON.parse(new TextDecoder().decode(bytes)) as Fences;
  if (fences.hash !== hash) throw new Error("another bucket");
  const ends: number[] = [];
  for (const each of fences.sizes) ends.push((ends.at(-1) ?? 0) + each);
  return { ...fences, ends };
}

export async function readPart(
  path: string,
  at: number,
  size: number,
  sum: string,
): Promise<Uint8Array> {
  const packed = await Bun.file(path)
    .slice(at, at + size)
    .bytes();
  if (sumOf(packed) !== sum) throw new Error("another sum");
  return Bun.zstdDecompressSync(packed);
}

/** Returns -1 if all of them come after the key. */
export function lastNotAfter(firsts: readonly string[], key: Uint8Array): number {
  let [from, to] = [0, firsts.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    const first = Uint8Array.fromBase64(firsts[middle] ?? "");
    if (compareKeys(first, key) <= 0) from = middle + 1;
    else to = middle;
  }
  return from - 1;
}

export function findInBlock(
  block: Uint8Array,
  list: BucketList,
  key: Uint8Array,
): BucketWord | null {
  for (let end = 0; end < block.length; ) {
    const begin = end + 4;
    end = begin + (uint32At(block, end) & LENGTH_BITS);
    if (!mayHave(block, begin, key)) continue;
    const record = block.subarray(begin, end);
    const cursor = new XdrCursor(xdrSource(record));
    cursor.skip(ENTRY_SHAPES[list]);
    if (Buffer.compare(keyIn(record), key) !== 0) continue;
    if (!ENTRIES[list].includes(uint32At(record, 0))) return { kind: "gone" };
    return { kind: "entry", entry: record.slice(4) };
  }
  return null;
}

/**
 * Returns false if the record has another key. That shows for most records without decoding or
 * allocating anything, which matters because a block has a thousand records.
 */
function mayHave(block: Uint8Array, begin: number, key: Uint8Array): boolean {
  const kind = uint32At(block, begin);
  if (kind === META_BITS) return false;
  const type = uint32At(key, 0);
  const at = begin + (kind === 1 ? 4 : 8);
  if (uint32At(block, at) !== type) return false;
  // The extension of code has no fixed length. All other entries begin with their key.
  if (kind !== 1 && type === ENTRY_TYPE.contractCode) return true;
  const fields = at + (kind !== 1 && type === ENTRY_TYPE.contractData ? 4 : 0);
  // The comparison begins at the end, because keys of one contract begin alike.
  for (let from = key.length - 4; from > 0; from -= 4)
    if (uint32At(block, fields + from) !== uint32At(key, from)) return false;
  return true;
}
