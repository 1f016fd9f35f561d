// A Snapshot is the ledger state that one transaction ran on: every footprint entry as it was just
// before, with its provenance, and the network settings of that ledger.

/** How an entry's state at that moment is known. */
export type ProvenanceKind =
  /** The transaction's own meta (STATE before a change, or CREATED: it was absent). */
  | "meta"
  /** A change of an earlier transaction of the same ledger. */
  | "same-ledger"
  /** getLedgerEntries: last modified before the transaction's ledger, or absent since. */
  | "rpc-unchanged"
  /** Found by reading other ledgers' changes, before or after this one. */
  | "ledger-scan"
  /** Contract code from a file of the user, by its hash. */
  | "code-file"
  /** Restored from the hot archive. */
  | "archive"
  | "capsule"
  /** Not proven: the verdict can be at most `equivalent`. */
  | "assumed";

/** How the detail of what the user wants different begins. */
export const OVERRIDDEN = "overridden";

export interface Provenance {
  readonly kind: ProvenanceKind;
  /** One sentence for people: where it was read, or why it does not matter. */
  readonly detail: string;
}

export interface SnapshotEntry {
  /** LedgerKey, base64. Never a TTL key. */
  readonly keyXdr: string;
  /** LedgerEntry, base64; null: the entry did not exist. */
  readonly entryXdr: string | null;
  /** Null for classic and absent entries, and for entries evicted to the hot archive. */
  readonly liveUntilLedger: number | null;
  /** True when the entry was evicted and only the hot archive held it (protocol 23+). */
  readonly archived: boolean;
  /**
   * Contract code only: whether it was in the ledger's module cache, which holds the code that was
   * live at the end of the previous ledger. Null: svc-sim decides by the entry's last-modified
   * ledger.
   */
  readonly codeCached: boolean | null;
  /**
   * Contract code that came back in the transaction or later: from the archive, and then it was in
   * no cache, or in place, where it had merely expired, and then it was. No source shows which.
   */
  readonly maybeCached?: true;
  /**
   * Contract code from a file: whether the chain's entry had cost inputs, as uploads have them from
   * protocol 21 on (CAP-54), no source shows.
   */
  readonly maybeWithoutCosts?: true;
  readonly provenance: Provenance;
  /** For Soroban entries: how the live-until ledger is known. */
  readonly ttlProvenance: Provenance | null;
  /**
   * `ttl-unchanged`: `liveUntilLedger` is from a later ledger. It does not matter as long as the
   * replay changes neither this entry nor its TTL. The judge checks that.
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

/** An entry that the replay needs and no source has. */
export interface UnknownInput {
  readonly keyXdr: string;
  readonly reason: string;
}

export interface Snapshot {
  /** In footprint order: read-only keys, then read-write keys. */
  readonly entries: readonly SnapshotEntry[];
  readonly settings: readonly SnapshotSetting[];
  /**
   * Rent fee per KB written in this ledger, from its LedgerCloseMeta (protocol 23+);
   * null: svc-sim computes it from the settings' state-size window.
   */
  readonly rentFeePer1KbStroops: string | null;
  /** Entries outside the footprint that a fix needs, in the same state: just before. */
  readonly beyondFootprint?: readonly SnapshotEntry[];
  /** Keys whose state is unknown. If there are any, the verdict is `inconclusive`. */
  readonly unknown: readonly UnknownInput[];
}
