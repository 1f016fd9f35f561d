// A fold's evidence by hand: what a test says that ledgers showed.

import type { Folded, Known } from "../../src/snapshot/folded.ts";
import type { KeyedChange } from "../../src/xdr/ledger/keyed-change.ts";
import {
  ENTRY_TYPE,
  isSorobanKey,
  isTemporaryKey,
  lastModifiedOf,
  ttlKeyOf,
  typeOfKey,
} from "../../src/xdr/reader/keys.ts";

const SETTING_KEY_PREFIX = "AAAACA";

export class FoldedModel implements Folded {
  firstLedger = 0;
  private readonly entries = new Map<string, string | null>();
  private readonly liveUntil = new Map<string, number | null>();
  private readonly hotArchive = new Map<string, string>();
  private ledger = 0;
  private readonly changedKeys = new Set<string>();
  private readonly newCodeKeys = new Set<string>();
  private readonly restoredKeys = new Set<string>();

  /** `complete`: a key that was never mentioned is known not to exist. */
  constructor(readonly complete: boolean) {}

  beginLedger(sequence: number): void {
    if (this.firstLedger === 0) this.firstLedger = sequence;
    this.ledger = sequence;
    for (const keys of [this.changedKeys, this.newCodeKeys, this.restoredKeys]) keys.clear();
  }

  applyOne({ kind, type, keyXdr, entryXdr, liveUntilLedger }: KeyedChange): void {
    if (kind !== "state") this.changedKeys.add(keyXdr);
    if (type === ENTRY_TYPE.ttl) {
      this.liveUntil.set(keyXdr, liveUntilLedger);
      return;
    }
    const isNew = kind === "created" || (kind === "restored" && this.isAnew(entryXdr));
    const appears = isNew && !this.entries.get(keyXdr);
    if (appears && type === ENTRY_TYPE.contractCode) this.newCodeKeys.add(keyXdr);
    const archived = this.hotArchive.delete(keyXdr);
    if (archived || (appears && kind === "restored")) this.restoredKeys.add(keyXdr);
    this.entries.set(keyXdr, entryXdr);
  }

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

  extendTtl(ttlKeyXdr: string, ledger: number): void {
    this.changedKeys.add(ttlKeyXdr);
    this.liveUntil.set(ttlKeyXdr, ledger);
  }

  entry(keyXdr: string): Known<string> {
    const entry = this.entries.get(keyXdr);
    // The settings of the genesis ledger are in no meta.
    const absent = this.complete && !keyXdr.startsWith(SETTING_KEY_PREFIX);
    return entry === undefined && absent ? null : entry;
  }

  liveUntilLedger(ttlKeyXdr: string): Known<number> {
    const ledger = this.liveUntil.get(ttlKeyXdr);
    return ledger === undefined && this.complete ? null : ledger;
  }

  archived(keyXdr: string): string | null {
    return this.hotArchive.get(keyXdr) ?? null;
  }

  changedInThisLedger(keyXdr: string): boolean {
    return this.changedKeys.has(keyXdr);
  }

  restoredInThisLedger(keyXdr: string): boolean {
    return this.restoredKeys.has(keyXdr);
  }

  isNewCode(keyXdr: string): boolean {
    return this.newCodeKeys.has(keyXdr);
  }

  isRevivedCode(): boolean {
    return false;
  }

  /** An entry that had expired and comes back in place keeps its last-modified ledger. */
  private isAnew(entryXdr: string | null): boolean {
    return entryXdr !== null && (this.complete || lastModifiedOf(entryXdr) >= this.ledger);
  }
}
