// A transaction with something changed: what a fix tries, and what a user's overrides make of it.

import type { LedgerFacts } from "../model/chain-record.ts";
import type { SnapshotEntry, SnapshotSetting } from "../model/snapshot.ts";
import type { Envelope } from "../xdr/envelope/envelope.ts";

export interface Variant {
  /**
   * With the original signatures, which need not be valid: the fee depends on their size, and no
   * run checks them.
   */
  readonly envelope: Envelope;
  /** By key: each entry replaces the one of the snapshot, or adds to them. */
  readonly entries: ReadonlyMap<string, SnapshotEntry>;
  /** By name: each setting replaces the one of the snapshot, or adds to them. */
  readonly settings?: ReadonlyMap<string, SnapshotSetting>;
  /** Facts of the ledger that are different. */
  readonly ledger?: Partial<
    Pick<
      LedgerFacts,
      "protocolVersion" | "sequence" | "closeTimeUnixSeconds" | "baseReserveStroops"
    >
  >;
  /** Archived keys that a separate transaction restores first. */
  readonly restoredFirst: readonly string[];
}
