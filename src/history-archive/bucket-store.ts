// Buckets on this machine, each under its hash, for all ledgers and networks. One pass over a
// bucket proves its hash and writes it in compressed blocks of some 256 KiB, with the first key of
// each. Buckets are sorted, so these fences find the one block that can have a key. A file appears
// when it is complete, and never changes. It is not hashed again: anybody who can write to the
// directory is trusted, and checksums find accidental damage.
//
// A file has the blocks, then the bucket's hash and the fences as compressed JSON, then their
// checksum and length and a mark. Its name is the bucket's hash and the format: svc ignores files
// of another version in another format. `HASH.1.soroban.bucket` has only the entries of contracts,
// which are the end of a bucket. A `.part` is a file that a process is writing, and a `.piece` is a
// part of a download that ended too early. If all files together exceed the limit, svc removes
// those that were used longest ago, but none that were used lately.

import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { SvcError } from "../base/errors/errors.ts";
import { systemCodeOf } from "../base/errors/system-code.ts";
import { unwritable } from "../base/files/write-file.ts";
import { RecentlyUsed } from "../base/recently-used.ts";
import { XdrCursor } from "../xdr/reader/cursor.ts";
import { ENTRY_TYPE, keyBytesOfEntry, typeOfKeyBytes } from "../xdr/reader/keys.ts";
import { shapeOf, xdrSource } from "../xdr/reader/shape.ts";
import { uint32At } from "../xdr/reader/words.ts";
import { archiveDamaged, copyDamaged } from "./errors.ts";
import { compareKeys } from "./key-order.ts";

/** The record of a bucket about a key. */
export type BucketWord =
  | { readonly kind: "entry"; readonly entry: Uint8Array }
  /** The entry was deleted, or, in a bucket of the hot archive, restored. */
  | { readonly kind: "gone" };

export type BucketList = "live" | "hot";

export interface BucketStore {
  /** True if the bucket is kept, at least the part that would have the key. */
  has(hash: string, key: Uint8Array): boolean;
  /**
   * Throws OUTPUT_UNWRITABLE, and ARCHIVE_DAMAGED for other bytes. It keeps nothing in these cases.
   */
  add(hash: string, bytes: AsyncIterable<Uint8Array>): Promise<void>;
  /**
   * Returns null if the bucket does not mention the key. Throws ARCHIVE_COPY_DAMAGED if the file is
   * damaged, and removes it.
   */
  find(hash: string, list: BucketList, key: Uint8Array): Promise<BucketWord | null>;
  readonly pieces: PieceStore;
  /** True if only entries of contracts, their TTLs and network settings are kept. */
  readonly sorobanOnly: boolean;
}

/** Parts of downloads, until the whole file has arrived. */
export interface PieceStore {
  /** Returns null if the part is not kept. `name` begins with the bucket's hash. */
  read(name: string): Uint8Array | null;
  /** Keeps nothing if the disk is full. */
  write(name: string, bytes: Uint8Array): void;
}

export interface BucketStoreOptions {
  readonly limitBytes?: number;
  readonly sorobanOnly?: boolean;
  /** The size of a block before compression. */
  readonly blockBytes?: number;
  /** An unpacked bucket larger than this is refused before its hash is known. */
  readonly mostBytes?: number;
}

/** The blocks of a file, in their order. */
interface Fences {
  readonly hash: string;
  /** The first key of each block, base64. */
  readonly firsts: readonly string[];
  readonly sizes: readonly number[];
  /** The checksum of each block as it is stored, 16 hex digits. */
  readonly sums: string;
}

/** The number rises with each change of the content or the form of a file. */
const FORMAT = 1;
const BLOCK_BYTES = 256 * 1024;
/** stellar-core refuses larger buckets (HistoryArchive.h). */
const MAXIMUM_BUCKET_BYTES = 100 * 1024 ** 3;
/** The network limits entries and code, so no ledger entry comes near this size. */
const MAXIMUM_FRAME_BYTES = 16 * 1024 * 1024;
/** The bit above the length marks the last fragment of a record. */
const LENGTH_BITS = 0x7fffffff;
/** The description of a bucket is the shortest record. */
const SHORTEST_FRAME_BYTES = 12;
const MARK = 0x73766364;
/** Two states have 96 buckets, and an entry and its TTL are in two blocks of each. */
const KEPT_BYTES = 48 * 1024 * 1024;
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

const HASH_CHARACTERS = 64;
const TOUCH_MILLISECONDS = 10 * 1000;
const HOUR_MILLISECONDS = 60 * 60 * 1000;
const DAY_MILLISECONDS = 24 * HOUR_MILLISECONDS;
const WEEK_MILLISECONDS = 7 * DAY_MILLISECONDS;
/** After this time no process writes such a file, resumes it, or reads it in another format. */
const STALE_MILLISECONDS = {
  ".part": DAY_MILLISECONDS,
  ".piece": WEEK_MILLISECONDS,
  ".bucket": WEEK_MILLISECONDS,
};
const SOROBAN_TYPES = ENTRY_TYPE.contractData;

