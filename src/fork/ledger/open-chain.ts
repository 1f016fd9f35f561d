// Opens the chain of a fork over its base. Entries are read when they are first needed, and changes
// override them. Each mark has the earlier values of the keys that changed since then.

import {
  type EntryState,
  isKnown,
  knownIn,
  type UnknownState,
} from "../../model/state/entry-state.ts";
import type { Simulator } from "../../simulator/simulator.ts";
import { type Envelope, openEnvelope } from "../../xdr/envelope/envelope.ts";
import { readLedgerHeader } from "../../xdr/ledger/header.ts";
import {
  averageStateSizeOf,
  STATE_SIZE_WINDOW_ID,
  settingKeyOf,
} from "../../xdr/ledger/settings.ts";
import { readTransactionLimits } from "../../xdr/ledger/transaction-limits.ts";
import {
  ENTRY_TYPE,
  isSettingKey,
  isSorobanKey,
  isTemporaryKey,
  keyOfEntry,
  lastModifiedOf,
  liveUntilOf,
  ttlKeyOf,
  typeOfKey,
} from "../../xdr/reader/keys.ts";
import type {
  ChainContext,
  ChainOptions,
  CheckOptions,
  ClosedLedger,
  CloseOptions,
  ForkBase,
  ForkChain,
  ForkEntry,
  ForkOverlay,
  ForkTip,
  Mark,
  OverlayChanges,
  Placed,
  ReadContext,
  Refusal,
  RentFacts,
} from "./chain.ts";
import { checkEnvelope } from "./check-envelope.ts";
import { closeLedger, ResourceCostFound } from "./close-ledger.ts";
import { keysOf, requireSupported } from "./known-operations.ts";
import { type Below, NOT_READ, NotApplied, NotRead } from "./layers.ts";
import { ttlEntry } from "./soroban.ts";
import { writtenCloseMeta } from "./written-xdr.ts";

export function openChain(
  base: ForkBase,
  simulator: Pick<Simulator, "replay">,
  options: ChainOptions = {},
): ForkChain {
  return new Chain(base, simulator, options.overlay ?? null);
}

const NOTHING: EntryState = { entryXdr: null, archived: false, provenance: null };
/** A ledger that needs more rounds of reading never gets everything that it needs. */
const MOST_ROUNDS = 1000;
const STATE_SIZE_WINDOW_KEY = settingKeyOf(STATE_SIZE_WINDOW_ID);
/** The settings from which the rent fee follows: ledger cost, and the window of state sizes. */
const RENT_SETTINGS = new Set(["AAAACAAAAAI=", "AAAACAAAAAw=", "AAAACAAAAA8="]);

function envelopeOf(transaction: string | Placed): string {
  return typeof transaction === "string" ? transaction : transaction.envelopeXdr;
}

interface ChainHead {
  readonly headerXdr: string;
  readonly hash: string;
  readonly rentFeePer1KbStroops: string | null;
}

class Chain implements ForkChain, Below {
  private readonly known = new Map<string, EntryState>();
  private readonly changed = new Map<string, EntryState>();
  /** Entries by the key of their TTL. */
  private readonly owners = new Map<string, string>();
  private readonly marks: {
    readonly head: ChainHead;
    readonly before: Map<string, EntryState | undefined>;
  }[] = [];
  /** The settings of the base, and everything that the fork has ever written. */
  private readonly settingKeys = new Set<string>();
  private readonly unsaved = new Set<string>();
  private readonly costs = new Map<string, bigint>();
  private head: ChainHead;
  private closing: Promise<unknown> = Promise.resolve();
  private isClosing = false;

  constructor(
    private readonly base: ForkBase,
    private readonly simulator: Pick<Simulator, "replay">,
    overlay: ForkOverlay | null,
  ) {
    const { headerXdr, ledgerHash: hash, rentFeePer1KbStroops } = overlay ?? base;
    this.head = { headerXdr, hash, rentFeePer1KbStroops };
    for (const entryXdr of base.settingsXdr) {
      const keyXdr = keyOfEntry(entryXdr);
      this.known.set(keyXdr, { ...NOTHING, entryXdr });
      this.settingKeys.add(keyXdr);
    }
    for (const { keyXdr, ...entry } of overlay?.entries ?? []) {
      this.keep(this.changed, keyXdr, { ...entry, provenance: null });
      if (isSettingKey(keyXdr)) this.settingKeys.add(keyXdr);
    }
  }

  get networkPassphrase(): string {
    return this.base.networkPassphrase;
  }

