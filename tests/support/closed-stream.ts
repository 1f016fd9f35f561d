// A stream of ledgers, each closed again by a fork of the ledger before it: its transactions must
// end as the chain recorded them, change for change. What a fork does not know is taken over, and
// counted by operation.

import type { ForkBase, ForkEntry, Placed } from "../../src/fork/ledger/chain.ts";
import { openChain } from "../../src/fork/ledger/open-chain.ts";
import { unsupportedOperation } from "../../src/fork/ledger/transactions.ts";
import type { Simulator } from "../../src/simulator/simulator.ts";
import { FIRST_CLOSED_LEDGER } from "../../src/snapshot/stream/ledgers-fold.ts";
import { openEnvelope } from "../../src/xdr/envelope/envelope.ts";
import { genesisAccount } from "../../src/xdr/ledger/genesis.ts";
import {
  type LedgerCloseMetaView,
  type LedgerTransaction,
  readLedgerCloseMeta,
} from "../../src/xdr/ledger/ledger-close-meta.ts";
import {
  STATE_SIZE_WINDOW_ID,
  settingKeyOf,
  stateSizeWindowOf,
} from "../../src/xdr/ledger/settings.ts";
import { readCoreMetrics } from "../../src/xdr/outcome/diagnostics.ts";
import {
  type EntryChange,
  readEntryChanges,
  readTransactionMeta,
} from "../../src/xdr/outcome/meta.ts";
import { readTransactionResult } from "../../src/xdr/outcome/result.ts";
import {
  ENTRY_TYPE,
  isSettingKey,
  isSorobanKey,
  isTemporaryKey,
  keyOfEntry,
  liveUntilOf,
  ttlKeyOf,
  typeOfKey,
} from "../../src/xdr/reader/keys.ts";
import { decode } from "../../src/xdr/reader/value.ts";
import { initialSettings } from "./initial-settings.ts";
import { NEVER_ABORTED } from "./loopback-walk.ts";

export interface Difference {
  readonly ledger: number;
  readonly hash: string;
  readonly operations: string;
  readonly what: string;
  readonly chain: unknown;
  readonly fork: unknown;
}

export interface ClosedStream {
  ledgers: number;
  /** Closed by the fork, and of these, equal to the chain's. */
  closed: number;
  equal: number;
  /** Transactions with an operation that a fork does not know, by that operation. */
  readonly takenOver: Map<string, number>;
  readonly differences: Difference[];
}

export function nothingClosed(): ClosedStream {
  return { ledgers: 0, closed: 0, equal: 0, takenOver: new Map(), differences: [] };
}

/** Every entry that the ledgers so far left, TTL entries and the hot archive too. */
class State {
  readonly entries = new Map<string, string>();
  readonly hotArchive = new Map<string, string>();

  apply(changes: readonly EntryChange[]): void {
    for (const { kind, keyXdr, entryXdr } of changes) {
      if (kind === "state") continue;
      this.hotArchive.delete(keyXdr);
      if (entryXdr === null) this.entries.delete(keyXdr);
      else this.entries.set(keyXdr, entryXdr);
    }
  }

  evict(keyXdr: string): void {
    const entryXdr = this.entries.get(keyXdr);
    this.entries.delete(keyXdr);
    if (typeOfKey(keyXdr) === ENTRY_TYPE.ttl || !isSorobanKey(keyXdr)) return;
    this.entries.delete(ttlKeyOf(keyXdr));
    if (entryXdr !== undefined && !isTemporaryKey(keyXdr)) this.hotArchive.set(keyXdr, entryXdr);
  }

  entry(keyXdr: string): ForkEntry | null {
    const provenance = { kind: "ledger-scan", detail: "test" } as const;
    const archivedXdr = this.hotArchive.get(keyXdr);
    if (archivedXdr !== undefined)
      return { entryXdr: archivedXdr, liveUntilLedger: 0, archived: true, provenance };
    const entryXdr = this.entries.get(keyXdr);
    if (entryXdr === undefined) return null;
    const ttl = isSorobanKey(keyXdr) ? this.entries.get(ttlKeyOf(keyXdr)) : undefined;
    const liveUntilLedger = ttl === undefined ? null : liveUntilOf(ttl);
    return { entryXdr, liveUntilLedger, archived: false, provenance };
  }
}

