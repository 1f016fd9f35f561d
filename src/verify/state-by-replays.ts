// Computes the state at a moment between two checkpoints from a history archive alone, if
// transactions since the checkpoint wrote it. These are replayed, with the transactions that they
// depend on, as `svc verify --archive` does. Their results are compared with the next checkpoint.

import { checkpointOf } from "../history-archive/archive-files.ts";
import type { ArchivedLedgerRecords, ArchivedRecord } from "../history-archive/archived-ledger.ts";
import type { ArchivePlace } from "../history-archive/opened-archive.ts";
import { shownEntry } from "../history-archive/state-at.ts";
import type { ChainRecord } from "../model/chain-record.ts";
import type { Snapshot, SnapshotEntry } from "../model/snapshot.ts";
import { isKnown } from "../model/state/entry-state.ts";
import type { StateFact, StateProof, StateReport } from "../model/state/proven-state.ts";
import type { LedgerOutcome, NotExact } from "../model/verification.ts";
import type { SimulatorProgram } from "../simulator/simulator-program.ts";
import { type FootprintKey, footprintKeys, keysNamed } from "../snapshot/footprint-keys.ts";
import { readTransactionResult } from "../xdr/outcome/result.ts";
import type { Gap } from "./period-knowledge.ts";
import type { PeriodInputs } from "./period-state.ts";
import { openReplayEngines } from "./replay-transaction.ts";
import { type Moment, openPeriod, verifyPeriod } from "./verify-archive.ts";

export interface ReplayingOptions {
  readonly program: SimulatorProgram;
  readonly signal: AbortSignal;
}

/** Null if a part is still unknown, or is not signed by enough validators. */
export async function stateByReplays(
  place: ArchivePlace,
  { hash, ledger, networkPassphrase }: ChainRecord,
  { program, signal }: ReplayingOptions,
): Promise<Snapshot | null> {
  const period = await periodOf(place, ledger.sequence, networkPassphrase);
  signal.throwIfAborted();
  if (!period.isSigned) return null;
  await using engines = openReplayEngines(program, 1);
  const inputs = new Map<string, PeriodInputs>();
  const own = transactionsIn(period.ledgers).filter(({ record }) => record.hash === hash);
  const only = needed(declaredBy(transactionsIn(period.ledgers)), own, []);
  const outcomes = await verifyPeriod({ ...period, engines, signal, only, inputs });
  const periodInputs = inputs.get(hash);
  const isKnown = periodInputs?.gaps.length === 0 && periodInputs.maybeEvicted.length === 0;
  // If its own replay differs, the transaction that wrote one of its inputs may be contradicted
  // too.
  const isRefuted = contradictedIn(outcomes).length > 0;
  return isKnown && !isRefuted ? periodInputs.snapshot : null;
}

/** Completes the reports of one moment with what replays show. All of them use the same replays. */
export async function reportsByReplays(
  place: ArchivePlace,
  reports: readonly StateReport[],
  { networkPassphrase, program, signal }: ReplayingOptions & Passphrase,
): Promise<StateReport[]> {
  const [firstReport] = reports;
  if (firstReport === undefined) return [];
  const { ledger, before = null } = firstReport;
  const period = await periodOf(place, ledger, networkPassphrase);
  const { first, last } = period.ends;
  if (!period.isSigned || first === null) return [...reports];
  const all = transactionsIn(period.ledgers);
  const declared = declaredBy(all);
  const users = Map.groupBy(
    all.flatMap((each) => keysOf(each).map(({ keyXdr }) => ({ keyXdr, each }))),
    ({ keyXdr }) => keyXdr,
  );
  const usersOf = (keyXdr: string) => (users.get(keyXdr) ?? []).map(({ each }) => each);
  const reportOfKey = new Map(reports.map((report) => [report.keyXdr, report]));
  // No replay shows the changes of classic operations or evictions, which declare nothing.
  let open = keysNamed([...reportOfKey.keys()].filter((keyXdr) => users.has(keyXdr)));
  if (open.length === 0) return [...reports];
  await using engines = openReplayEngines(program, 1);
  const signatures = await place.chain.signatures(last.sequence);
  const end = all.findIndex(({ record }) => isAfter(record, ledger, before));
  const earlier = new Set(
    all.slice(0, end === -1 ? undefined : end).map(({ record }) => record.hash),
  );
  // A transaction that only reads an entry may extend it. Most do not, so the fewest replays come
  // first.
  for (const withReaders of [false, true]) {
    signal.throwIfAborted();
    const readers = withReaders ? open.flatMap(({ keyXdr }) => usersOf(keyXdr)) : [];
    const only = needed(declared, readers.filter(isSuccessful), open);
    const shown = new Map<string, SnapshotEntry | Gap>();
    const moment: Moment = {
      ledger,
      before,
      reached: async (state, facts) => {
        for (const { keyXdr } of open) shown.set(keyXdr, await state.entryNow(keyXdr, facts));
      },
    };
    const outcomes = await verifyPeriod({ ...period, engines, signal, only, moment });
    const contradicted = contradictedIn(outcomes);
    const ran = declared.filter(({ hash }) => only.has(hash));
    const ranBefore = ({ record: { hash } }: ArchivedRecord) => only.has(hash) && earlier.has(hash);
    const left: FootprintKey[] = [];
    for (const key of open) {
      const { keyXdr } = key;
      const report = reportOfKey.get(keyXdr);
      const value = shown.get(keyXdr);
      if (report === undefined || value === undefined) continue;
      const replayed = needed(ran, usersOf(keyXdr).filter(ranBefore), [key]);
      const wrong = contradicted.find(({ hash }) => replayed.has(hash));
      if (wrong !== undefined)
        reportOfKey.set(keyXdr, unknownBecause(report, contradictedBy(wrong)));
      else if (!isKnown(value)) {
        reportOfKey.set(keyXdr, unknownBecause(report, value.reason));
        left.push(key);
      } else {
        const proof = {
          step: "replayed" as const,
          bucketHash: null,
          signatures,
          replays: [...earlier].filter((hash) => replayed.has(hash)),
          checkpoint: first.sequence,
          headerHash: first.hash,
          bucketListHash: first.bucketListHash,
          signedLedger: last.sequence,
        };
        reportOfKey.set(keyXdr, withShown(report, value, proof));
      }
    }
    open = left;
    if (open.length === 0) break;
  }
  return [...reportOfKey.values()];
}