  get latest(): ForkTip {
    const { headerXdr, hash } = this.head;
    const { sequence, protocolVersion, closeTimeUnixSeconds, ...facts } =
      readLedgerHeader(headerXdr);
    const { closeTimeUnixMilliseconds, baseFeeStroops, baseReserveStroops } = facts;
    return {
      sequence,
      hash,
      protocolVersion,
      closeTimeUnixSeconds,
      ...(closeTimeUnixMilliseconds !== undefined && { closeTimeUnixMilliseconds }),
      baseFeeStroops,
      baseReserveStroops,
      headerXdr,
    };
  }

  get settingsXdr(): readonly string[] {
    return [...this.settingKeys].flatMap((keyXdr) => knownIn(this, keyXdr)?.entryXdr ?? []);
  }

  get(keyXdr: string): EntryState | UnknownState {
    return this.changed.get(keyXdr) ?? this.known.get(keyXdr) ?? NOT_READ;
  }

  async read(keysXdr: readonly string[], context: ChainContext) {
    await this.readAll(keysXdr, context);
    return new Map(keysXdr.map((keyXdr) => [keyXdr, this.entryOf(keyXdr)]));
  }

  async readFor(envelopesXdr: readonly string[], context: ReadContext): Promise<void> {
    const { networkPassphrase } = this;
    const keys = envelopesXdr.flatMap((each) => keysOf(openEnvelope(each, networkPassphrase)));
    await this.readAll(keys, context);
  }

  async check(envelopeXdr: string, options: CheckOptions): Promise<Refusal | null> {
    const envelope = openEnvelope(envelopeXdr, this.networkPassphrase);
    requireSupported(envelope);
    await this.readAll(keysOf(envelope), options);
    return this.refusalOf(envelope, options);
  }

  close(transactions: readonly (string | Placed)[], options: CloseOptions): Promise<ClosedLedger> {
    const closed = this.closing.then(async () => {
      this.isClosing = true;
      try {
        return await this.closeNow(transactions, options);
      } finally {
        this.isClosing = false;
      }
    });
    this.closing = closed.catch(() => {});
    return closed;
  }

  private async closeNow(
    proposed: readonly (string | Placed)[],
    options: CloseOptions,
  ): Promise<ClosedLedger> {
    const { latest, networkPassphrase } = this;
    const opened = proposed.map((each) => {
      const placed = typeof each === "string" ? { envelopeXdr: each } : each;
      return { placed, envelope: openEnvelope(placed.envelopeXdr, networkPassphrase) };
    });
    if (!options.withoutReading) await this.readFor(proposed.map(envelopeOf), options);
    const transactions: Placed[] = [];
    const leftOut: { envelopeXdr: string; refusal: Refusal }[] = [];
    for (const { placed, envelope } of opened) {
      const refusal = await this.refusalInLedger(placed, envelope, options);
      if (refusal?.isNeverInLedger) leftOut.push({ envelopeXdr: envelope.xdr, refusal });
      else transactions.push(placed);
    }
    const { impersonated = new Set<string>(), transactionSetHash = null, signal } = options;
    const output = await this.withReads(options, () =>
      closeLedger(this, {
        ...this.terms(options),
        simulator: this.simulator,
        networkPassphrase,
        signal,
        impersonated,
        transactions,
        transactionSetHash,
        costs: this.costs,
        previousHeaderXdr: latest.headerXdr,
        previousHash: latest.hash,
        closeTimeUnixSeconds: options.closeTimeUnixSeconds,
        closeTimeUnixMilliseconds: options.closeTimeUnixMilliseconds ?? null,
      }),
    );
    const { layer, headerXdr, hash, transactionSet, transactions: closed } = output;
    layer.commit(this);
    this.head = { ...this.head, headerXdr, hash };
    this.costs.clear();
    const tip = this.latest;
    // A kept ledger must not keep the state alive.
    const parts = { ...tip, transactionSet, ...this.rentFacts, transactions: closed };
    return {
      ...tip,
      transactions: closed,
      leftOut,
      get ledgerCloseMetaXdr() {
        return writtenCloseMeta(parts).toBase64();
      },
    };
  }

  get rentFacts(): RentFacts {
    const windowXdr = knownIn(this, STATE_SIZE_WINDOW_KEY)?.entryXdr ?? null;
    return {
      rentFeePer1KbStroops: this.head.rentFeePer1KbStroops,
      averageStateSizeBytes: windowXdr === null ? 0n : averageStateSizeOf(windowXdr),
    };
  }