export function openBucketStore(
  directory: string,
  {
    limitBytes = Number.POSITIVE_INFINITY,
    sorobanOnly = false,
    blockBytes = BLOCK_BYTES,
    mostBytes = MAXIMUM_BUCKET_BYTES,
  }: BucketStoreOptions = {},
): BucketStore {
  const blockFor = openBlocks();
  const whole = (hash: string) => join(directory, `${hash}.${FORMAT}.bucket`);
  const tail = (hash: string) => join(directory, `${hash}.${FORMAT}.soroban.bucket`);
  const touches = new Map<string, number>();
  /** Each key is looked for in all files, so a file is marked as used only once in a while. */
  const isThere = (path: string) => {
    const now = Date.now();
    if (now - (touches.get(path) ?? 0) < TOUCH_MILLISECONDS) return true;
    if (!touched(path)) return false;
    touches.set(path, now);
    return true;
  };
  /** Returns null if no kept file would have the key. Marks the file as used. */
  function fileFor(hash: string, key: Uint8Array): string | null {
    const paths = [whole(hash), ...(typeOfKeyBytes(key) < SOROBAN_TYPES ? [] : [tail(hash)])];
    return paths.find(isThere) ?? null;
  }
  async function write(hash: string, bytes: AsyncIterable<Uint8Array>): Promise<void> {
    const path = sorobanOnly ? tail(hash) : whole(hash);
    // Each writer has a file of its own, also in another container.
    const unfinished = `${path}.${crypto.randomUUID()}.part`;
    try {
      mkdirSync(directory, { recursive: true });
      const fromType = sorobanOnly ? SOROBAN_TYPES : 0;
      await writeBucket(unfinished, hash, bytes, { fromType, blockBytes, mostBytes });
      renameSync(unfinished, path);
      sweep(directory, limitBytes, hash);
    } catch (error) {
      const other = error instanceof SvcError && error.code.startsWith("XDR_");
      const found = other
        ? archiveDamaged(`bucket ${hash}`, "it has what is no entry", error)
        : error;
      // Parts of different files may have been mixed, so all are read again.
      if (found instanceof SvcError && found.code === "ARCHIVE_DAMAGED")
        sweep(directory, limitBytes, hash);
      throw found instanceof SvcError || systemCodeOf(found) === null
        ? found
        : unwritable(path, found);
    } finally {
      if (existsSync(unfinished)) rmSync(unfinished);
    }
  }
  const adding = new Map<string, Promise<boolean>>();
  return {
    sorobanOnly,
    has: (hash, key) => fileFor(hash, key) !== null,
    async add(hash, bytes) {
      // The first writer may have been interrupted, and the next one then reads the bucket.
      for (let first = adding.get(hash); first !== undefined; first = adding.get(hash))
        if (await first) return;
      const work = write(hash, bytes);
      const isDone = work.then(
        () => true,
        () => false,
      );
      adding.set(hash, isDone);
      await work.finally(() => adding.delete(hash));
    },
    async find(hash, list, key) {
      const path = fileFor(hash, key) ?? whole(hash);
      const block = await blockFor(path, hash, key).catch((cause) => {
        const code = systemCodeOf(cause) ?? "";
        // An error of the system does not mean that the file is damaged.
        if (/^E(?!RR_)/.test(code) && code !== "ENOENT") throw cause;
        touches.delete(path);
        rmSync(path, { force: true });
        throw copyDamaged(path, cause);
      });
      return block && findInBlock(block, list, key);
    },
    pieces: {
      read(name) {
        try {
          return readFileSync(join(directory, `${name}.piece`));
        } catch {
          return null;
        }
      },
      write(name, bytes) {
        const unfinished = join(directory, `${name}.${crypto.randomUUID()}.part`);
        try {
          mkdirSync(directory, { recursive: true });
          writeFileSync(unfinished, bytes);
          renameSync(unfinished, join(directory, `${name}.piece`));
        } catch {
          rmSync(unfinished, { force: true });
        }
      },
    },
  };
}

