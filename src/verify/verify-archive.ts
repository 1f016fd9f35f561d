// Verifies ledgers of a history archive from what validators publish alone: the state of a
// checkpoint, transactions and results, without a node and without a meta. Results are compared in
// full, with the fee and the hash over the return value and the events. No archive has single
// changes, so the state after the replays is compared with that of the next checkpoint.

import type { Judged } from "../debugger/run/proof-context.ts";
import {
  type ArchivedLedgerRecords,
  type ArchivedRecord,
  readArchivedLedger,
} from "../history-archive/archived-ledger.ts";
import { behind } from "../history-archive/errors.ts";
import type { ArchivePlace, OpenedArchive } from "../history-archive/opened-archive.ts";
import type { LedgerFacts } from "../model/chain-record.ts";
import type { LedgerChange } from "../model/execution.ts";
import type { Snapshot, SnapshotEntry } from "../model/snapshot.ts";
import { hasEnoughSignatures } from "../model/state/proven-state.ts";
import { Tally } from "../model/verification/tally.ts";
import {
  type LedgerOutcome,
  type NotExact,
  notVerified,
  type TransactionOutcome,
  type Verification,
} from "../model/verification.ts";
import { footprintKeys } from "../snapshot/footprint-keys.ts";
import { feeBySet } from "../xdr/ledger/account-changes.ts";
import type { KeyedChange } from "../xdr/ledger/keyed-change.ts";
import { REFUND_AFTER_ALL_PROTOCOL } from "../xdr/outcome/refund.ts";
import { reachedHost, readTransactionResult } from "../xdr/outcome/result.ts";
import { ENTRY_TYPE, liveUntilOf, typeOfKey } from "../xdr/reader/keys.ts";
import { describeEntry, describeKey } from "../xdr/values/value.ts";
import { PeriodEnds } from "./period-ends.ts";
import type { Gap } from "./period-knowledge.ts";
import { type Compared, type PeriodInputs, PeriodState, type WrongEntry } from "./period-state.ts";
import {
  judgeTransaction,
  notExactOf,
  openReplayEngines,
  type ReplayEngines,
  type ReplayedTransaction,
} from "./replay-transaction.ts";
import type { Summary } from "./summarise-verdict.ts";
import { nameOfRange, type Range, type VerifyDependencies } from "./verify-ledgers.ts";
import { whereLater } from "./where-later.ts";

export interface ArchiveDependencies
  extends Pick<VerifyDependencies, "program" | "jobs" | "keepNotExact" | "progress"> {
  readonly archive: Pick<OpenedArchive, "name" | "latestLedger" | "ask">;
  readonly observeReplay?: Period["observe"];
  readonly isNeededAgain?: Period["isNeededAgain"];
  readonly networkPassphrase: string;
}

export interface Period {
  /** The name of the archive. */
  readonly source: string;
  readonly engines: ReplayEngines;
  readonly ends: PeriodEnds;
  readonly ledgers: readonly ArchivedLedgerRecords[];
  /** True if validators have signed the header of its last ledger, and so the whole period. */
  readonly isSigned: boolean;
  /** The ledgers that are counted. */
  readonly range: Range;
  /** The hashes of the transactions that are replayed; absent if all are. */
  readonly only?: ReadonlySet<string>;
  /** Receives the inputs of each transaction, by hash. */
  readonly inputs?: Map<string, PeriodInputs>;
  readonly moment?: Moment;
  /** Sees each transaction before its changes are applied. The last call with a hash counts. */
  readonly observe?: (seen: ArchivedReplay) => Promise<void>;
  /** Says whether it must see a transaction again that is replayed as before (default: no). */
  readonly isNeededAgain?: (hash: string) => boolean;
  readonly signal: AbortSignal;
}

/** A transaction of an archive with what its replay showed. */
export interface ArchivedReplay extends PeriodInputs {
  readonly record: ArchivedRecord["record"];
  readonly envelope: ArchivedRecord["envelope"];
  /** Null if its result is not the chain's, or its state has gaps. */
  readonly replayed: Judged | null;
  /** The entry as it is just before the transaction. */
  readonly entryNow: (keyXdr: string) => Promise<SnapshotEntry | Gap>;
}

/**
 * The moment at which the state is looked at: before a transaction of the ledger, or, if null,
 * after all of it.
 */
export interface Moment {
  readonly ledger: number;
  readonly before: string | null;
  /**
   * Called each time that the period is replayed; the last call counts. `facts` are those of the
   * ledger that comes next.
   */
  readonly reached: (state: PeriodState, facts: LedgerFacts) => Promise<void>;
}

/**
 * Verifies a range. Throws ARCHIVE_BEHIND if the archive lacks a part of the range, and the errors
 * of the archive.
 */
