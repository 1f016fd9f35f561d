// An excerpt has the parts of an archive's files that prove the state before a transaction, except
// the buckets, which are too large. A capsule carries it, and its reader checks it like an
// archive's files. Nothing in it is trusted. A part that is missing or altered proves nothing.

import { gzipSync } from "node:zlib";
import type { ArchiveExcerpt } from "../model/snapshot.ts";
import { decodeBytes, encodeBytes } from "../xdr/reader/value.ts";
import { type ArchiveFiles, framesOf, type HistoryArchive, unpacked } from "./archive-files.ts";
import { ledgerOfRecord } from "./archive-records.ts";
import type { ChainUses } from "./chain.ts";
import { speaksFor } from "./validators.ts";

/** A capsule has at most 64 MiB, and may be inside a page. */
const MAXIMUM_CHARACTERS = 4 * 1024 * 1024;
/**
 * The largest file has the sets of 64 ledgers. A capsule from somebody else may be a decompression
 * bomb.
 */
const MAXIMUM_PLAIN_BYTES = 64 * 1024 * 1024;

/** Wraps the files, and records them by name as they are read. */
export function noting(files: ArchiveFiles): {
  readonly files: ArchiveFiles;
  readonly noted: ReadonlyMap<string, Uint8Array>;
} {
  const noted = new Map<string, Uint8Array>();
  const read = async (name: string) => {
    const bytes = await files.read(name);
    if (bytes !== null) noted.set(name, bytes);
    return bytes;
  };
  return { files: { ...files, read }, noted };
}

/** Returns null if the excerpt would be too large. */
export function excerptOfArchive(
  noted: ReadonlyMap<string, Uint8Array>,
  { latestCheckpoint, ledgersPerCheckpoint }: HistoryArchive,
  uses: ChainUses,
): ArchiveExcerpt | null {
  // All sets between two checkpoints may be too much. The signatures need only a few of them.
  for (const sets of [uses.sets, uses.neededSets]) {
    const files: Record<string, string> = {};
    for (const [name, bytes] of noted) {
      const frames = () => framesOf(unpacked(bytes, name), name);
      if (name.startsWith("history/")) files[name] = gzipSync(bytes).toBase64();
      else if (name.startsWith("ledger/")) files[name] = packed(frames());
      else if (name.startsWith("transactions/"))
        files[name] = packed(frames().filter((frame) => sets.has(ledgerOfRecord(frame))));
      else if (name.startsWith("results/"))
        files[name] = packed(frames().filter((frame) => uses.results.has(ledgerOfRecord(frame))));
      else if (name.startsWith("scp/"))
        files[name] = packed(frames().flatMap((frame) => messagesOf(frame, uses)));
    }
    const characters = Object.values(files).reduce((sum, each) => sum + each.length, 0);
    if (characters <= MAXIMUM_CHARACTERS) return { latestCheckpoint, ledgersPerCheckpoint, files };
  }
  return null;
}

/** Returns the files of an excerpt as those of an archive. */
export function excerptFiles({ files }: ArchiveExcerpt): ArchiveFiles {
  return {
    name: "the capsule",
    local: true,
    async read(name) {
      const file = Object.hasOwn(files, name) ? files[name] : undefined;
      if (file === undefined) return null;
      const bytes = Uint8Array.fromBase64(file);
      const plain = unpacked(bytes, name, MAXIMUM_PLAIN_BYTES);
      return name.startsWith("history/") ? plain : bytes;
    },
    async *pieces() {},
    size: async () => null,
  };
}

/**
 * Keeps all messages of a ledger whose signatures were read, because each reader trusts other
 * validators.
 */
function messagesOf(frame: Uint8Array, uses: ChainUses): Uint8Array[] {
  const { v0, ...entry } = decodeBytes("ScpHistoryEntry", frame);
  const { ledgerSeq, messages: all } = v0.ledgerMessages;
  if (!uses.messages.has(ledgerSeq)) return [];
  const messages = all.filter(({ statement }) => speaksFor(statement));
  const kept = { quorumSets: [], ledgerMessages: { ledgerSeq, messages } };
  return [encodeBytes("ScpHistoryEntry", { ...entry, v0: kept })];
}

function packed(frames: readonly Uint8Array[]): string {
  const parts = frames.flatMap((frame) => {
    const head = Buffer.alloc(4);
    head.writeUInt32BE((0x80000000 | frame.length) >>> 0);
    return [head, frame];
  });
  return gzipSync(Buffer.concat(parts)).toBase64();
}
