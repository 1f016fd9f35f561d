// What one way of knowing says of an entry just before the transaction.

import type { Provenance, StatedKind } from "../model/provenance.ts";
import type { EntryState } from "../model/state/entry-state.ts";

export interface KnownEntry extends EntryState {
  readonly provenance: Provenance;
  /** No source shows whether it was live when the ledger before closed: code was cached if so. */
  readonly cacheUnknown?: true;
}

export interface KnownTtl {
  readonly liveUntilLedger: number;
  readonly provenance: Provenance;
  /** It is a later ledger's: the judge must see that nothing depended on it. */
  readonly provisional: boolean;
}

/** `detail`: one sentence for people. */
export function knownBy(kind: StatedKind, detail: string): Provenance {
  return { kind, detail };
}