export async function closeStream(
  ledgers: AsyncIterable<{ readonly ledgerCloseMeta: Uint8Array }>,
  networkPassphrase: string,
  simulators: readonly Pick<Simulator, "replay">[],
  count: ClosedStream,
): Promise<void> {
  const state = new State();
  state.apply([created(genesisAccount(networkPassphrase).toBase64())]);
  let previous: LedgerCloseMetaView | null = null;
  for await (const { ledgerCloseMeta } of ledgers) {
    const view = readLedgerCloseMeta(ledgerCloseMeta, networkPassphrase);
    if (previous === null && view.facts.sequence === FIRST_CLOSED_LEDGER)
      for (const xdr of initialSettings(view.facts.protocolVersion).values())
        state.apply([created(xdr)]);
    const isNext = previous !== null && previous.facts.sequence + 1 === view.facts.sequence;
    if (isNext && previous !== null && previous.facts.protocolVersion >= 20)
      await compareLedger(state, previous, view, networkPassphrase, simulators, count);
    take(state, view);
    previous = view;
  }
}

function created(entryXdr: string): EntryChange {
  return { kind: "created", keyXdr: keyOfEntry(entryXdr), entryXdr };
}

/** In the order of the fold: all fees; one after the other; all refunds; the end of the ledger. */
function take(state: State, view: LedgerCloseMetaView): void {
  const changesOf = (bytes: Uint8Array | null) =>
    bytes === null ? [] : readEntryChanges(Buffer.from(bytes).toString("base64"));
  for (const { feeChanges } of view.transactions) state.apply(changesOf(feeChanges));
  for (const { metaXdr } of view.transactions) {
    const { changesBefore, operationChanges, changesAfter } = readTransactionMeta(metaXdr);
    for (const changes of [changesBefore, ...operationChanges, changesAfter]) state.apply(changes);
  }
  for (const { refundChanges } of view.transactions) state.apply(changesOf(refundChanges));
  for (const { changes } of view.upgrades) state.apply(changesOf(changes));
  for (const key of view.evictedKeys) state.evict(Buffer.from(key).toString("base64"));
}

async function compareLedger(
  state: State,
  previous: LedgerCloseMetaView,
  view: LedgerCloseMetaView,
  networkPassphrase: string,
  simulators: readonly Pick<Simulator, "replay">[],
  count: ClosedStream,
): Promise<void> {
  count.ledgers += 1;
  const unknown = view.transactions.map((each) =>
    unsupportedOperation(openEnvelope(each.envelopeXdr, networkPassphrase)),
  );
  for (const operation of unknown)
    if (operation !== null)
      count.takenOver.set(operation, (count.takenOver.get(operation) ?? 0) + 1);
  if (unknown.every((each) => each !== null)) return;
  let best: Difference[][] | null = null;
  for (const simulator of simulators) {
    const found = await closeAgain(state, previous, view, networkPassphrase, simulator, unknown);
    const wrong = (each: readonly Difference[][]) => each.filter(({ length }) => length > 0).length;
    if (best === null || wrong(found) < wrong(best)) best = found;
    if (wrong(found) === 0) break;
  }
  for (const [i, differences] of (best ?? []).entries()) {
    if (unknown[i] !== null) continue;
    count.closed += 1;
    if (differences.length === 0) count.equal += 1;
    else count.differences.push(...differences);
  }
}

