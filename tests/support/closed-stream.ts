// A stream of ledgers, each closed again by a fork of the ledger before it: its transactions must
// end as the chain recorded them, change for change. What a fork does not know is taken over, and
// counted by operation.

import type { ForkBase, ForkEntry, Placed } from "../../src/fork/ledger/chain.ts";
import { unsupportedOperation } from "../../src/fork/ledger/known-operations.ts";
import { openChain } from "../../src/fork/ledger/open-chain.ts";
import type { Simulator } from "../../src/simulator/simulator.ts";
import { FIRST_CLOSED_LEDGER } from "../../src/snapshot/stream/ledgers-fold.ts";
import { type Envelope, openEnvelope } from "../../src/xdr/envelope/envelope.ts";
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
      return { entryXdr: archivedXdr, liveUntilLedger: null, archived: true, provenance };
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
      await compareLedger(beforeNext(state, previous, networkPassphrase), view, simulators, count);
    take(state, view);
    previous = view;
  }
}

function created(entryXdr: string): EntryChange {
  return { kind: "created", keyXdr: keyOfEntry(entryXdr), entryXdr };
}

/** In the order of the fold: all fees; one after the other; all refunds; the end of the ledger. */
function take(state: State, view: LedgerCloseMetaView): void {
  for (const { feeChanges } of view.transactions) state.apply(changesIn(feeChanges));
  for (const { metaXdr } of view.transactions) {
    const { changesBefore, operationChanges, changesAfter } = readTransactionMeta(metaXdr);
    for (const changes of [changesBefore, ...operationChanges, changesAfter]) state.apply(changes);
  }
  for (const { refundChanges } of view.transactions) state.apply(changesIn(refundChanges));
  for (const { changes } of view.upgrades) state.apply(changesIn(changes));
  for (const key of view.evictedKeys) state.evict(Buffer.from(key).toString("base64"));
}

/** The ledger before, as a fork of it knows it. */
export interface Before {
  readonly networkPassphrase: string;
  readonly headerXdr: string;
  readonly hash: string;
  readonly settingsXdr: readonly string[];
  readonly rentFeePer1KbStroops: string | null;
  readonly entry: (keyXdr: string) => ForkEntry | null;
  /** Why a transaction is not closed again; null: it is. */
  readonly takesOver: (envelope: Envelope) => string | null;
}

function beforeNext(
  state: State,
  previous: LedgerCloseMetaView,
  networkPassphrase: string,
): Before {
  const settings = [...state.entries].filter(([keyXdr]) => isSettingKey(keyXdr));
  const window = settingKeyOf(STATE_SIZE_WINDOW_ID);
  const { sequence, header, hash } = previous.facts;
  const average = stateSizeWindowOf(previous.averageStateSizeBytes ?? "0", sequence);
  return {
    networkPassphrase,
    headerXdr: Buffer.from(header).toString("base64"),
    hash: hash ?? "",
    settingsXdr: [
      ...settings.map(([, entryXdr]) => entryXdr),
      ...(state.entries.has(window) ? [] : [average]),
    ],
    rentFeePer1KbStroops: previous.nextRentFeePer1KbStroops,
    entry: (keyXdr) => state.entry(keyXdr),
    takesOver: unsupportedOperation,
  };
}

export async function compareLedger(
  before: Before,
  view: LedgerCloseMetaView,
  simulators: readonly Pick<Simulator, "replay">[],
  count: ClosedStream,
): Promise<void> {
  count.ledgers += 1;
  const takenOver = view.transactions.map((each) =>
    before.takesOver(openEnvelope(each.envelopeXdr, before.networkPassphrase)),
  );
  for (const reason of takenOver)
    if (reason !== null) count.takenOver.set(reason, (count.takenOver.get(reason) ?? 0) + 1);
  if (takenOver.every((each) => each !== null)) return;
  let best: Difference[][] | null = null;
  const wrong = (each: readonly Difference[][]) => each.filter(({ length }) => length > 0).length;
  for (const simulator of simulators) {
    const found = await closeAgain(before, view, simulator, takenOver);
    if (best === null || wrong(found) < wrong(best)) best = found;
    if (wrong(found) === 0) break;
  }
  for (const [i, differences] of (best ?? []).entries()) {
    if (takenOver[i] !== null) continue;
    count.closed += 1;
    if (differences.length === 0) count.equal += 1;
    else count.differences.push(...differences);
  }
}

