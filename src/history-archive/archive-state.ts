// The archive state of a checkpoint (stellar-core, HistoryArchive.h) names the buckets that make
// the ledger's state. Their hashes make the `bucketListHash` of the checkpoint's header
// (BucketListBase::getHash; from protocol 23 on SHA-256 of the hashes of the live and the hot list,
// BucketManager::snapshotLedger).

import * as v from "valibot";
import { sha256 } from "../xdr/reader/hash.ts";
import { archiveDamaged } from "./errors.ts";

const LEVELS = 11;
const EMPTY = "0".repeat(64);

const hash = v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/, "Expected 64 hex digits"));
const bucketList = v.pipe(
  v.array(v.object({ curr: hash, snap: hash })),
  v.length(LEVELS, `Expected ${LEVELS} levels`),
);
const archiveState = v.variant("version", [
  v.object({ version: v.literal(1), ...common(), hotArchiveBuckets: v.optional(v.undefined()) }),
  v.object({ version: v.literal(2), ...common(), hotArchiveBuckets: bucketList }),
]);

export interface ArchiveState {
  readonly ledger: number;
  /** Null for states before stellar-core 19, which do not name it. */
  readonly networkPassphrase: string | null;
  /** The hashes of the buckets that are not empty, newest first. */
  readonly live: readonly string[];
  /** Null before protocol 23. */
  readonly hot: readonly string[] | null;
  /** The hash (hex) that the header of the ledger must have. */
  readonly bucketListHash: string;
}

function common() {
  return {
    currentLedger: v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(0xffffffff)),
    networkPassphrase: v.optional(v.string()),
    currentBuckets: bucketList,
  };
}

/** `name` is for errors. Throws ARCHIVE_DAMAGED. */
export function readArchiveState(json: unknown, name: string): ArchiveState {
  const parsed = v.safeParse(archiveState, json);
  if (!parsed.success) throw archiveDamaged(name, parsed.issues[0].message);
  const { currentLedger, networkPassphrase, currentBuckets, hotArchiveBuckets } = parsed.output;
  const lists = [currentBuckets, ...(hotArchiveBuckets ? [hotArchiveBuckets] : [])];
  const hashes = lists.map(hashOfList);
  return {
    ledger: currentLedger,
    networkPassphrase: networkPassphrase ?? null,
    live: bucketsOf(currentBuckets),
    hot: hotArchiveBuckets ? bucketsOf(hotArchiveBuckets) : null,
    bucketListHash: (hashes.length === 1 ? hashes : [sha256(...hashes)])[0]?.toHex() ?? "",
  };
}

type BucketHashes = v.InferOutput<typeof bucketList>;

function hashOfList(levels: BucketHashes): Uint8Array {
  const bytes = (text: string) => Uint8Array.fromHex(text);
  return sha256(...levels.map(({ curr, snap }) => sha256(bytes(curr), bytes(snap))));
}

function bucketsOf(levels: BucketHashes): string[] {
  return levels.flatMap(({ curr, snap }) => [curr, snap]).filter((each) => each !== EMPTY);
}