export async function verifyArchive(
  dependencies: ArchiveDependencies,
  range: Range,
  { signal }: { readonly signal: AbortSignal },
): Promise<Verification> {
  const startedAt = performance.now();
  const { archive, networkPassphrase, program, jobs, keepNotExact, progress } = dependencies;
  const { observeReplay: observe, isNeededAgain } = dependencies;
  const { latestLedger, name } = archive;
  if (range.last > latestLedger) throw behind("signatures for", range.last, latestLedger);
  const size = await archive.ask(async ({ chain }) => chain.archive.ledgersPerCheckpoint);
  const tally = new Tally(keepNotExact, [name]);
  await using engines = openReplayEngines(program, jobs);
  let next = range.first - (range.first % size);
  let opened: Promise<unknown> = Promise.resolve();
  const verifyAt = async (first: number) => {
    const ledgers = { first: Math.max(first, 1), last: first + size - 1 };
    const verifying = archive.ask(async (place) => {
      // The archive's files are read one after another.
      const opening = opened.then(() => openPeriod(place, ledgers, networkPassphrase));
      opened = opening.catch(() => {});
      return verifyPeriod({
        ...(await opening),
        engines,
        range,
        signal,
        ...(observe && { observe }),
        ...(isNeededAgain && { isNeededAgain }),
      });
    }, ledgers.last);
    // The state after the earlier ledgers is compared with the checkpoint, which has that protocol.
    return verifying.catch((error) => {
      const ledger = Math.max(ledgers.first, range.first);
      const left = Math.min(ledgers.last, range.last) - ledger + 1;
      return [notVerified(whereLater(error, { ledger, source: name, ledgers: left }))];
    });
  };
  const work = async () => {
    while (next <= range.last) {
      signal.throwIfAborted();
      const first = next;
      next += size;
      // Each period begins with a known state.
      for (const outcome of await verifyAt(first)) tally.addLedger(outcome);
      progress(tally.progress);
    }
  };
  await Promise.all(Array.from({ length: jobs }, work));
  const verification = tally.finish([nameOfRange(range)], performance.now() - startedAt);
  return { ...verification, archive: name };
}

export async function openPeriod(
  { name, chain, states }: ArchivePlace,
  { first, last }: Range,
  networkPassphrase: string,
): Promise<Pick<Period, "source" | "ends" | "ledgers" | "isSigned">> {
  const ledgers: ArchivedLedgerRecords[] = [];
  for (let sequence = first; sequence <= last; sequence += 1)
    ledgers.push(await readArchivedLedger(chain, sequence, networkPassphrase));
  const before = first === 1 ? null : await chain.header(first - 1);
  return {
    source: name,
    ends: new PeriodEnds(states, before, await chain.header(last)),
    ledgers,
    isSigned: hasEnoughSignatures(await chain.signatures(last)),
  };
}

/** The outcome of one transaction before the next checkpoint confirms it. */
interface ReplayOutcome {
  readonly notExact: NotExact | null;
  readonly isChained: boolean;
  /** The changes, for an exact replay only. */
  readonly changes: readonly LedgerChange[];
  /** Keys of entries that it may have left in another state. */
  readonly open: readonly string[];
}

interface KnownReplay extends ReplayOutcome {
  /** The inputs of the replay. */
  readonly inputs: string;
}

export async function verifyPeriod(period: Period): Promise<LedgerOutcome[]> {
  await period.ends.prefetch(
    period.ledgers.flatMap(({ transactions }) =>
      transactions
        .filter((each) => isReplayed(each) && period.only?.has(each.record.hash) !== false)
        .flatMap(({ envelope }) =>
          footprintKeys(envelope.soroban?.footprint ?? EMPTY).flatMap(({ keyXdr, ttlKeyXdr }) =>
            ttlKeyXdr === null ? [keyXdr] : [keyXdr, ttlKeyXdr],
          ),
        ),
    ),
  );
  const open = new Map<string, Gap>();
  const known = new Map<string, KnownReplay>();
  for (;;) {
    const state = new PeriodState(period.ends, period.ledgers, open);
    const replayed = await replayPeriod(period, state, known);
    const disagreeing = await state.accounts.disagreements();
    if (disagreeing.size === 0) return outcomesOf(period, replayed, await state.compareWritten());
    // A value that was computed wrongly is not used again.
    for (const [keyXdr, gap] of disagreeing) open.set(keyXdr, gap);
  }
}

