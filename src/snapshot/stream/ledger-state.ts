// The ledger state that a stream of ledgers spells out, entry by entry. What no ledger mentioned
// does not exist when every ledger since genesis was folded, and is unknown otherwise.
// Invariant: memory is bounded. At the limit everything but the network settings becomes unknown.

import type { KeyedChange } from "../../xdr/ledger/keyed-change.ts";
import {
  ENTRY_TYPE,
  isSorobanType,
  isTemporaryKeyBytes,
  ttlKeyBytesOf,
  typeOfKeyBytes,
} from "../../xdr/reader/keys.ts";

/** `undefined` where the state is not known, null where the entry is known not to exist. */
export type Known<T> = T | null | undefined;

export interface StateCounts {
  /** STATE changes seen, and those that were not what the fold expected. */
  readonly states: number;
  readonly corrected: number;
}

/** Keys and entries are kept as base64 text: some 3 million entries of usual size. */
const MAXIMUM_CHARACTERS = 2 ** 30;
const SETTING_KEY_PREFIX = "AAAACA";

export class LedgerState {
  private readonly entries = new Map<string, string | null>();
  private readonly liveUntil = new Map<string, number | null>();
  /** Evicted persistent entries (protocol 23+). */
  private readonly hotArchive = new Map<string, string>();
  private readonly changedKeys = new Set<string>();
  private readonly newCodeKeys = new Set<string>();
  /** From the hot archive, in this ledger. */
  private readonly restoredKeys = new Set<string>();
  private everyLedgerFolded: boolean;
  private characters = 0;
  private stateCount = 0;
  private correctedCount = 0;
  /** Grows with every change of a network setting. */
  settingsRevision = 0;

  constructor(options: { readonly fromGenesis: boolean }) {
    this.everyLedgerFolded = options.fromGenesis;
  }

  /** Whether a key that was never mentioned is known not to exist. */
  get complete(): boolean {
    return this.everyLedgerFolded;
  }

  get counts(): StateCounts {
    return { states: this.stateCount, corrected: this.correctedCount };
  }

  beginLedger(): void {
    this.changedKeys.clear();
    this.newCodeKeys.clear();
    this.restoredKeys.clear();
  }

  entry(keyXdr: string): Known<string> {
    const entry = this.entries.get(keyXdr);
    return entry === undefined && this.everyLedgerFolded ? null : entry;
  }

  /** By the TTL entry's key. */
  liveUntilLedger(ttlKeyXdr: string): Known<number> {
    const ledger = this.liveUntil.get(ttlKeyXdr);
    return ledger === undefined && this.everyLedgerFolded ? null : ledger;
  }

  archived(keyXdr: string): string | null {
    return this.hotArchive.get(keyXdr) ?? null;
  }

  changedInThisLedger(keyXdr: string): boolean {
    return this.changedKeys.has(keyXdr);
  }

  /** An earlier transaction of this ledger restored it from the hot archive. */
  restoredInThisLedger(keyXdr: string): boolean {
    return this.restoredKeys.has(keyXdr);
  }

  /** Contract code that was not live when the previous ledger closed. */
  isNewCode(keyXdr: string): boolean {
    return this.newCodeKeys.has(keyXdr);
  }

  apply(changes: readonly KeyedChange[]): void {
    for (const change of changes) this.applyOne(change);
  }

  applyOne(change: KeyedChange): void {
    if (change.kind === "state") this.compare(change);
    else this.changedKeys.add(change.keyXdr);
    if (change.type === ENTRY_TYPE.ttl) {
      this.setLiveUntil(change.keyXdr, change.liveUntilLedger);
      return;
    }
    if (change.type === ENTRY_TYPE.configSetting) this.settingsRevision += 1;
    if (change.type === ENTRY_TYPE.contractCode && change.kind !== "state") {
      const appears = change.kind === "created" || change.kind === "restored";
      if (appears && !this.entries.get(change.keyXdr)) this.newCodeKeys.add(change.keyXdr);
    }
    if (this.hotArchive.delete(change.keyXdr)) this.restoredKeys.add(change.keyXdr);
    this.setEntry(change.keyXdr, change.entryXdr);
  }

  private setLiveUntil(ttlKeyXdr: string, ledger: number | null): void {
    if (ledger === null && this.everyLedgerFolded) this.liveUntil.delete(ttlKeyXdr);
    else this.put(this.liveUntil, ttlKeyXdr, ledger, 0);
  }

  /** An extension that becomes visible later than the change that made it. */
  extendTtl(ttlKeyXdr: string, ledger: number): void {
    this.changedKeys.add(ttlKeyXdr);
    this.setLiveUntil(ttlKeyXdr, ledger);
  }

  /** `key`: a LedgerKey of the ledger's evicted keys. */
  evict(key: Uint8Array): void {
    const keyXdr = key.toBase64();
    const type = typeOfKeyBytes(key);
    if (type === ENTRY_TYPE.ttl) this.setLiveUntil(keyXdr, null);
    if (!isSorobanType(type)) return;
    const entry = this.entries.get(keyXdr);
    if (!isTemporaryKeyBytes(key) && typeof entry === "string") {
      this.put(this.hotArchive, keyXdr, entry, entry.length);
    }
    this.setEntry(keyXdr, null);
    this.setLiveUntil(ttlKeyBytesOf(key).toBase64(), null);
  }

  private setEntry(keyXdr: string, entryXdr: string | null): void {
    this.characters -= this.entries.get(keyXdr)?.length ?? 0;
    if (entryXdr === null && this.everyLedgerFolded) this.entries.delete(keyXdr);
    else this.put(this.entries, keyXdr, entryXdr, entryXdr?.length ?? 0);
  }

  private put<T>(map: Map<string, T>, keyXdr: string, value: T, size: number): void {
    this.characters += size + (map.has(keyXdr) ? 0 : keyXdr.length);
    map.set(keyXdr, value);
    if (this.characters > MAXIMUM_CHARACTERS) this.forget();
  }

  /** A STATE is what stellar-core loaded, so it is right and the fold is not. */
  private compare(change: KeyedChange): void {
    this.stateCount += 1;
    const isTtl = change.type === ENTRY_TYPE.ttl;
    const folded = isTtl ? this.liveUntilLedger(change.keyXdr) : this.entry(change.keyXdr);
    const found = isTtl ? change.liveUntilLedger : change.entryXdr;
    // The settings of the genesis ledger are in no meta.
    if (change.type === ENTRY_TYPE.configSetting && !this.entries.has(change.keyXdr)) return;
    if (folded !== undefined && folded !== found) this.correctedCount += 1;
  }

  private forget(): void {
    const settings = [...this.entries].filter(([key]) => key.startsWith(SETTING_KEY_PREFIX));
    this.everyLedgerFolded = false;
    this.characters = 0;
    this.entries.clear();
    this.liveUntil.clear();
    this.hotArchive.clear();
    for (const [keyXdr, entryXdr] of settings) this.entries.set(keyXdr, entryXdr);
  }
}
