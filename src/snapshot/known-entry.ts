// What one way of knowing shows of an entry just before the transaction.

import type { Provenance, StatedKind } from "../model/provenance.ts";
import type { EntryState } from "../model/state/entry-state.ts";

export interface KnownEntry extends EntryState {
  readonly provenance: Provenance;
  /**
   * True if no source shows whether the entry was live when the previous ledger closed, and so
   * whether code was cached.
   */
  readonly cacheUnknown?: true;
}

export interface KnownTtl {
  readonly liveUntilLedger: number;
  readonly provenance: Provenance;
  /**
   * True if the value belongs to a later ledger, so that the judge must check that nothing depended
   * on it.
   */
  readonly provisional: boolean;
}

/** Makes a provenance. `detail` is one sentence for people. */
export function knownBy(kind: StatedKind, detail: string): Provenance {
  return { kind, detail };
}