  /** The facts on which the next ledger's transactions depend. */
  private terms({ sequence }: { readonly sequence?: number }) {
    return {
      sequence: sequence ?? this.latest.sequence + 1,
      settingsXdr: this.settingsXdr,
      rentFeePer1KbStroops: this.head.rentFeePer1KbStroops,
    };
  }

  /** Throws NotApplied. */
  private async refusalInLedger(
    { recorded }: Placed,
    envelope: Envelope,
    options: CloseOptions,
  ): Promise<Refusal | null> {
    try {
      if (!recorded) requireSupported(envelope);
      await this.readAll(keysOf(envelope), options);
      return recorded ? null : await this.refusalOf(envelope, options, false);
    } catch (cause) {
      throw new NotApplied(envelope.hash, cause);
    }
  }

  private async refusalOf(
    envelope: Envelope,
    options: CheckOptions & Pick<CloseOptions, "sequence">,
    inQueue = true,
  ) {
    const { latest, costs, simulator } = this;
    const { sequence, ...terms } = this.terms(options);
    const input = { ...options, ...terms, sequence, latest, costs, simulator, inQueue };
    return this.withReads(options, () => checkEnvelope(envelope, this, input));
  }

  /** Does the work, and repeats it after reading what it lacks. */
  private async withReads<T>(context: ChainContext, work: () => Promise<T>): Promise<T> {
    for (let round = 0; round < MOST_ROUNDS; round += 1) {
      try {
        return await work();
      } catch (reason) {
        if (!(reason instanceof ResourceCostFound)) await this.readLacking(reason, context);
      }
    }
    throw new Error("a ledger that needs ever more entries");
  }

  /** Throws the reason unless it is that entries were not read and they can be read now. */
  private async readLacking(reason: unknown, context: ChainContext): Promise<void> {
    const lack = reason instanceof NotApplied ? reason.cause : reason;
    if (!(lack instanceof NotRead) || context.withoutReading) throw reason;
    try {
      await this.readAll(lack.keysXdr, context);
    } catch (cause) {
      throw reason instanceof NotApplied ? new NotApplied(reason.hash, cause) : cause;
    }
  }

  private async readAll(keysXdr: readonly string[], context: ChainContext): Promise<void> {
    const lacking = [...new Set(keysXdr)].filter((keyXdr) => !isKnown(this.get(keyXdr)));
    const keysToRead = lacking.filter((keyXdr) => {
      const type = typeOfKey(keyXdr);
      if (type !== ENTRY_TYPE.ttl && type !== ENTRY_TYPE.configSetting) return true;
      this.known.set(keyXdr, NOTHING);
      return false;
    });
    if (keysToRead.length === 0) return;
    if (context.withoutReading) throw new NotRead(...keysToRead);
    const baseEntries = await this.base.entries(keysToRead, context);
    for (const keyXdr of keysToRead) this.keep(this.known, keyXdr, baseEntries.get(keyXdr) ?? null);
  }

  /** Keeps the entry with its TTL. */
  private keep(
    into: Map<string, EntryState>,
    keyXdr: string,
    entry: (EntryState & Pick<ForkEntry, "liveUntilLedger">) | null,
  ): void {
    const { entryXdr = null, archived = false, provenance = null } = entry ?? {};
    into.set(keyXdr, { entryXdr, archived, provenance });
    if (!isSorobanKey(keyXdr)) return;
    const ttlKeyXdr = ttlKeyOf(keyXdr);
    this.owners.set(ttlKeyXdr, keyXdr);
    const until = archived ? null : (entry?.liveUntilLedger ?? null);
    const ttl =
      entryXdr === null || until === null
        ? null
        : ttlEntry(ttlKeyXdr, until, lastModifiedOf(entryXdr));
    into.set(ttlKeyXdr, { ...NOTHING, entryXdr: ttl });
  }

  private entryOf(keyXdr: string): ForkEntry | null {
    const held = knownIn(this, keyXdr);
    if (held === null || held.entryXdr === null) return null;
    const { entryXdr, archived, provenance } = held;
    const ttl = isSorobanKey(keyXdr) ? (knownIn(this, ttlKeyOf(keyXdr))?.entryXdr ?? null) : null;
    const liveUntilLedger = archived || ttl === null ? null : liveUntilOf(ttl);
    return { entryXdr, liveUntilLedger, archived, provenance };
  }

