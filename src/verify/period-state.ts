// The state between two checkpoints: what validators signed at the first, and how fees, payments
// and replays have changed it since. Only transactions that declare the entries of contracts and
// their TTLs write them. Accounts and trustlines are computed along (period-accounts.ts).

import type { ArchivedLedgerRecords, ArchivedRecord } from "../history-archive/archived-ledger.ts";
import type { CheckpointEntry } from "../history-archive/state-at.ts";
import type { LedgerFacts } from "../model/chain-record.ts";
import type { Snapshot, SnapshotEntry, UnknownInput } from "../model/snapshot.ts";
import { isKnown } from "../model/state/entry-state.ts";
import { type FootprintKey, footprintKeys, keysNamed } from "../snapshot/footprint-keys.ts";
import { StageTtls } from "../snapshot/stream/stage-ttls.ts";
import type { KeyedChange } from "../xdr/ledger/keyed-change.ts";
import {
  ENTRY_TYPE,
  isSorobanType,
  liveUntilOfBytes,
  ttlKeyOf,
  typeOfEntryBytes,
  typeOfKey,
} from "../xdr/reader/keys.ts";
import { AppliedState } from "./applied-state.ts";
import { PeriodAccounts, placeOfRecord } from "./period-accounts.ts";
import { base64Of, isClassicKey, isUnwrittenSince, type PeriodEnds } from "./period-ends.ts";
import {
  CLASSIC,
  EXPIRED,
  type Gap,
  NO_CHECKPOINT,
  PERIOD_PROVENANCE,
  SETTING,
  SOROBAN_ONLY,
  UPGRADED,
} from "./period-knowledge.ts";
import { type PeriodSettings, readPeriodSettings } from "./period-settings.ts";

/** The inputs of a transaction. */
export interface PeriodInputs {
  readonly snapshot: Snapshot;
  /** Empty if every input is known. */
  readonly gaps: readonly Gap[];
  /** Keys whose value replays have written. */
  readonly chained: readonly string[];
  /** Keys of entries that had expired and may have been evicted since: no archive shows which. */
  readonly maybeEvicted: readonly string[];
}

/** An entry whose value after the replays differs from the second checkpoint. */
export interface WrongEntry {
  readonly keyXdr: string;
  /** The hash of the transaction that wrote it last. */
  readonly writer: string;
  /** The hashes of those that wrote or read it, including the writer's. */
  readonly users: ReadonlySet<string>;
  /** The LedgerEntry, or the last live ledger of a TTL; null if there is none. */
  readonly onChain: string | null;
  readonly replayed: string | null;
}

export interface Compared {
  readonly equal: number;
  readonly wrong: readonly WrongEntry[];
}

interface PeriodValue {
  readonly entryXdr: string | null;
  /** The last live ledger of a TTL key. */
  readonly liveUntil: number | null;
  /** True if only the hot archive has it. */
  readonly archived: boolean;
  readonly by: keyof typeof PERIOD_PROVENANCE;
}
const EVICTIONS_PROTOCOL = 23;
/** The limit of such entries, because each doubles the replays. */
const MOST_MAYBE_EVICTED = 3;

export class PeriodState {
  private readonly folded = new AppliedState();
  /** Accounts and trustlines, which are computed along. */
  readonly accounts: PeriodAccounts;
  /** Keys that something unknown may have written, each with the reason. */
  private readonly open: Map<string, Gap>;
  private readonly replayed = new Set<string>();
  /** Contract entries and TTLs that replays wrote. */
  private readonly written = new Map<string, { writer: string; readonly users: Set<string> }>();
  private settings: { readonly sequence: number; readonly values: Promise<PeriodSettings> } | null =
    null;

  /** Makes a state. `open` has the accounts and trustlines that must not be computed along. */
  constructor(
    private readonly ends: PeriodEnds,
    private readonly ledgers: readonly ArchivedLedgerRecords[],
    open: ReadonlyMap<string, Gap>,
  ) {
    this.open = new Map(open);
    this.accounts = new PeriodAccounts(ends, ledgers, this.folded, this.open);
  }

  /** Begins a ledger. */
  beginLedger(ledger: ArchivedLedgerRecords): void {
    this.folded.beginLedger(ledger.facts.sequence);
    this.accounts.takeFees(ledger);
  }