interface Passphrase {
  readonly networkPassphrase: string;
}

/** The period around the ledger, from checkpoint to checkpoint. */
async function periodOf(place: ArchivePlace, ledger: number, networkPassphrase: string) {
  const { archive } = place.chain;
  const last = checkpointOf(ledger, archive);
  const range = { first: Math.max(1, last - archive.ledgersPerCheckpoint + 1), last };
  return { ...(await openPeriod(place, range, networkPassphrase)), range };
}

function isAfter({ hash, ledger }: ChainRecord, last: number, before: string | null): boolean {
  return ledger.sequence > last || hash === before;
}

function withShown(report: StateReport, shown: SnapshotEntry, proof: StateProof): StateReport {
  const { entryXdr, liveUntilLedger, archived } = shown;
  const absent = { kind: "absent", proof } as const;
  const entry: StateReport["entry"] =
    entryXdr === null
      ? absent
      : { kind: "known", value: shownEntry({ entry: bytesOf(entryXdr), archived }), proof };
  const ttl: StateFact<number> =
    liveUntilLedger === null ? absent : { kind: "known", value: liveUntilLedger, proof };
  const isOther =
    report.entry.kind !== "unknown" &&
    (report.entry.kind === "known" ? report.entry.value.entryXdr : null) !== entryXdr;
  if (isOther) return report;
  const { checkpoints: _, ...known } = report;
  return {
    ...known,
    entry: report.entry.kind === "unknown" ? entry : report.entry,
    liveUntil: report.liveUntil?.kind === "unknown" ? ttl : report.liveUntil,
  };
}

function unknownBecause(report: StateReport, reason: string): StateReport {
  const unknown = { kind: "unknown", reason } as const;
  return {
    ...report,
    entry: report.entry.kind === "unknown" ? unknown : report.entry,
    liveUntil: report.liveUntil?.kind === "unknown" ? unknown : report.liveUntil,
  };
}

function bytesOf(entryXdr: string): Uint8Array {
  return Uint8Array.fromBase64(entryXdr);
}

function contradictedIn(outcomes: readonly LedgerOutcome[]): NotExact[] {
  return outcomes
    .flatMap(({ transactions }) => transactions)
    .flatMap(({ notExact, isContradicted }) => (isContradicted && notExact ? [notExact] : []));
}

function contradictedBy({ hash }: NotExact): string {
  return `the replay of transaction ${hash} left another state than the next checkpoint has`;
}

function transactionsIn(ledgers: readonly ArchivedLedgerRecords[]): ArchivedRecord[] {
  return ledgers.flatMap(({ transactions }) => transactions);
}

interface DeclaredKeys {
  readonly hash: string;
  readonly keys: readonly FootprintKey[];
}

/** The keys that the successful transactions declare. */
function declaredBy(transactions: readonly ArchivedRecord[]): DeclaredKeys[] {
  return transactions
    .filter(isSuccessful)
    .map((each) => ({ hash: each.record.hash, keys: keysOf(each) }));
}

/**
 * The hashes of these transactions, and of those that wrote one of the keys or an entry that these
 * need.
 */
function needed(
  all: readonly DeclaredKeys[],
  own: readonly ArchivedRecord[],
  keys: readonly FootprintKey[],
): ReadonlySet<string> {
  const hashes = new Set(own.map(({ record }) => record.hash));
  const wantedKeys = new Set<string>();
  const want = (more: readonly FootprintKey[]) => {
    for (const { keyXdr, ttlKeyXdr } of more) wantedKeys.add(keyXdr).add(ttlKeyXdr ?? keyXdr);
  };
  want([...keys, ...own.flatMap(keysOf)]);
  for (let before = -1; before < hashes.size; ) {
    before = hashes.size;
    for (const { hash, keys: declared } of all) {
      const writes = declared.some(({ readOnly, keyXdr }) => !readOnly && wantedKeys.has(keyXdr));
      if (!writes || hashes.has(hash)) continue;
      hashes.add(hash);
      want(declared);
    }
  }
  return hashes;
}

function isSuccessful({ envelope, record }: ArchivedRecord): boolean {
  return envelope.soroban !== null && readTransactionResult(record.resultXdr).success;
}

function keysOf({ envelope: { soroban } }: ArchivedRecord): FootprintKey[] {
  return footprintKeys(soroban?.footprint ?? { readOnly: [], readWrite: [] });
}