/** Reads the one block of a file that can have the key. Returns null if none can. */
function openBlocks() {
  const fences = new Map<string, Promise<OpenedFences>>();
  const kept = new RecentlyUsed<string, Uint8Array>({
    weight: KEPT_BYTES,
    weigh: ({ length }, { length: characters }) => length + characters,
    slack: KEPT_BYTES / 2,
  });
  async function read(path: string, hash: string, key: Uint8Array): Promise<Uint8Array | null> {
    const reading = fences.get(path) ?? readFences(path, hash);
    fences.set(path, reading);
    const { firsts, sizes, sums, ends } = await reading;
    const block = lastNotAfter(firsts, key);
    const [end, size] = [ends[block], sizes[block]];
    if (end === undefined || size === undefined) return null;
    const sum = sums.slice(16 * block, 16 * block + 16);
    const name = `${path} ${sum}`;
    const held = kept.get(name);
    if (held !== undefined) return held;
    const bytes = await readPart(path, end - size, size, sum);
    kept.set(name, bytes);
    return bytes;
  }
  const orForget = (...query: Parameters<typeof read>) =>
    read(...query).catch((cause) => {
      fences.delete(query[0]);
      throw cause;
    });
  // Another process may have removed the file, and written it again with other blocks.
  return (...query: Parameters<typeof read>) => orForget(...query).catch(() => orForget(...query));
}

/** Marks the file as used. Returns false if it does not exist. */
function touched(path: string): boolean {
  const now = new Date();
  try {
    utimesSync(path, now, now);
  } catch (error) {
    // A directory that svc cannot write to may still be readable.
    return systemCodeOf(error) !== "ENOENT" && existsSync(path);
  }
  return true;
}

/**
 * Removes files that no process will resume, the parts of `complete`, and files above the limit.
 */
function sweep(directory: string, limitBytes: number, complete: string): void {
  const now = Date.now();
  const files = readdirSync(directory)
    .filter((name) => /^[0-9a-f]{64}.*\.(bucket|part|piece)$/.test(name))
    .flatMap((name) => {
      const path = join(directory, name);
      const found = statSync(path, { throwIfNoEntry: false });
      return found ? [{ path, name, bytes: found.size, age: now - found.mtimeMs }] : [];
    });
  const isRead = (name: string) =>
    name.startsWith(`.${FORMAT}.`, HASH_CHARACTERS) && name.endsWith(".bucket");
  const isStale = ({ name, age }: (typeof files)[number]) =>
    (name.startsWith(complete) && name.endsWith(".piece")) ||
    (!isRead(name) &&
      Object.entries(STALE_MILLISECONDS).some(([end, most]) => name.endsWith(end) && age > most));
  let bytes = files.reduce((sum, each) => sum + each.bytes, 0);
  for (const file of files.toSorted((one, other) => other.age - one.age)) {
    const isOver = bytes > limitBytes && file.age > HOUR_MILLISECONDS;
    if (!isStale(file) && !isOver) continue;
    rmSync(file.path, { force: true });
    bytes -= file.bytes;
  }
}

async function writeBucket(
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
    let [rest, bytes]: [Uint8Array, number] = [new Uint8Array(), 0];
    for await (const piece of gathered(pieces, blockBytes / SMALLER)) {
      hasher.update(piece);
      bytes += piece.length;
      if (bytes > mostBytes) throw archiveDamaged(`bucket ${hash}`, `more than ${mostBytes} bytes`);
      // A record in two pieces is walked by itself, so that nothing larger is copied.
      let begin = 0;
      if (rest.length > 0) {
        const head = Uint8Array.from([...rest.subarray(0, 4), ...piece.subarray(0, 4)]);
        const length = head.length < 4 ? 0 : lengthAt(new DataView(head.buffer), 0, hash);
        begin = Math.min(4 + length - rest.length, piece.length);
        rest = Buffer.concat([rest, piece.subarray(0, begin)]);
        rest = rest.subarray(await addBlocks(rest));
        if (rest.length > 0) continue;
      }
      const left = piece.subarray(begin);
      rest = left.subarray(await addBlocks(left));
    }
    while (waiting.length > 0) await takeOne();
    await write();
    await writing;
    const found = hasher.digest("hex");
    if (rest.length > 0) throw archiveDamaged(`bucket ${hash}`, "its last record is cut off");
    if (found !== hash) throw archiveDamaged(`bucket ${hash}`, `its hash is ${found}`);
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

interface OpenedFences extends Fences {
  /** The end of each block. */
  readonly ends: readonly number[];
}

/** Throws an error of any kind unless `writeBucket` wrote the file for the hash. */
async function readFences(path: string, hash: string): Promise<OpenedFences> {
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

async function readPart(path: string, at: number, size: number, sum: string): Promise<Uint8Array> {
  const packed = await Bun.file(path)
    .slice(at, at + size)
    .bytes();
  if (sumOf(packed) !== sum) throw new Error("another sum");
  return Bun.zstdDecompressSync(packed);
}

/** Returns -1 if all of them come after the key. */
function lastNotAfter(firsts: readonly string[], key: Uint8Array): number {
  let [from, to] = [0, firsts.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    const first = Uint8Array.fromBase64(firsts[middle] ?? "");
    if (compareKeys(first, key) <= 0) from = middle + 1;
    else to = middle;
  }
  return from - 1;
}

function findInBlock(block: Uint8Array, list: BucketList, key: Uint8Array): BucketWord | null {
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