  /** The state just before the transaction's operation. */
  async inputsOf(
    ledger: ArchivedLedgerRecords,
    { envelope, record }: ArchivedRecord,
  ): Promise<PeriodInputs> {
    const gaps: Gap[] = [];
    const unknown: UnknownInput[] = [];
    const entries: SnapshotEntry[] = [];
    const notes = { chained: [] as string[], maybeEvicted: [] as string[] };
    const { footprint = { readOnly: [], readWrite: [] } } = envelope.soroban ?? {};
    for (const key of footprintKeys(footprint)) {
      const entryState = await this.entryOf(key, ledger, notes);
      if (!isKnown(entryState)) {
        gaps.push(entryState);
        unknown.push({ keyXdr: key.keyXdr, reason: entryState.reason });
      } else entries.push(entryState);
    }
    const settings = await this.settingsOf(ledger);
    for (const keyXdr of notes.chained) this.written.get(keyXdr)?.users.add(record.hash);
    const snapshot = {
      entries,
      settings: settings.settings,
      rentFeePer1KbStroops: null,
      unknown: [...unknown, ...settings.unknown],
    };
    return { snapshot, ...notes, gaps: settings.unknown.length > 0 ? [...gaps, SETTING] : gaps };
  }

  /** An entry and its TTL as they are now. `facts` are those of the current ledger. */
  async entryNow(keyXdr: string, facts: LedgerFacts): Promise<SnapshotEntry | Gap> {
    const [key] = keysNamed([keyXdr]);
    if (key === undefined) return CLASSIC;
    // Classic operations may have changed an entry that is not computed along.
    const isCounted = isSorobanType(key.type) || this.folded.entry(keyXdr) !== undefined;
    if (!isCounted) return this.open.get(keyXdr) ?? CLASSIC;
    const maybeEvicted: string[] = [];
    const entryState = await this.entryOf(key, { facts }, { chained: [], maybeEvicted });
    return maybeEvicted.length === 0 ? entryState : EXPIRED;
  }

  /** Applies a change of a replay, if the chain's result confirms the replay. */
  apply(hash: string, change: KeyedChange): void {
    this.folded.applyOne(change);
    this.noteWritten(hash, change.keyXdr);
  }

  /** The staged TTLs: those of read-only keys become visible later in a parallel phase. */
  stageTtls(): StageTtls {
    return new StageTtls(this.folded);
  }

  noteWritten(hash: string, keyXdr: string): void {
    const { users } = this.written.get(keyXdr) ?? { users: new Set<string>() };
    users.add(hash);
    this.replayed.add(keyXdr);
    if (!isClassicKey(keyXdr)) this.written.set(keyXdr, { writer: hash, users });
  }

  /** Forgets entries whose value after a replay depends on something that no archive shows. */
  forgetExpired(keysXdr: Iterable<string>): void {
    for (const keyXdr of keysXdr) this.accounts.forget(keyXdr, EXPIRED);
  }

  /**
   * Forgets everything that the transaction may have written, because it was not replayed exactly.
   */
  forgetWritesOf({ envelope, record }: ArchivedRecord): void {
    const gap = {
      cause: "a transaction before it was not replayed exactly",
      reason: `${placeOfRecord(record)}, which svc did not replay exactly, may have written it`,
    };
    for (const key of footprintKeys(
      envelope.soroban?.footprint ?? { readOnly: [], readWrite: [] },
    )) {
      // A read-only entry may have been extended.
      if (!key.readOnly) this.accounts.forget(key.keyXdr, gap);
      if (key.ttlKeyXdr !== null) this.accounts.forget(key.ttlKeyXdr, gap);
    }
  }

  /** Compares the contract entries and TTLs that replays wrote with the second checkpoint. */
  async compareWritten(): Promise<Compared> {
    const wrong: WrongEntry[] = [];
    let equal = 0;
    for (const [keyXdr, { writer, users }] of this.written) {
      if (this.open.has(keyXdr)) continue;
      const isTtl = typeOfKey(keyXdr) === ENTRY_TYPE.ttl;
      const last = await this.ends.atLast(keyXdr);
      const live = last.archived ? null : last.entry;
      const onChain = isTtl ? textOf(live && liveUntilOfBytes(live)) : (live?.toBase64() ?? null);
      const replayed = isTtl
        ? textOf(this.folded.liveUntilLedger(keyXdr))
        : (this.folded.entry(keyXdr) ?? null);
      if (onChain === replayed) equal += 1;
      else if (live !== null || !(await this.mayBeEvicted(keyXdr, isTtl)))
        wrong.push({ keyXdr, writer, users, onChain, replayed });
    }
    return { equal, wrong };
  }

