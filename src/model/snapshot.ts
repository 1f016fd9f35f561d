// A Snapshot is the ledger state that one transaction ran on: every footprint entry as it was just
// before, with its provenance, and the network settings of that ledger. Capsules contain it
// unchanged.

import * as v from "valibot";
import { type Parsed, uint32 } from "../base/wire.ts";
import { boundedText, integerText, xdr } from "./chain-record.ts";
import { provenanceSchema } from "./provenance.ts";
import type { StateAt, UnknownState } from "./state/entry-state.ts";

const MAXIMUM_ENTRIES = 2000;
const MAXIMUM_SETTINGS = 100;

const entrySchema = v.strictObject({
  /** A LedgerKey, which is never a TTL key. */
  keyXdr: xdr,
  /** A LedgerEntry; null if the entry did not exist. */
  entryXdr: v.nullable(xdr),
  /** Null for classic and absent entries, and for entries evicted to the hot archive. */
  liveUntilLedger: v.nullable(uint32),
  /** True if the entry was evicted and only the hot archive held it (protocol 23+). */
  archived: v.boolean(),
  /**
   * Contract code only: true if it was in the ledger's module cache, which holds the code that was
   * live at the end of the previous ledger. With null, svc-sim decides by the entry's last-modified
   * ledger.
   */
  codeCached: v.nullable(v.boolean()),
  /**
   * Contract code that came back in the transaction or later. If it came from the archive, it was
   * in no cache. If it had merely expired, it was. No source shows which.
   */
  maybeCached: v.exactOptional(v.literal(true)),
  /**
   * Contract code from a file. No source shows whether the chain's entry had cost inputs, as
   * uploads have from protocol 21 on (CAP-54).
   */
  maybeWithoutCosts: v.exactOptional(v.literal(true)),
  provenance: provenanceSchema,
  /** The provenance of the live-until ledger; null for entries without a TTL. */
  ttlProvenance: v.nullable(provenanceSchema),
  /**
   * `ttl-unchanged` means that `liveUntilLedger` is from a later ledger. That does not matter as
   * long as the replay changes neither this entry nor its TTL. The judge checks that.
   */
  provisional: v.exactOptional(v.literal("ttl-unchanged")),
  /**
   * An absent entry that an earlier transaction of the ledger restored from the hot archive and
   * deleted. stellar-core before protocol 28 did not count such a key as read.
   */
  restoredEarlier: v.exactOptional(v.literal(true)),
});
export type SnapshotEntry = Parsed<typeof entrySchema>;
/** An entry without its TTL, and without what is known of its origin. */
export type KeyedEntry = Pick<SnapshotEntry, "keyXdr" | "entryXdr">;

const entriesSchema = v.pipe(v.array(entrySchema), v.maxLength(MAXIMUM_ENTRIES));
const settingSchema = v.strictObject({
  /** The name of the ConfigSettingID in the XDR, such as `CONFIG_SETTING_STATE_ARCHIVAL`. */
  name: boundedText,
  /** A LedgerEntry of type CONFIG_SETTING. */
  entryXdr: xdr,
  provenance: provenanceSchema,
});
export type SnapshotSetting = Parsed<typeof settingSchema>;

/** An entry that the replay needs and no source has. */
const unknownSchema = v.strictObject({ keyXdr: xdr, reason: boundedText });
export type UnknownInput = Parsed<typeof unknownSchema>;

/**
 * The files of a history archive that prove the state, except the buckets, by name, packed and in
 * base64. A capsule may have any content here. Once it was checked, validators have signed the
 * transaction's result and the header of its ledger.
 */
const excerptSchema = v.strictObject({
  latestCheckpoint: uint32,
  ledgersPerCheckpoint: v.picklist([8, 64]),
  files: v.record(boundedText, xdr),
});
export type ArchiveExcerpt = Parsed<typeof excerptSchema>;

export const snapshotSchema = v.strictObject({
  /** The entries in footprint order: read-only keys, then read-write keys. */
  entries: entriesSchema,
  settings: v.pipe(v.array(settingSchema), v.maxLength(MAXIMUM_SETTINGS)),
  /**
   * The rent fee per KB written in this ledger, from its LedgerCloseMeta (protocol 23+). With null,
   * svc-sim computes it from the settings' state-size window.
   */
  rentFeePer1KbStroops: v.nullable(integerText),
  /**
   * Entries outside the footprint that a fix needs, in the same state just before the transaction.
   */
  beyondFootprint: v.exactOptional(entriesSchema),
  /** The keys whose state is unknown. If there are any, the verdict is `inconclusive`. */
  unknown: v.pipe(v.array(unknownSchema), v.maxLength(MAXIMUM_ENTRIES)),
  proof: v.exactOptional(excerptSchema),
});
export type Snapshot = Parsed<typeof snapshotSchema>;

const NOT_IN_SNAPSHOT: UnknownState = { reason: "the transaction does not name it" };

/** The state just before the transaction, by LedgerKey. */
export function snapshotState({ entries, unknown = [] }: KnownEntries): StateAt<SnapshotEntry> {
  const stateOfKey = new Map<string, SnapshotEntry | UnknownState>(
    unknown.map((each) => [each.keyXdr, each]),
  );
  for (const entry of entries) stateOfKey.set(entry.keyXdr, entry);
  return { get: (keyXdr) => stateOfKey.get(keyXdr) ?? NOT_IN_SNAPSHOT };
}

type KnownEntries = Pick<Snapshot, "entries"> & Partial<Pick<Snapshot, "unknown">>;