/** Entries as the ledger's first change of each shows them before; null: it did not exist. */
export function firstStates(view: LedgerCloseMetaView): Map<string, string | null> {
  const states = new Map<string, string | null>();
  const note = ({ kind, keyXdr, entryXdr }: EntryChange) => {
    if (states.has(keyXdr)) return;
    if (kind === "state") states.set(keyXdr, entryXdr);
    if (kind === "created") states.set(keyXdr, null);
  };
  const noteAll = (bytes: Uint8Array | null) => changesIn(bytes).forEach(note);
  for (const { feeChanges } of view.transactions) noteAll(feeChanges);
  for (const { metaXdr } of view.transactions) {
    const { changesBefore, operationChanges, changesAfter } = readTransactionMeta(metaXdr);
    for (const change of [changesBefore, ...operationChanges, changesAfter].flat()) note(change);
  }
  for (const { refundChanges } of view.transactions) noteAll(refundChanges);
  return states;
}

function changesIn(bytes: Uint8Array | null): EntryChange[] {
  return bytes === null ? [] : readEntryChanges(Buffer.from(bytes).toString("base64"));
}

async function closeAgain(
  before: Before,
  view: LedgerCloseMetaView,
  simulator: Pick<Simulator, "replay">,
  takenOver: readonly (string | null)[],
): Promise<Difference[][]> {
  const { networkPassphrase, hash: ledgerHash, entry, ...known } = before;
  const base: ForkBase = {
    ...{ networkPassphrase, ledgerHash, ...known },
    entries: async (keysXdr) => new Map(keysXdr.map((keyXdr) => [keyXdr, entry(keyXdr)])),
  };
  const placed = view.transactions.map((each, i): Placed => {
    const { stage, cluster, baseFeeStroops } = each.placed;
    const { resultXdr, metaXdr, feeChangesXdr, refundChangesXdr } = each;
    return {
      ...{ envelopeXdr: each.envelopeXdr, baseFeeStroops },
      ...(stage !== null && cluster !== null && { stage, cluster }),
      ...(takenOver[i] !== null && {
        recorded: { resultXdr, metaXdr, feeChangesXdr, refundChangesXdr },
      }),
    };
  });
  const ledger = await openChain(base, simulator).close(placed, {
    closeTimeUnixSeconds: BigInt(view.facts.closeTimeUnixSeconds),
    ...{ sequence: view.facts.sequence, transactionSetHash: view.facts.transactionSetHash },
    signal: NEVER_ABORTED,
  });
  return view.transactions.map((each, i) => {
    const fork = ledger.transactions.find(({ hash }) => hash === each.hash);
    const { operationKinds } = openEnvelope(each.envelopeXdr, networkPassphrase);
    const { sequence } = view.facts;
    const of = { ledger: sequence, hash: each.hash, operations: operationKinds.join() };
    if (takenOver[i] !== null) return [];
    if (fork === undefined) {
      const left = ledger.leftOut.find(({ envelopeXdr }) => envelopeXdr === each.envelopeXdr);
      const { code } = readTransactionResult(each.resultXdr);
      return [{ ...of, what: "left out", chain: code, fork: left?.refusal ?? null }];
    }
    return differencesOf(each, fork).map((difference) => ({ ...of, ...difference }));
  });
}

export function differencesOf(
  chain: Pick<LedgerTransaction, "resultXdr" | "metaXdr" | "feeChangesXdr" | "refundChangesXdr">,
  fork: typeof chain,
): Pick<Difference, "what" | "chain" | "fork">[] {
  const [one, other] = [comparable(chain), comparable(fork)];
  return Object.keys(one).flatMap((what) => {
    const [ofChain, ofFork] = [one[what], other[what]];
    // A later release wrote the meta again, with events that were not there.
    if (Number(one.version) > Number(other.version) && REWRITTEN.has(what)) return [];
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

const REWRITTEN = new Set(["version", "events", "transactionEvents"]);
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
