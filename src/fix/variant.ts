// A variant of a transaction: what a fix tries, and what a user's overrides make of it.

import type { LedgerFacts } from "../model/chain-record.ts";
import type { SnapshotEntry, SnapshotSetting } from "../model/snapshot.ts";
import type { Envelope } from "../xdr/envelope/envelope.ts";

export interface Variant {
  /**
   * The envelope with the original signatures, which need not be valid: the fee depends on their
   * size, and no run checks them.
   */
  readonly envelope: Envelope;
  /** Entries by key, which replace or extend those of the snapshot. */
  readonly entries: ReadonlyMap<string, SnapshotEntry>;
  /** Settings by name, which replace or extend those of the snapshot. */
  readonly settings?: ReadonlyMap<string, SnapshotSetting>;
  /** The facts of the ledger that differ. */
  readonly ledger?: Partial<
    Pick<
      LedgerFacts,
      "protocolVersion" | "sequence" | "closeTimeUnixSeconds" | "baseReserveStroops"
    >
  >;
  /** Archived keys that a separate transaction restores first. */
  readonly restoredFirst: readonly string[];
}
