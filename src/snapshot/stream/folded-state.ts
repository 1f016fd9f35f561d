// The ledger state that a gap-free run of ledgers spells out, entry by entry. What no ledger
// mentioned does not exist when every ledger since genesis was folded, and is unknown otherwise.
// Invariant: memory is bounded. At the limit everything but the network settings is forgotten, and
// the state begins anew with the next ledger; in a run without end, what was not used for long.

import type { KeyedChange } from "../../xdr/ledger/keyed-change.ts";
import {
  ENTRY_TYPE,
  isSorobanType,
  isTemporaryKeyBytes,
  lastModifiedOf,
  sameData,
  ttlKeyBytesOf,
  typeOfKeyBytes,
} from "../../xdr/reader/keys.ts";
import { type SavedState, type StateChanges, StateMaps } from "./state-maps.ts";

/** `undefined` where the state is not known, null where the entry is known not to exist. */
export type Known<T> = T | null | undefined;

export interface StateCounts {
  /** STATE changes seen, and those that were not what the fold expected. */
  readonly states: number;
  readonly corrected: number;
}

/** An entry that the chain loaded or restored with another value than the ledgers gave it. */
export interface FoldedMismatch {
  readonly kind: "state" | "restored";
  readonly ledger: number;
  /** LedgerKey; a TTL entry's too. */
  readonly keyXdr: string;
  /** LedgerEntry, or the live-until ledger of a TTL; null: it did not exist. */
  readonly folded: string | null;
  readonly onChain: string | null;
}

export interface FoldedStateOptions {
  /** The first ledger to be folded is the first that was ever closed. */
  readonly fromGenesis: boolean;
  readonly maximumCharacters?: number;
  /** At the limit only what was not used for long is forgotten. */
  readonly keepsRecent?: boolean;
  readonly onMismatch?: (mismatch: FoldedMismatch) => void;
  /** `takeChanges` will be called. */
  readonly keepsChanges?: boolean;
}

/** Keys and entries are kept as base64 text: some 3 million entries of usual size. */
const MAXIMUM_CHARACTERS = 2 ** 30;
const SETTING_KEY_PREFIX = "AAAACA";

export class FoldedState {
  private readonly maps = new StateMaps();
  private readonly entries = this.maps.entries;
  private readonly liveUntil = this.maps.liveUntil;
  private readonly hotArchive = this.maps.hotArchive;
  private readonly changedKeys = new Set<string>();
  private readonly newCodeKeys = new Set<string>();
  private readonly revivedCodeKeys = new Set<string>();
  /** From the hot archive, in this ledger. */
  private readonly restoredKeys = new Set<string>();
  private everyLedgerFolded: boolean;
  private readonly maximumCharacters: number;
  private readonly keepsRecent: boolean;
  private readonly onMismatch: (mismatch: FoldedMismatch) => void;
  private ledger = 0;
  /** Every change since then is in the young generations. */
  private youngSince = 0;
  private generation = 0;
  /** Everything that was known before the last `takeChanges` is void. */
  private isNew = true;
  private stateCount = 0;
  private correctedCount = 0;
  /** Grows with every change of a network setting. */
  settingsRevision = 0;
  /** Nothing is missing from this ledger on; 0 before the first. */
  firstLedger = 0;

  constructor(options: FoldedStateOptions) {
    this.everyLedgerFolded = options.fromGenesis;
    this.maximumCharacters = options.maximumCharacters ?? MAXIMUM_CHARACTERS;
    this.keepsRecent = options.keepsRecent ?? false;
    this.onMismatch = options.onMismatch ?? (() => {});
    if (options.keepsChanges) this.maps.track();
  }

  /** In the place of the ledgers that the rows are from. */
  restore({ facts, rows }: SavedState): void {
    for (const row of rows) this.maps.keep(row, facts.generation);
    this.firstLedger = facts.firstLedger;
    this.youngSince = facts.youngSince;
    this.generation = facts.generation;
    this.everyLedgerFolded = facts.everyLedgerFolded;
    this.takeChanges();
  }

  /** What was learnt or used since the last call; `keepsChanges` must be set. */
  takeChanges(): StateChanges {
    const reset = this.isNew;
    this.isNew = false;
    const { firstLedger, youngSince, generation, everyLedgerFolded } = this;
    const facts = { firstLedger, youngSince, generation, everyLedgerFolded };
    return { reset, facts, rows: this.maps.takeRows() };
  }

  /** Whether a key that was never mentioned is known not to exist. */
  get complete(): boolean {
    return this.everyLedgerFolded;
  }

  get counts(): StateCounts {
    return { states: this.stateCount, corrected: this.correctedCount };
  }

  /** Ledgers come in order, without a gap. */
  beginLedger(sequence: number): void {
    if (this.keepsRecent) {
      if (this.maps.characters > this.maximumCharacters / 2) this.forgetUnused(sequence);
    } else if (this.maps.characters > this.maximumCharacters) this.forget();
    if (this.firstLedger === 0) this.firstLedger = sequence;
    if (this.youngSince === 0) this.youngSince = sequence;
    this.ledger = sequence;
    this.changedKeys.clear();
    this.newCodeKeys.clear();
    this.revivedCodeKeys.clear();
    this.restoredKeys.clear();
  }