async function closeAgain(
  state: State,
  previous: LedgerCloseMetaView,
  view: LedgerCloseMetaView,
  networkPassphrase: string,
  simulator: Pick<Simulator, "replay">,
  unknown: readonly (string | null)[],
): Promise<Difference[][]> {
  const settings = [...state.entries].filter(([keyXdr]) => isSettingKey(keyXdr));
  const window = settingKeyOf(STATE_SIZE_WINDOW_ID);
  const { sequence } = previous.facts;
  const hasWindow = settings.some(([keyXdr]) => keyXdr === window);
  const base: ForkBase = {
    networkPassphrase,
    headerXdr: Buffer.from(previous.facts.header).toString("base64"),
    ledgerHash: previous.facts.hash ?? "",
    settingsXdr: [
      ...settings.map(([, entryXdr]) => entryXdr),
      ...(hasWindow ? [] : [stateSizeWindowOf(previous.averageStateSizeBytes ?? "0", sequence)]),
    ],
    rentFeePer1KbStroops: previous.nextRentFeePer1KbStroops,
    entries: async (keysXdr) => new Map(keysXdr.map((keyXdr) => [keyXdr, state.entry(keyXdr)])),
  };
  const chain = openChain(base, simulator);
  const placed = view.transactions.map((each, i): Placed => {
    const { stage, cluster, baseFeeStroops } = each.placed;
    const { resultXdr, metaXdr, feeChangesXdr, refundChangesXdr } = each;
    return {
      ...{ envelopeXdr: each.envelopeXdr, baseFeeStroops },
      ...(stage !== null && cluster !== null && { stage, cluster }),
      ...(unknown[i] !== null && {
        recorded: { resultXdr, metaXdr, feeChangesXdr, refundChangesXdr },
      }),
    };
  });
  const ledger = await chain.close(placed, {
    closeTimeUnixSeconds: BigInt(view.facts.closeTimeUnixSeconds),
    transactionSetHash: view.facts.transactionSetHash,
    signal: NEVER_ABORTED,
  });
  return view.transactions.map((each, i) => {
    const fork = ledger.transactions.find(({ hash }) => hash === each.hash);
    const { operationKinds } = openEnvelope(each.envelopeXdr, networkPassphrase);
    const known = {
      ...{ ledger: view.facts.sequence, hash: each.hash, operations: operationKinds.join() },
    };
    if (unknown[i] !== null) return [];
    if (fork === undefined) {
      const left = ledger.leftOut.find(({ envelopeXdr }) => envelopeXdr === each.envelopeXdr);
      const { code } = readTransactionResult(each.resultXdr);
      return [{ ...known, what: "left out", chain: code, fork: left?.refusal ?? null }];
    }
    return differencesOf(each, fork).map((difference) => ({ ...known, ...difference }));
  });
}

export function differencesOf(
  chain: Pick<LedgerTransaction, "resultXdr" | "metaXdr" | "feeChangesXdr" | "refundChangesXdr">,
  fork: typeof chain,
): Pick<Difference, "what" | "chain" | "fork">[] {
  const [one, other] = [comparable(chain), comparable(fork)];
  return Object.keys(one).flatMap((what) => {
    const [ofChain, ofFork] = [one[what], other[what]];
    // What a node was not set to write is not compared.
    if (ofChain === null || ofChain === undefined) return [];
    if (Bun.deepEquals(ofChain, ofFork)) return [];
    return [{ what, chain: ofChain, fork: ofFork }];
  });
}

function comparable(
  each: Pick<LedgerTransaction, "resultXdr" | "metaXdr" | "feeChangesXdr" | "refundChangesXdr">,
): Record<string, unknown> {
  const meta = readTransactionMeta(each.metaXdr);
  const metrics = [...readCoreMetrics(meta.diagnosticsXdr)].filter(
    ([name]) => !name.endsWith("_nsecs"),
  );
  return {
    result: decode("TransactionResult", each.resultXdr),
    version: meta.version,
    fee: byKey(readEntryChanges(each.feeChangesXdr)),
    before: byKey(meta.changesBefore),
    operations: meta.operationChanges.map(byKey),
    after: byKey(meta.changesAfter),
    refund: each.refundChangesXdr === null ? null : byKey(readEntryChanges(each.refundChangesXdr)),
    returnValue: meta.returnValueXdr,
    events:
      meta.eventsXdr.length === 0 && meta.transactionEventsXdr.length === 0 ? null : meta.eventsXdr,
    transactionEvents: meta.transactionEventsXdr.length === 0 ? null : meta.transactionEventsXdr,
    fees: meta.sorobanFees,
    metrics: metrics.length === 0 ? null : Object.fromEntries(metrics.sort()),
  };
}

const STATE_OF_TTL = "any";

/** The changes of each key in their order; of the keys there is none. */
function byKey(changes: readonly EntryChange[]): Record<string, string[]> {
  const found: Record<string, string[]> = {};
  for (const { kind, keyXdr, entryXdr } of changes) {
    const isTtlState = kind === "state" && typeOfKey(keyXdr) === ENTRY_TYPE.ttl;
    // No source has the ledger that last changed a TTL.
    const value = isTtlState ? `${STATE_OF_TTL} ${liveUntilOf(entryXdr ?? "")}` : entryXdr;
    found[keyXdr] = [...(found[keyXdr] ?? []), `${kind} ${value}`];
  }
  return found;
}
