// Buckets on this machine, each by its hash, for all ledgers and networks. One pass over a bucket
// proves its hash and writes it in blocks of some 256 KiB, compressed, with the first key of each:
// buckets are sorted, so that these fences find the one block that can have a key. A file appears
// when it is complete, and is never changed. It is not hashed again: who can write to the directory
// is trusted, and checksums find what broke by itself.
//
// A file: the blocks; the bucket's hash and the fences as JSON, compressed; the length of that and
// a mark.

import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { constants, zstdCompressSync } from "node:zlib";
import { SvcError } from "../base/errors/errors.ts";
import { systemCodeOf } from "../base/errors/system-code.ts";
import { unwritable } from "../base/files/write-file.ts";
import { XdrCursor } from "../xdr/reader/cursor.ts";
import { keyBytesOfEntry } from "../xdr/reader/keys.ts";
import { shapeOf, xdrSource } from "../xdr/reader/shape.ts";
import { copyDamaged, damaged } from "./errors.ts";
import { compareKeys } from "./key-order.ts";

/** A bucket's word on a key. */
export type BucketWord =
  | { readonly kind: "entry"; readonly entry: Uint8Array }
  /** Deleted; in a bucket of the hot archive, restored. */
  | { readonly kind: "gone" };

export type BucketList = "live" | "hot";

export interface BucketStore {
  has(hash: string): boolean;
  /** Throws OUTPUT_UNWRITABLE, and ARCHIVE_DAMAGED for other bytes, and keeps nothing then. */
  add(hash: string, bytes: AsyncIterable<Uint8Array>): Promise<void>;
  /**
   * Null: the bucket does not mention the key. Throws ARCHIVE_COPY_DAMAGED where the file is
   * broken, and removes it.
   */
  find(hash: string, list: BucketList, key: Uint8Array): Promise<BucketWord | null>;
}

interface Fence {
  readonly first: Uint8Array;
  readonly at: number;
  readonly size: number;
}

interface Index {
  readonly hash: string;
  readonly fences: readonly (Omit<Fence, "first"> & { readonly first: string })[];
}

const BLOCK_BYTES = 256 * 1024;
/** No ledger entry comes near: the network limits entries and code. */
const MAXIMUM_FRAME_BYTES = 16 * 1024 * 1024;
const MARK = 0x73766362;
const CHECKED = {
  params: { [constants.ZSTD_c_compressionLevel]: 3, [constants.ZSTD_c_checksumFlag]: 1 },
};
const END_BYTES = 8;
const META = -1;
const ENTRY_SHAPES = { live: shapeOf("BucketEntry"), hot: shapeOf("HotArchiveBucketEntry") };
/** BucketEntryType: LIVEENTRY and INITENTRY; HotArchiveBucketEntryType: ARCHIVED. */
const ENTRIES = { live: [0, 2], hot: [0] };

export function openBucketStore(directory: string): BucketStore {
  const fences = new Map<string, Promise<readonly Fence[]>>();
  const path = (hash: string) => join(directory, `${hash}.bucket`);
  /** The one block that can have the key; null: none can. */
  async function blockFor(hash: string, key: Uint8Array): Promise<Uint8Array | null> {
    const known = fences.get(hash) ?? readFences(path(hash), hash);
    fences.set(hash, known);
    const fence = lastNotAfter(await known, key);
    if (fence === null) return null;
    const packed = Bun.file(path(hash)).slice(fence.at, fence.at + fence.size);
    return Bun.zstdDecompressSync(await packed.bytes());
  }
  return {
    has: (hash) => existsSync(path(hash)),
    async add(hash, bytes) {
      // One of its own for each writer, also in other containers.
      const unfinished = `${path(hash)}.${crypto.randomUUID()}.part`;
      try {
        mkdirSync(directory, { recursive: true });
        await writeBucket(unfinished, hash, bytes);
        renameSync(unfinished, path(hash));
      } catch (error) {
        if (error instanceof SvcError && error.code.startsWith("XDR_"))
          throw damaged(`bucket ${hash}`, "it has what is no entry", error);
        throw error instanceof SvcError || systemCodeOf(error) === null
          ? error
          : unwritable(path(hash), error);
      } finally {
        if (existsSync(unfinished)) rmSync(unfinished);
      }
    },
    async find(hash, list, key) {
      const block = await blockFor(hash, key).catch((cause) => {
        fences.delete(hash);
        // What the system cannot do now is no damage.
        if (/^E(?!RR_)/.test(systemCodeOf(cause) ?? "")) throw cause;
        rmSync(path(hash), { force: true });
        throw copyDamaged(path(hash), cause);
      });
      return block && findInBlock(block, list, key);
    },
  };
}

