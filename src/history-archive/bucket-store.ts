// Buckets on this machine, each under its hash, for all ledgers and networks. One pass over a
// bucket proves its hash and writes it in compressed blocks of some 256 KiB, with the first key of
// each (bucket-file.ts). A file appears when it is complete, and never changes. It is not hashed
// again: anybody who can write to the directory is trusted, and checksums find accidental damage.
//
// The name of a file is the bucket's hash and the format: svc ignores files of another version in
// another format. `HASH.1.soroban.bucket` has only the entries of contracts,
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
import { join } from "node:path";
import { SvcError } from "../base/errors/errors.ts";
import { systemCodeOf } from "../base/errors/system-code.ts";
import { unwritable } from "../base/files/write-file.ts";
import { RecentlyUsed } from "../base/recently-used.ts";
import { ENTRY_TYPE, typeOfKeyBytes } from "../xdr/reader/keys.ts";
import {
  type BucketList,
  type BucketWord,
  findInBlock,
  HASH_CHARACTERS,
  lastNotAfter,
  MAXIMUM_BUCKET_BYTES,
  type OpenedFences,
  readFences,
  readPart,
  writeBucket,
} from "./bucket-file.ts";
import { archiveDamaged, copyDamaged } from "./errors.ts";

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

/** The number rises with each change of the content or the form of a file. */
const FORMAT = 1;
const BLOCK_BYTES = 256 * 1024;
/** Two states have 96 buckets, and an entry and its TTL are in two blocks of each. */
const KEPT_BYTES = 48 * 1024 * 1024;
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
      const other = error instanceof SvcError && error.code === "XDR_INVALID";
      const failure = other
        ? archiveDamaged(`bucket ${hash}`, "it has a record that is not an entry", error)
        : error;
      // Parts of different files may have been mixed, so all are read again.
      if (failure instanceof SvcError && failure.code === "ARCHIVE_DAMAGED")
        sweep(directory, limitBytes, hash);
      throw failure instanceof SvcError || systemCodeOf(failure) === null
        ? failure
        : unwritable(path, failure);
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
      const status = statSync(path, { throwIfNoEntry: false });
      return status ? [{ path, name, bytes: status.size, age: now - status.mtimeMs }] : [];
    });
  const isRead = (name: string) =>
    name.startsWith(`.${FORMAT}.`, HASH_CHARACTERS) && name.endsWith(".bucket");
  const isStale = ({ name, age }: (typeof files)[number]) =>
    (name.startsWith(complete) && name.endsWith(".piece")) ||
    (!isRead(name) &&
      Object.entries(STALE_MILLISECONDS).some(([end, most]) => name.endsWith(end) && age > most));
  let bytes = files.reduce((sum, each) => sum + each.bytes, 0);
  for (const file of files.toSorted((left, right) => right.age - left.age)) {
    const isOver = bytes > limitBytes && file.age > HOUR_MILLISECONDS;
    if (!isStale(file) && !isOver) continue;
    rmSync(file.path, { force: true });
    bytes -= file.bytes;
  }
}