  private async mayBeEvicted(keyXdr: string, isTtl: boolean): Promise<boolean> {
    const { first, last } = this.ends;
    const ttlKeyXdr = isTtl ? keyXdr : ttlKeyOf(keyXdr);
    const left = this.folded.liveUntilLedger(ttlKeyXdr);
    const before = first === null ? null : (await this.ends.atFirst(ttlKeyXdr)).entry;
    const liveUntil = left ?? (before && liveUntilOfBytes(before)) ?? last.sequence;
    return liveUntil < last.sequence;
  }

  private async entryOf(
    key: FootprintKey,
    ledger: Pick<ArchivedLedgerRecords, "facts">,
    { chained, maybeEvicted }: { readonly chained: string[]; readonly maybeEvicted: string[] },
  ): Promise<SnapshotEntry | Gap> {
    const { keyXdr, ttlKeyXdr, type, temporary } = key;
    const { sequence, protocolVersion } = ledger.facts;
    const entry = await this.valueOf(keyXdr, ledger);
    if (!isKnown(entry)) return entry;
    const { entryXdr, archived } = entry;
    const hasTtl = ttlKeyXdr !== null && entryXdr !== null && !archived;
    const ttl = hasTtl ? await this.valueOf(ttlKeyXdr, ledger) : null;
    if (ttl !== null && !isKnown(ttl)) return ttl;
    const liveUntilLedger = ttl?.liveUntil ?? null;
    const hasExpired = liveUntilLedger !== null && liveUntilLedger < sequence;
    // An expired temporary entry does not exist for the host, whether it was evicted or not.
    const mayBeGone = hasExpired && !temporary && protocolVersion >= EVICTIONS_PROTOCOL;
    if (hasTtl && liveUntilLedger === null) return EXPIRED;
    if (mayBeGone && entry.by !== "last" && maybeEvicted.push(keyXdr) > MOST_MAYBE_EVICTED)
      return EXPIRED;
    if (entry.by === "replays") chained.push(keyXdr);
    if (ttl?.by === "replays" && ttlKeyXdr !== null) chained.push(ttlKeyXdr);
    const { folded } = this;
    const isNew = entryXdr === null || archived || folded.isNewCode(keyXdr);
    return {
      keyXdr,
      entryXdr,
      archived,
      liveUntilLedger,
      codeCached: type === ENTRY_TYPE.contractCode && isNew ? false : null,
      provenance: PERIOD_PROVENANCE[entry.by],
      ttlProvenance: ttl && PERIOD_PROVENANCE[ttl.by],
      ...(entryXdr === null && folded.restoredInThisLedger(keyXdr) && { restoredEarlier: true }),
    };
  }

  private async valueOf(
    keyXdr: string,
    { facts }: Pick<ArchivedLedgerRecords, "facts">,
  ): Promise<PeriodValue | Gap> {
    const { first } = this.ends;
    const gap = this.open.get(keyXdr);
    const entryXdr = this.folded.entry(keyXdr);
    const liveUntil = this.folded.liveUntilLedger(keyXdr);
    const isLeft = entryXdr !== undefined || liveUntil !== undefined;
    if (gap === undefined && !isLeft && first?.protocolVersion === facts.protocolVersion)
      return valueIn(await this.ends.atFirst(keyXdr), "first");
    if (gap === SOROBAN_ONLY) return gap;
    // This also holds for entries that replays wrote, because it depends on none of them.
    const last = await this.ends.atLast(keyXdr);
    if (isUnwrittenSince(last, facts.sequence)) return valueIn(last, "last");
    if (gap !== undefined || !isLeft) return gap ?? (first === null ? NO_CHECKPOINT : UPGRADED);
    if (isClassicKey(keyXdr)) this.accounts.noteUsed(keyXdr);
    const by = this.replayed.has(keyXdr) ? "replays" : "counted";
    return { entryXdr: entryXdr ?? null, liveUntil: liveUntil ?? null, archived: false, by };
  }

  private settingsOf(ledger: ArchivedLedgerRecords): Promise<PeriodSettings> {
    const { sequence } = ledger.facts;
    if (this.settings?.sequence !== sequence)
      this.settings = { sequence, values: readPeriodSettings(this.ends, this.ledgers, ledger) };
    return this.settings.values;
  }
}

function valueIn({ entry, archived }: CheckpointEntry, by: PeriodValue["by"]): PeriodValue {
  const isTtl = entry !== null && typeOfEntryBytes(entry) === ENTRY_TYPE.ttl;
  const liveUntil = isTtl ? liveUntilOfBytes(entry) : null;
  return { entryXdr: base64Of({ entry }), liveUntil, archived, by };
}

function textOf(liveUntil: number | null | undefined): string | null {
  return liveUntil === null || liveUntil === undefined ? null : String(liveUntil);
}