async function writeBucket(
  path: string,
  hash: string,
  pieces: AsyncIterable<Uint8Array>,
): Promise<void> {
  const hasher = new Bun.CryptoHasher("sha256");
  const fences: Index["fences"][number][] = [];
  const file = openSync(path, "wx", 0o644);
  let [at, first, block, blockBytes] = [0, null as Uint8Array | null, [] as Uint8Array[], 0];
  const writeBlock = () => {
    if (first === null) {
      // Only what describes the bucket, however long that is.
      [block, blockBytes] = [[], 0];
      return;
    }
    const packed = zstdCompressSync(Buffer.concat(block), CHECKED);
    writeAll(file, packed);
    fences.push({ first: first.toBase64(), at, size: packed.length });
    [at, first, block, blockBytes] = [at + packed.length, null, [], 0];
  };
  try {
    let rest: Uint8Array = new Uint8Array();
    for await (const piece of pieces) {
      hasher.update(piece);
      const bytes = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
      let begin = 0;
      for (let from = 0; ; ) {
        const length = from + 4 <= bytes.length ? view.getUint32(from) & 0x7fffffff : 0;
        if (length > MAXIMUM_FRAME_BYTES)
          throw damaged(`bucket ${hash}`, `a record of ${length} bytes`);
        if (from + 4 + length > bytes.length || from + 4 > bytes.length) {
          block.push(bytes.slice(begin, from));
          rest = bytes.slice(from);
          break;
        }
        if (length < 4) throw damaged(`bucket ${hash}`, `a record of ${length} bytes`);
        const type = view.getInt32(from + 4);
        if (type !== META) first ??= keyIn(bytes.subarray(from + 4, from + 4 + length)).slice();
        // What stands before the first key of a bucket describes it.
        else begin = from + 4 + length;
        from += 4 + length;
        blockBytes += 4 + length;
        if (blockBytes < BLOCK_BYTES) continue;
        block.push(bytes.subarray(begin, from));
        begin = from;
        writeBlock();
      }
    }
    writeBlock();
    const found = hasher.digest("hex");
    if (rest.length > 0) throw damaged(`bucket ${hash}`, "its last record is cut off");
    if (found !== hash) throw damaged(`bucket ${hash}`, `its hash is ${found}`);
    const packed = zstdCompressSync(Buffer.from(JSON.stringify({ hash, fences })), CHECKED);
    const end = Buffer.alloc(END_BYTES);
    end.writeUInt32BE(packed.length, 0);
    end.writeUInt32BE(MARK, 4);
    writeAll(file, Buffer.concat([packed, end]));
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** A disk that is nearly full takes a part. */
function writeAll(file: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
}

/** The key of a record that is not the bucket's description; both lists begin with the type. */
function keyIn(record: Uint8Array): Uint8Array {
  const type = new DataView(record.buffer, record.byteOffset).getInt32(0);
  return type === 1 ? record.subarray(4) : keyBytesOfEntry(record.subarray(4));
}

/** Throws anything where the file is not what `writeBucket` wrote for the hash. */
async function readFences(path: string, hash: string): Promise<readonly Fence[]> {
  const file = Bun.file(path);
  const end = Buffer.from(await file.slice(file.size - END_BYTES).bytes());
  if (end.readUInt32BE(4) !== MARK) throw new Error("no mark");
  const to = file.size - END_BYTES;
  const packed = await file.slice(to - end.readUInt32BE(0), to).bytes();
  const index = JSON.parse(new TextDecoder().decode(Bun.zstdDecompressSync(packed))) as Index;
  if (index.hash !== hash) throw new Error("another bucket");
  return index.fences.map(({ first, ...where }) => ({
    first: Uint8Array.fromBase64(first),
    ...where,
  }));
}

function lastNotAfter(fences: readonly Fence[], key: Uint8Array): Fence | null {
  let [from, to] = [0, fences.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    const fence = fences[middle];
    if (fence !== undefined && compareKeys(fence.first, key) <= 0) from = middle + 1;
    else to = middle;
  }
  return fences[from - 1] ?? null;
}

function findInBlock(block: Uint8Array, list: BucketList, key: Uint8Array): BucketWord | null {
  const cursor = new XdrCursor(xdrSource(block));
  while (cursor.at < block.length) {
    cursor.uint32();
    const start = cursor.at;
    const type = cursor.int32();
    cursor.at = start;
    const record = cursor.take(ENTRY_SHAPES[list]);
    if (type === META) continue;
    const found = keyIn(record);
    if (Buffer.compare(found, key) !== 0) continue;
    if (!ENTRIES[list].includes(type)) return { kind: "gone" };
    return { kind: "entry", entry: record.slice(4) };
  }
  return null;
}
