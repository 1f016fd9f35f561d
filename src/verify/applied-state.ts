// The state of a period of which no meta shows any change, as far as replays have written it. The
// changes of replays are applied one by one.

import type { Known } from "../snapshot/folded.ts";
import type { TtlState } from "../snapshot/stream/stage-ttls.ts";
import type { KeyedChange } from "../xdr/ledger/keyed-change.ts";
import { ENTRY_TYPE, lastModifiedOf } from "../xdr/reader/keys.ts";

export class AppliedState implements TtlState {
  private readonly entries = new Map<string, string | null>();
  private readonly liveUntil = new Map<string, number | null>();
  private ledger = 0;
  private readonly newCodeKeys = new Set<string>();
  private readonly restoredKeys = new Set<string>();

  beginLedger(sequence: number): void {
    this.ledger = sequence;
    this.newCodeKeys.clear();
    this.restoredKeys.clear();
  }

  applyOne({ kind, type, keyXdr, entryXdr, liveUntilLedger }: KeyedChange): void {
    if (type === ENTRY_TYPE.ttl) {
      this.liveUntil.set(keyXdr, liveUntilLedger);
      return;
    }
    const isNew = kind === "created" || (kind === "restored" && this.isAnew(entryXdr));
    const appears = isNew && !this.entries.get(keyXdr);
    if (appears && type === ENTRY_TYPE.contractCode) this.newCodeKeys.add(keyXdr);
    if (appears && kind === "restored") this.restoredKeys.add(keyXdr);
    this.entries.set(keyXdr, entryXdr);
  }

  extendTtl(ttlKeyXdr: string, ledger: number): void {
    this.liveUntil.set(ttlKeyXdr, ledger);
  }

  /** Undefined if nothing has written the entry, and null if it was removed. */
  entry(keyXdr: string): Known<string> {
    return this.entries.get(keyXdr);
  }

  liveUntilLedger(ttlKeyXdr: string): Known<number> {
    return this.liveUntil.get(ttlKeyXdr);
  }

  restoredInThisLedger(keyXdr: string): boolean {
    return this.restoredKeys.has(keyXdr);
  }

  /** True for contract code that did not exist when the ledger began. */
  isNewCode(keyXdr: string): boolean {
    return this.newCodeKeys.has(keyXdr);
  }

  /** An expired entry that is restored in place keeps its last-modified ledger. */
  private isAnew(entryXdr: string | null): boolean {
    return entryXdr !== null && lastModifiedOf(entryXdr) >= this.ledger;
  }
}
