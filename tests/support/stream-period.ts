// A stream of ledgers as a history archive would show it: from the ledger before its first Soroban
// transaction after the last upgrade, to its last ledger, the states at both ends as the metas leave
// them, and no meta in between.

import type { ArchivedLedgerRecords } from "../../src/history-archive/archived-ledger.ts";
import type { CheckpointEntry, StateReader } from "../../src/history-archive/state-at.ts";
import { STATE_SIZE_WINDOW_KEY } from "../../src/snapshot/decide-settings.ts";
import { readLedgerFile } from "../../src/sources/files/ledger-file.ts";
import { PeriodEnds } from "../../src/verify/period-ends.ts";
import { readSorobanFacts } from "../../src/xdr/envelope/envelope-facts.ts";
import { openRecord } from "../../src/xdr/envelope/opened-record.ts";
import { factsAfter, headerFacts } from "../../src/xdr/ledger/facts-before-upgrades.ts";
import { genesisAccount } from "../../src/xdr/ledger/genesis.ts";
import {
  keyChanges,
  readKeyedChanges,
  type SlicedChange,
} from "../../src/xdr/ledger/keyed-change.ts";
import {
  type LedgerCloseMetaView,
  readLedgerCloseMeta,
} from "../../src/xdr/ledger/ledger-close-meta.ts";
import { stateSizeWindowOf } from "../../src/xdr/ledger/settings.ts";
import { sliceMetaChanges } from "../../src/xdr/outcome/meta.ts";
import { ENTRY_TYPE, isTemporaryKey, keyOfEntry, ttlKeyOf } from "../../src/xdr/reader/keys.ts";
import { firstMentionsOf, CORE_TESTS_PASSPHRASE as networkPassphrase } from "./folded-stream.ts";
import { NEVER_ABORTED } from "./loopback-walk.ts";

interface State {
  readonly live: Map<string, Uint8Array>;
  readonly hot: Map<string, Uint8Array>;
}

/** Null: the stream has no Soroban transaction, or does not show the state-size window. */
export async function streamPeriod(path: string) {
  const read = () => readLedgerFile(path, { signal: NEVER_ABORTED });
  const views: LedgerCloseMetaView[] = [];
  for await (const { ledgerCloseMeta } of read())
    views.push(readLedgerCloseMeta(ledgerCloseMeta, networkPassphrase));
  const upgraded = views.findLastIndex(({ upgrades }) => upgrades.length > 0);
  const start = views.findIndex(
    ({ transactions }, index) =>
      index > upgraded &&
      transactions.some(({ placed }) => readSorobanFacts(placed.envelope) !== null),
  );
  const before = views[start - 1];
  const last = views.at(-1);
  if (before === undefined || last === undefined) return null;
  const settings = await firstMentionsOf(read(), { networkPassphrase, settingsOnly: true });
  const state: State = { live: new Map(), hot: new Map() };
  const genesis = genesisAccount(networkPassphrase);
  state.live.set(keyOfEntry(genesis.toBase64()), genesis);
  for (const view of views.slice(0, start)) apply(state, view);
  const first = { live: new Map(state.live), hot: new Map(state.hot) };
  for (const view of views.slice(start)) apply(state, view);
  const window = before.averageStateSizeBytes;
  if (window === null) return null;
  const states = {
    hasClassic: true,
    async inCheckpoint(key: Uint8Array, checkpoint: number): Promise<CheckpointEntry> {
      const { live, hot } = checkpoint === before.facts.sequence ? first : state;
      const keyXdr = key.toBase64();
      // Whatever the last ledger would have: no sample is shown.
      if (keyXdr === STATE_SIZE_WINDOW_KEY) {
        const entry = Uint8Array.fromBase64(stateSizeWindowOf(window, 1));
        return { entry, archived: false };
      }
      const found = live.get(keyXdr);
      if (found !== undefined) return { entry: found, archived: false };
      const archived = hot.get(keyXdr);
      if (archived !== undefined) return { entry: archived, archived: true };
      const setting = settings.find(keyXdr)?.before;
      const made = setting?.kind === "entry" && keyXdr.startsWith("AAAACA");
      return {
        entry: made ? Uint8Array.fromBase64(setting.entryXdr ?? "") : null,
        archived: false,
      };
    },
  } as unknown as StateReader;
  const ledgers = views.slice(start).map((view, index) => {
    return archived(view, views[start + index - 1] as LedgerCloseMetaView);
  });
  return { ends: new PeriodEnds(states, headerOf(before), headerOf(last)), ledgers };
}

function headerOf({ facts }: LedgerCloseMetaView): ArchivedLedgerRecords["header"] {
  return { ...facts, hash: facts.hash ?? "", bucketListHash: "" };
}

function archived(view: LedgerCloseMetaView, before: LedgerCloseMetaView): ArchivedLedgerRecords {
  const ledger = factsAfter(headerFacts(view.facts), before.facts);
  const transactions = view.transactions.map((transaction) => {
    const { hash, innerHash, envelopeXdr, resultXdr, result, placed, order } = transaction;
    const record = {
      ...{ requestedHash: hash, hash, innerHash, networkPassphrase, envelopeXdr, resultXdr },
      ...{ resultMetaXdr: null, feeChangesXdr: null, refundChangesXdr: null },
      ...{ diagnosticEventsXdr: [], ledger, applicationOrder: order, origins: {} },
    };
    return { ...openRecord(record), placed: { ...placed, hash, result } };
  });
  return { header: headerOf(view), facts: ledger, transactions };
}

function apply(state: State, view: LedgerCloseMetaView): void {
  const isParallel = view.transactions.some(({ placed }) => placed.stage !== null);
  for (const change of changesIn(view)) {
    const known = state.live.get(change.keyXdr);
    if (change.kind === "removed") state.live.delete(change.keyXdr);
    else if (!(isParallel && known !== undefined && isShorter(change, known)))
      state.live.set(change.keyXdr, change.bytes);
    if (change.kind !== "state") state.hot.delete(change.keyXdr);
  }
  for (const key of view.evictedKeys) {
    const keyXdr = key.toBase64();
    const entry = state.live.get(keyXdr);
    const type = key[3];
    const hasTtl = type === ENTRY_TYPE.contractData || type === ENTRY_TYPE.contractCode;
    if (hasTtl) state.live.delete(ttlKeyOf(keyXdr));
    if (hasTtl && entry !== undefined && !isTemporaryKey(keyXdr)) state.hot.set(keyXdr, entry);
    state.live.delete(keyXdr);
  }
}

/** Extensions of what is only read are merged to the longest. */
function isShorter({ type, kind, bytes }: SlicedChange, known: Uint8Array): boolean {
  const until = (entry: Uint8Array) => new DataView(entry.buffer, entry.byteOffset).getUint32(40);
  const isKept = kind === "updated" || kind === "state";
  return type === ENTRY_TYPE.ttl && isKept && until(bytes) < until(known);
}

function* changesIn(view: LedgerCloseMetaView): Generator<SlicedChange> {
  for (const { feeChanges } of view.transactions) yield* readKeyedChanges(feeChanges);
  for (const { meta } of view.transactions) {
    const changes = sliceMetaChanges(meta);
    yield* keyChanges(changes.changesBefore);
    for (const each of changes.operationChanges) yield* keyChanges(each);
    yield* keyChanges(changes.changesAfter);
  }
  for (const { refundChanges } of view.transactions)
    if (refundChanges !== null) yield* readKeyedChanges(refundChanges);
  for (const { changes } of view.upgrades) yield* readKeyedChanges(changes);
}
