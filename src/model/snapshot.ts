// A Snapshot is the ledger state one transaction ran against: every footprint entry as it was just
// before, with how we know it, and the network settings of that ledger.

/** How an entry's state at that moment is known. */
export type ProvenanceKind =
  /** The transaction's own meta (STATE before a change, or CREATED: it was absent). */
  | "meta"
  /** A change of an earlier transaction of the same ledger. */
  | "same-ledger"
  /** getLedgerEntries, last modified before the transaction's ledger. */
  | "rpc-unchanged"
  /** Found by reading other ledgers' changes, before or after this one. */
  | "ledger-scan"
  /** Restored from the hot archive. */
  | "archive"
  | "capsule"
  /** Nothing proves it: the verdict can be at most `equivalent`. */
  | "assumed";

export interface Provenance {
  readonly kind: ProvenanceKind;
  /** One sentence for people: where it was read, or why it cannot matter. */
  readonly detail: string;
}

export interface SnapshotEntry {
  /** LedgerKey, base64. Never a TTL key. */
  readonly keyXdr: string;
  /** LedgerEntry, base64; null: the entry did not exist. */
  readonly entryXdr: string | null;
  /** Null for classic and absent entries, and for those evicted to the hot archive. */
  readonly liveUntilLedger: number | null;
  /** True when the entry was evicted and only the hot archive held it (protocol 23+). */
  readonly archived: boolean;
  /**
   * Contract code only: was it in the ledger's module cache, that is live at the end of the
   * previous ledger? Null: let svc-sim decide by the entry's last-modified ledger.
   */
  readonly codeCached: boolean | null;
  /**
   * Contract code that came back in the transaction or later: from the archive, and then it was in
   * no cache, or in place, where it had merely expired, and then it was. No source shows which.
   */
  readonly maybeCached?: true;
  readonly provenance: Provenance;
  /** For Soroban entries: how the live-until ledger is known. */
  readonly ttlProvenance: Provenance | null;
  /**
   * `ttl-unchanged`: `liveUntilLedger` is a later ledger's, which cannot matter as long as the
   * replay neither changes this entry nor its time to live. The judge checks that.
   */
  readonly provisional?: "ttl-unchanged";
  /**
   * An absent entry that an earlier transaction of the ledger restored from the hot archive and
   * deleted. stellar-core before protocol 28 did not count such a key as read.
   */
  readonly restoredEarlier?: true;
}

export interface SnapshotSetting {
  /** ConfigSettingID name as in the XDR, e.g. `CONFIG_SETTING_STATE_ARCHIVAL`. */
  readonly name: string;
  /** LedgerEntry of type CONFIG_SETTING, base64. */
  readonly entryXdr: string;
  readonly provenance: Provenance;
}

/** Something the replay needs and no source could give. */
export interface UnknownInput {
  readonly keyXdr: string;
  readonly reason: string;
}

export interface Snapshot {
  /** In footprint order: read-only keys, then read-write keys. */
  readonly entries: readonly SnapshotEntry[];
  readonly settings: readonly SnapshotSetting[];
  /**
   * Rent fee per KB written in this ledger as its LedgerCloseMeta reports it (protocol 23+);
   * null: svc-sim computes it from the settings' state-size window.
   */
  readonly rentFeePer1KbStroops: string | null;
  /** As they were then too: entries that the transaction did not name, and that would mend it. */
  readonly beyondFootprint?: readonly SnapshotEntry[];
  /** Keys whose state is not known at all. Not empty ⇒ the verdict is `inconclusive`. */
  readonly unknown: readonly UnknownInput[];
}
