// A fold's evidence by hand: what a test says that ledgers showed.

import { AppliedState } from "../../src/snapshot/stream/applied-state.ts";
import {
  ENTRY_TYPE,
  isSorobanKey,
  isTemporaryKey,
  ttlKeyOf,
  typeOfKey,
} from "../../src/xdr/reader/keys.ts";

export class FoldedModel extends AppliedState {
  evict(keyXdr: string): void {
    if (typeOfKey(keyXdr) === ENTRY_TYPE.ttl) this.liveUntil.set(keyXdr, null);
    if (!isSorobanKey(keyXdr)) return;
    this.liveUntil.set(ttlKeyOf(keyXdr), null);
    const entry = this.entry(keyXdr);
    if (!isTemporaryKey(keyXdr)) {
      if (entry === undefined) return;
      if (entry !== null) this.hotArchive.set(keyXdr, entry);
    }
    this.entries.set(keyXdr, null);
  }
}