/** The outcomes by hash, without transactions that were refused before their operation ran. */
async function replayPeriod(
  period: Period,
  state: PeriodState,
  known: Map<string, KnownReplay>,
): Promise<Map<string, ReplayOutcome>> {
  const replayed = new Map<string, ReplayOutcome>();
  const run = async (ledger: ArchivedLedgerRecords, transaction: ArchivedRecord) => {
    if (!isReplayed(transaction)) return [];
    const { hash, resultXdr } = transaction.record;
    if (period.only?.has(hash) === false) {
      if (readTransactionResult(resultXdr).success) state.forgetWritesOf(transaction);
      return [];
    }
    const outcome = await replayOne(period, state, ledger, transaction, known);
    replayed.set(hash, outcome);
    return outcome.changes.map(keyedChange);
  };
  await state.accounts.begin();
  const { moment } = period;
  const arrive = async ({ facts }: ArchivedLedgerRecords, before: string | null) => {
    if (moment?.ledger !== facts.sequence || moment.before !== before) return;
    const sequence = before === null ? facts.sequence + 1 : facts.sequence;
    await moment.reached(state, { ...facts, sequence });
  };
  for (const ledger of period.ledgers) {
    const { transactions, facts } = ledger;
    period.signal.throwIfAborted();
    const refundsLast = facts.protocolVersion >= REFUND_AFTER_ALL_PROTOCOL;
    const parallel = transactions.filter(({ placed }) => placed.stage !== null);
    state.beginLedger(ledger);
    for (const each of transactions) {
      if (each.placed.stage !== null) continue;
      await arrive(ledger, each.record.hash);
      state.accounts.useSequence(ledger, each);
      if (isSuccessfulClassic(each)) state.accounts.applyClassic(ledger, each);
      for (const change of await run(ledger, each)) state.apply(each.record.hash, change);
      if (!refundsLast) state.accounts.refund(ledger, each);
    }
    for (const each of parallel) state.accounts.useSequence(ledger, each);
    const ttls = state.stageTtls();
    let current: number | null = null;
    for (const each of parallel) {
      await arrive(ledger, each.record.hash);
      const { stage, cluster } = each.placed;
      if (stage !== current) ttls.end();
      current = stage;
      const footprint = footprintKeys(each.envelope.soroban?.footprint ?? EMPTY);
      ttls.beforeTransaction(cluster ?? 0, footprint);
      const changes = await run(ledger, each);
      for (const { keyXdr } of changes) state.noteWritten(each.record.hash, keyXdr);
      ttls.applyOperation(cluster ?? 0, footprint, changes);
    }
    ttls.end();
    if (refundsLast) for (const each of transactions) state.accounts.refund(ledger, each);
    await arrive(ledger, null);
  }
  return replayed;
}

async function replayOne(
  { source, engines, inputs: seen, observe, isNeededAgain, signal }: Period,
  state: PeriodState,
  ledger: ArchivedLedgerRecords,
  transaction: ArchivedRecord,
  known: Map<string, KnownReplay>,
): Promise<ReplayOutcome> {
  const { record, envelope, placed } = transaction;
  const periodInputs = await state.inputsOf(ledger, transaction);
  const { snapshot, gaps, chained, maybeEvicted } = periodInputs;
  seen?.set(record.hash, periodInputs);
  const inputs = JSON.stringify(snapshot);
  const before = known.get(record.hash);
  const isSettled = isNeededAgain?.(record.hash) !== true;
  if (before?.inputs === inputs && isSettled) return leave(before);
  const [gap] = gaps;
  const withoutMeta = {
    feeTakenStroops: feeBySet(envelope, placed.baseFeeStroops).toString(),
  };
  const execution = observe === undefined ? null : "trace";
  const judged: ReplayedTransaction[] = [];
  for (const each of gap === undefined ? evictionCases(snapshot, maybeEvicted) : [snapshot])
    judged.push(
      await judgeTransaction(
        engines,
        { record, snapshot: each },
        { source, execution, withoutMeta, signal },
      ),
    );
  const exact = judged.filter(({ notExact }) => notExact === null);
  const { notExact = null } = exact[0] ?? judged[0] ?? {};
  const knownReplay = {
    inputs,
    isChained: chained.length > 0,
    notExact: notExact && gap !== undefined ? { ...notExact, cause: gap.cause } : notExact,
    ...agreedChanges(exact.map(({ replayed }) => replayed?.execution.changes ?? [])),
  };
  known.set(record.hash, knownReplay);
  await observe?.({
    ...periodInputs,
    record,
    envelope,
    replayed: exact[0]?.replayed ?? null,
    entryNow: (keyXdr) => state.entryNow(keyXdr, ledger.facts),
  });
  return leave(knownReplay);

  function leave(replay: KnownReplay): ReplayOutcome {
    const { success } = readTransactionResult(record.resultXdr);
    if (replay.notExact !== null && success) state.forgetWritesOf(transaction);
    state.forgetExpired(replay.open);
    return replay;
  }
}