  entry(keyXdr: string): Known<string> {
    const entry = this.entries.get(keyXdr);
    if (entry !== undefined || !this.everyLedgerFolded) return entry;
    // The settings of the genesis ledger are in no meta.
    return keyXdr.startsWith(SETTING_KEY_PREFIX) ? undefined : null;
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

  /** Code that came back in this ledger, from the archive or in place: both look the same. */
  isRevivedCode(keyXdr: string): boolean {
    return this.revivedCodeKeys.has(keyXdr);
  }

  apply(changes: readonly KeyedChange[]): void {
    for (const change of changes) this.applyOne(change);
  }

  applyOne(change: KeyedChange): void {
    if (change.kind === "state") this.compareLoaded(change);
    else this.changedKeys.add(change.keyXdr);
    if (change.kind === "restored") this.compareRestored(change);
    if (change.type === ENTRY_TYPE.ttl) {
      this.setLiveUntil(change.keyXdr, change.liveUntilLedger);
      return;
    }
    if (change.type === ENTRY_TYPE.configSetting) this.settingsRevision += 1;
    if (change.type === ENTRY_TYPE.contractCode && this.appears(change)) {
      this.newCodeKeys.add(change.keyXdr);
      const isOpen = change.kind === "restored" && this.entry(change.keyXdr) === undefined;
      if (isOpen) this.revivedCodeKeys.add(change.keyXdr);
    }
    const archived = this.hotArchive.delete(change.keyXdr);
    if (archived || (change.kind === "restored" && this.appears(change))) {
      this.restoredKeys.add(change.keyXdr);
    }
    this.setEntry(change.keyXdr, change.entryXdr);
  }

  /** It was not live before: not there, or in the hot archive. */
  private appears({ kind, keyXdr, entryXdr }: KeyedChange): boolean {
    if (this.entries.get(keyXdr)) return false;
    if (kind === "created") return true;
    if (kind !== "restored" || entryXdr === null) return false;
    // An entry that had expired and comes back in place keeps its last-modified ledger.
    return this.everyLedgerFolded || lastModifiedOf(entryXdr) >= this.ledger;
  }

  private setLiveUntil(ttlKeyXdr: string, ledger: number | null): void {
    if (ledger === null && this.everyLedgerFolded) this.liveUntil.delete(ttlKeyXdr);
    else this.liveUntil.set(ttlKeyXdr, ledger);
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
    this.setLiveUntil(ttlKeyBytesOf(key).toBase64(), null);
    if (!isTemporaryKeyBytes(key)) {
      const entry = this.entry(keyXdr);
      // The archive has it, with a value that no folded ledger shows.
      if (entry === undefined) return;
      if (entry !== null) this.hotArchive.set(keyXdr, entry);
    }
    this.setEntry(keyXdr, null);
  }

  private setEntry(keyXdr: string, entryXdr: string | null): void {
    if (entryXdr === null && this.everyLedgerFolded) this.entries.delete(keyXdr);
    else this.entries.set(keyXdr, entryXdr);
  }

  /** A STATE is what stellar-core loaded: it is what the transaction saw, whatever was folded. */
  private compareLoaded(change: KeyedChange): void {
    const { keyXdr, type } = change;
    this.stateCount += 1;
    const isTtl = type === ENTRY_TYPE.ttl;
    const folded = isTtl ? textOf(this.liveUntilLedger(keyXdr)) : this.entry(keyXdr);
    const onChain = isTtl ? textOf(change.liveUntilLedger) : change.entryXdr;
    if (folded === undefined || onChain === undefined || folded === onChain) return;
    this.correctedCount += 1;
    this.onMismatch({ kind: "state", keyXdr, ledger: this.ledger, folded, onChain });
  }

  /**
   * An archived entry comes back as it was evicted, an expired one as it is; the ledger that last
   * modified it stays or becomes this one (stellar-core, processOpLedgerEntryChanges).
   */
  private compareRestored({ keyXdr, type, entryXdr }: KeyedChange): void {
    if (type === ENTRY_TYPE.ttl || entryXdr === null) return;
    const folded = this.hotArchive.get(keyXdr) ?? this.entry(keyXdr);
    if (folded === undefined || folded === entryXdr) return;
    if (sameData(folded, entryXdr) && lastModifiedOf(entryXdr) === this.ledger) return;
    const { ledger } = this;
    this.onMismatch({ kind: "restored", keyXdr, ledger, folded, onChain: entryXdr });
  }

  private forget(): void {
    const settings = this.settings();
    this.everyLedgerFolded = false;
    this.firstLedger = 0;
    this.youngSince = 0;
    this.maps.clear();
    this.isNew = true;
    for (const [keyXdr, entryXdr] of settings) this.entries.set(keyXdr, entryXdr);
  }

  /** What the last generation changed is still known, so that nothing is missing since then. */
  private forgetUnused(sequence: number): void {
    const settings = this.settings();
    const forgets = this.maps.forgetUnused();
    this.generation += 1;
    for (const [keyXdr, entryXdr] of settings) this.entries.set(keyXdr, entryXdr);
    if (forgets) {
      // A complete state does not keep what it removed.
      this.firstLedger = this.everyLedgerFolded ? sequence : this.youngSince;
      this.everyLedgerFolded = false;
    }
    this.youngSince = sequence;
  }

  private settings(): (readonly [string, string | null])[] {
    return [...this.entries.entries()].filter(([key]) => key.startsWith(SETTING_KEY_PREFIX));
  }
}

/** A live-until ledger as text; null and undefined stay. */
function textOf(ledger: Known<number>): Known<string> {
  return typeof ledger === "number" ? String(ledger) : ledger;
}