  hold(keyXdr: string, held: EntryState): void {
    const before = this.marks.at(-1)?.before;
    if (before && !before.has(keyXdr)) before.set(keyXdr, this.changed.get(keyXdr));
    this.changed.set(keyXdr, held);
    this.unsaved.add(keyXdr);
    const type = typeOfKey(keyXdr);
    if (type === ENTRY_TYPE.contractData || type === ENTRY_TYPE.contractCode)
      this.owners.set(ttlKeyOf(keyXdr), keyXdr);
    if (type === ENTRY_TYPE.configSetting) this.settingKeys.add(keyXdr);
  }

  mark(): Mark {
    this.requireIdle();
    this.marks.push({ head: this.head, before: new Map() });
    return this.marks.length - 1;
  }

  dropTo(mark: Mark): void {
    this.requireIdle();
    const dropped = this.marks.splice(mark);
    const [first] = dropped;
    if (first === undefined) throw new Error(`no mark ${mark}`);
    for (const { before } of dropped.reverse()) {
      for (const [keyXdr, held] of before) {
        this.unsaved.add(keyXdr);
        if (held === undefined) this.changed.delete(keyXdr);
        else this.changed.set(keyXdr, held);
      }
    }
    this.head = first.head;
    this.costs.clear();
  }

  put({ entryXdr, liveUntilLedger, archived = false }: Parameters<ForkChain["put"]>[0]): void {
    this.requireIdle();
    const keyXdr = keyOfEntry(entryXdr);
    const until = isSorobanKey(keyXdr) ? (liveUntilLedger ?? this.leastLife(keyXdr)) : null;
    const kept = new Map<string, EntryState>();
    this.keep(kept, keyXdr, { entryXdr, archived, liveUntilLedger: until, provenance: null });
    for (const [key, held] of kept) this.hold(key, held);
    this.forgetRent(keyXdr);
  }

  remove(keyXdr: string): void {
    this.requireIdle();
    this.hold(keyXdr, NOTHING);
    if (isSorobanKey(keyXdr)) this.hold(ttlKeyOf(keyXdr), NOTHING);
    this.forgetRent(keyXdr);
  }

  /** The last live ledger of an entry, or the one that the network gives a new entry. */
  private leastLife(keyXdr: string): number {
    const { sequence } = this.latest;
    const known = this.entryOf(keyXdr)?.liveUntilLedger ?? 0;
    if (known > sequence) return known;
    const { newPersistentTtl = "1", newTemporaryTtl = "1" } = readTransactionLimits(
      this.settingsXdr,
    );
    return sequence + Number(isTemporaryKey(keyXdr) ? newTemporaryTtl : newPersistentTtl);
  }

  private forgetRent(keyXdr: string): void {
    if (RENT_SETTINGS.has(keyXdr)) this.head = { ...this.head, rentFeePer1KbStroops: null };
    if (isSettingKey(keyXdr)) this.costs.clear();
  }

  overlay(): ForkOverlay {
    const keys = this.ownersOf(this.changed.keys());
    return { format: 1, ...this.headFields(), entries: [...keys].map((key) => this.kept(key)) };
  }

  changes(): OverlayChanges {
    const keys = [...this.ownersOf(this.unsaved)];
    const isChanged = (keyXdr: string) =>
      this.changed.has(keyXdr) || (isSorobanKey(keyXdr) && this.changed.has(ttlKeyOf(keyXdr)));
    return {
      ...this.headFields(),
      entries: keys.filter(isChanged).map((keyXdr) => this.kept(keyXdr)),
      unchanged: keys.filter((keyXdr) => !isChanged(keyXdr)),
    };
  }

  saved(): void {
    this.unsaved.clear();
  }

  /** A TTL is kept with its entry. */
  private ownersOf(keysXdr: Iterable<string>): ReadonlySet<string> {
    return new Set([...keysXdr].map((keyXdr) => this.owners.get(keyXdr) ?? keyXdr));
  }

  private headFields() {
    const { headerXdr, hash: ledgerHash, rentFeePer1KbStroops } = this.head;
    return { headerXdr, ledgerHash, rentFeePer1KbStroops };
  }

  private kept(keyXdr: string): ForkOverlay["entries"][number] {
    const { provenance: _, ...entry } = this.entryOf(keyXdr) ?? {
      entryXdr: null,
      liveUntilLedger: null,
      archived: false,
      provenance: null,
    };
    return { keyXdr, ...entry };
  }

  private requireIdle(): void {
    if (this.isClosing) throw new Error("a ledger is closing");
  }
}