/** The snapshots in which each of the entries had expired in place, or was evicted. */
function evictionCases(snapshot: Snapshot, keysXdr: readonly string[]): Snapshot[] {
  let all = [snapshot];
  for (const keyXdr of keysXdr) all = all.flatMap((each) => [each, withEvicted(each, keyXdr)]);
  return all;
}

function withEvicted(snapshot: Snapshot, evictedXdr: string): Snapshot {
  const entries = snapshot.entries.map((entry) =>
    entry.keyXdr === evictedXdr
      ? { ...entry, archived: true, liveUntilLedger: null, ttlProvenance: null, ...NOT_CACHED }
      : entry,
  );
  return { ...snapshot, entries };
}

const NOT_CACHED = { codeCached: false };

/** The changes that all runs with the chain's result have in common, and the keys of the others. */
function agreedChanges(
  all: readonly (readonly LedgerChange[])[],
): Pick<ReplayOutcome, "changes" | "open"> {
  const [first = [], ...others] = all;
  const afters = others.map(
    (each) => new Map(each.map((change) => [change.keyXdr, change.afterXdr])),
  );
  const isAgreed = ({ keyXdr, afterXdr }: LedgerChange) =>
    afters.every((each) => each.get(keyXdr) === afterXdr);
  const changes = first.filter(isAgreed);
  const agreed = new Set(changes.map(({ keyXdr }) => keyXdr));
  const keys = all.flat().map(({ keyXdr }) => keyXdr);
  return { changes, open: keys.filter((keyXdr) => !agreed.has(keyXdr)) };
}

function outcomesOf(
  { ledgers, range, isSigned: isConfirmed, source }: Period,
  replayed: ReadonlyMap<string, ReplayOutcome>,
  { equal, wrong }: Compared,
): LedgerOutcome[] {
  const counted = ledgers.filter(
    ({ facts }) => facts.sequence >= range.first && facts.sequence <= range.last,
  );
  return counted.map(({ facts, transactions }, index) => {
    const soroban = transactions.filter(({ envelope }) => envelope.soroban !== null);
    return {
      protocolVersion: facts.protocolVersion,
      transactions: soroban
        .filter((each) => replayed.has(each.record.hash))
        .map(({ record }): TransactionOutcome => {
          const { isChained = false, notExact = null } = replayed.get(record.hash) ?? {};
          const summary = notExact === null ? contradicted(record.hash, wrong) : null;
          return {
            notExact: summary === null ? notExact : notExactOf({ record }, summary, source),
            isChained,
            isContradicted: summary !== null,
            unconfirmed: !isConfirmed,
            rehearsed: null,
          };
        }),
      classicTransactions: transactions.length - soroban.length,
      refusedTransactions: soroban.filter((each) => !isReplayed(each)).length,
      mismatches: [],
      rehearsedProtocol: null,
      confirmedEntries: index === counted.length - 1 ? equal : 0,
    };
  });
}

/**
 * The summary of a transaction with the chain's result that the next checkpoint contradicts; null
 * if it does not.
 */
function contradicted(hash: string, wrong: readonly WrongEntry[]): Summary | null {
  const written = wrong.find(({ writer }) => writer === hash);
  const used = written ?? wrong.find(({ users }) => users.has(hash));
  if (used === undefined) return null;
  const { keyXdr, onChain, replayed } = used;
  const isTtl = typeOfKey(keyXdr) === ENTRY_TYPE.ttl;
  const show = (value: string | null) =>
    value === null ? "absent" : isTtl ? `live until ledger ${value}` : describeEntry(value);
  const values = `${show(onChain)} in the state of the next checkpoint, ${show(replayed)} in the replay`;
  return {
    verdict: written === undefined ? "inconclusive" : "diverged",
    cause: written === undefined ? "an entry that it used differs later" : "ledger change differs",
    detail: `${describeKey(keyXdr)}: ${values}.`,
  };
}

const EMPTY = { readOnly: [], readWrite: [] };

/** Says whether the transaction reached the contract host. */
function isReplayed({ envelope, record }: ArchivedRecord): boolean {
  return envelope.soroban !== null && reachedHost(readTransactionResult(record.resultXdr));
}

function isSuccessfulClassic({ envelope, record }: ArchivedRecord): boolean {
  return envelope.soroban === null && readTransactionResult(record.resultXdr).success;
}

function keyedChange({ kind, keyXdr, afterXdr }: LedgerChange): KeyedChange {
  const type = typeOfKey(keyXdr);
  const isTtl = type === ENTRY_TYPE.ttl;
  const liveUntilLedger = isTtl && afterXdr !== null ? liveUntilOf(afterXdr) : null;
  return { kind, type, keyXdr, entryXdr: isTtl ? null : afterXdr, liveUntilLedger };
}
