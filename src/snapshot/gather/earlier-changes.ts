// Finds who changed the entries of a snapshot shortly before its transaction: the ledger's own
// earlier transactions, then those of the ledgers in which the entries were last modified, latest
// first. Only such ledgers are read, so that looking back costs little if nothing happened.

import type { Clock } from "../../base/clock.ts";
import { systemClock } from "../../base/clock.ts";
import type { LedgerReader } from "../../ledgers/ledger-reader.ts";
import type { ChainRecord } from "../../model/chain-record.ts";
import type { Conflict } from "../../model/conflict.ts";
import type { Snapshot, SnapshotEntry } from "../../model/snapshot.ts";
import type { FetchContext } from "../../sources/source.ts";
import { firstOfEachKey, keyChanges } from "../../xdr/ledger/keyed-change.ts";
import type { LedgerCloseMetaView, LedgerTransaction } from "../../xdr/ledger/ledger-close-meta.ts";
import { sliceTransactionMeta } from "../../xdr/outcome/meta.ts";
import { XdrCursor } from "../../xdr/reader/cursor.ts";
import { isSorobanKey, lastModifiedOf, sameData, ttlKeyOf } from "../../xdr/reader/keys.ts";
import { xdrSource } from "../../xdr/reader/shape.ts";

export type PastState = Pick<SnapshotEntry, "entryXdr" | "liveUntilLedger">;

export interface EarlierChange
  extends Pick<Conflict, "transactionHash" | "ledger" | "applicationOrder"> {
  /** The entries of the snapshot that it changed, by LedgerKey. */
  readonly before: ReadonlyMap<string, PastState>;
  readonly after: ReadonlyMap<string, PastState>;
  readonly transaction: LedgerTransaction;
  /** The entry that it left, by its meta; null: none. Undefined if it did not write the key. */
  readonly leftXdr: (keyXdr: string) => string | null | undefined;
}

export interface EarlierOptions {
  readonly signal: AbortSignal;
  readonly clock?: Clock;
}

/** About a minute. A change that is older was visible to the simulation. */
const LEDGERS_BACK = 12;
const LIMITS = { ledgers: 6, milliseconds: 10_000 };

/** Begins to read the first ledger of the search. */
export function prefetchEarlier(
  ledgers: LedgerReader,
  { ledger }: ChainRecord,
  { entries }: Snapshot,
  context: FetchContext,
): void {
  const state = new Map<string, PastState>(entries.map((entry) => [entry.keyXdr, entry]));
  const sequence = nextLedger(state, ledger.sequence, ledger.sequence - LEDGERS_BACK);
  if (sequence !== null) ledgers.prefetch(sequence, context);
}

/**
 * Yields the changes, latest first. Ends if no source has a ledger, or if nothing else changed. A
 * `reader` of null reads nothing.
 */
export async function* earlierChanges(
  reader: LedgerReader | null,
  record: ChainRecord,
  { entries }: Snapshot,
  { signal, clock = systemClock }: EarlierOptions,
): AsyncGenerator<EarlierChange> {
  if (reader === null) return;
  const { openLedgerViews } = await import("./ledger-views.ts");
  const { ledger, applicationOrder } = record;
  const ledgers = openLedgerViews({ ledgers: reader, signal, limits: LIMITS, clock });
  const state = new Map<string, PastState>(entries.map((entry) => [entry.keyXdr, entry]));
  let sequence: number | null = ledger.sequence;
  while (sequence !== null) {
    const view: LedgerCloseMetaView | null = await ledgers.view(sequence);
    if (view === null) return;
    const isOwn = sequence === ledger.sequence;
    for (const transaction of view.transactions.toReversed()) {
      if (isOwn && transaction.order >= applicationOrder) continue;
      const before = changedBy(transaction, state);
      if (before.size === 0) continue;
      const after = new Map([...state].filter(([key]) => before.has(key)));
      for (const [key, past] of before) state.set(key, past);
      const { hash, order } = transaction;
      const leftXdr = (keyXdr: string) => leftBy(transaction, keyXdr);
      const of = { transactionHash: hash, ledger: sequence, applicationOrder: order };
      yield { ...of, before, after, transaction, leftXdr };
    }
    sequence = nextLedger(state, sequence, ledger.sequence - LEDGERS_BACK);
  }
}

/** The latest ledger before `sequence` in which any of them was last modified. */
function nextLedger(
  state: ReadonlyMap<string, PastState>,
  sequence: number,
  first: number,
): number | null {
  const modified = [...state.values()]
    .flatMap(({ entryXdr }) => (entryXdr === null ? [] : lastModifiedOf(entryXdr)))
    .filter((each) => each < sequence && each >= first);
  return modified.length === 0 ? null : Math.max(...modified);
}

function leftBy({ meta }: LedgerTransaction, keyXdr: string): string | null | undefined {
  const { operationChanges } = sliceTransactionMeta(new XdrCursor(xdrSource(meta)));
  const changes = operationChanges.flatMap(keyChanges);
  return changes.findLast((change) => change.keyXdr === keyXdr)?.entryXdr;
}

/** The entries whose value the operations changed. Writing an entry unchanged does not count. */
function changedBy(
  { meta }: LedgerTransaction,
  state: ReadonlyMap<string, PastState>,
): Map<string, PastState> {
  const { operationChanges } = sliceTransactionMeta(new XdrCursor(xdrSource(meta)));
  const first = new Map(firstOfEachKey(operationChanges.flatMap(keyChanges)));
  const before = new Map<string, PastState>();
  for (const [key, now] of state) {
    const change = first.get(key);
    if (change?.kind !== "state" && change?.kind !== "created") continue;
    const entryXdr = change.kind === "state" ? change.entryXdr : null;
    if (sameData(entryXdr, now.entryXdr)) continue;
    const ttl = isSorobanKey(key) ? first.get(ttlKeyOf(key)) : undefined;
    const past = ttl?.kind === "state" ? ttl.liveUntilLedger : now.liveUntilLedger;
    before.set(key, { entryXdr, liveUntilLedger: entryXdr === null ? null : past });
  }
  return before;
}
