// A gap-free stream of ledgers, played as Horizon and Stellar RPC on loopback: the nodes know what
// the stream shows, what they are given beside it, and the settings that its genesis protocol begins
// with. A node stands at one ledger, which is part of its address, and answers as it would have
// then: ledgers, transactions and entries up to that one.

import { footprintKeys } from "../../src/snapshot/footprint-keys.ts";
import { changesInLedger, firstChangesIn } from "../../src/snapshot/stream/ledger-changes.ts";
import { FIRST_CLOSED_LEDGER } from "../../src/snapshot/stream/ledgers-fold.ts";
import { StageTtls } from "../../src/snapshot/stream/stage-ttls.ts";
import type { LedgerBytes } from "../../src/sources/files/ledger-stream.ts";
import { readSorobanFacts } from "../../src/xdr/envelope/envelope-facts.ts";
import {
  type KeyedChange,
  keyChanges,
  readKeyedChanges,
} from "../../src/xdr/ledger/keyed-change.ts";
import {
  type LedgerCloseMetaView,
  readLedgerCloseMeta,
  transactionInLedger,
} from "../../src/xdr/ledger/ledger-close-meta.ts";
import { settingKeyOf } from "../../src/xdr/ledger/settings.ts";
import { sliceMetaChanges } from "../../src/xdr/outcome/meta.ts";
import { readTransactionResult } from "../../src/xdr/outcome/result.ts";
import {
  isSorobanKey,
  isTemporaryKey,
  lastModifiedOf,
  ttlKeyOf,
} from "../../src/xdr/reader/keys.ts";
import { shapeOf, xdrSource } from "../../src/xdr/reader/shape.ts";
import { FoldedModel } from "./folded-model.ts";
import { initialSettings } from "./initial-settings.ts";
import { type LedgerChain, type MadeNode, serveNetwork } from "./made-network.ts";

/** What a key was when the ledger had closed; null: it did not exist. */
interface Version {
  readonly ledger: number;
  readonly value: EntryValue;
}

/** A LedgerEntry, or a live-until ledger for a TTL key. */
export type EntryValue = string | number | null;

/** A LedgerEntry's last-modified ledger, before its data. */
const HEAD_SIZE = 4;
const entryData = shapeOf("LedgerEntryData");

export interface StreamNodes extends AsyncDisposable {
  readonly horizonUrl: (ledger: number) => string;
  /** `entries: false`: the node does not serve getLedgerEntries. */
  readonly rpcUrl: (ledger: number, entries: boolean) => string;
  /** A node that stands where `LiveNode` says. */
  readonly liveUrl: (name?: string) => string;
}

/** Applies the changes of a ledger to the state. */
function foldInto(state: FoldedModel, view: LedgerCloseMetaView): void {
  const apply = (change: KeyedChange) => state.applyOne(change);
  const metas = view.transactions.map(({ placed, meta }) => ({
    placed,
    ...sliceMetaChanges(meta),
  }));
  const parallel = metas.filter(({ placed }) => placed.stage !== null);
  state.beginLedger(view.facts.sequence);
  for (const { feeChanges } of view.transactions) readKeyedChanges(feeChanges).forEach(apply);
  for (const each of metas.filter(({ placed }) => placed.stage === null))
    for (const changes of [each.changesBefore, ...each.operationChanges, each.changesAfter])
      keyChanges(changes).forEach(apply);
  for (const { changesBefore } of parallel) keyChanges(changesBefore).forEach(apply);
  foldStages(state, parallel);
  for (const { changesAfter } of parallel) keyChanges(changesAfter).forEach(apply);
  for (const { refundChanges } of view.transactions)
    if (refundChanges !== null) readKeyedChanges(refundChanges).forEach(apply);
  for (const { changes } of view.upgrades) readKeyedChanges(changes).forEach(apply);
  for (const key of view.evictedKeys) state.evict(key.toBase64());
}

type ParallelMeta = Pick<LedgerCloseMetaView["transactions"][number], "placed"> &
  Pick<ReturnType<typeof sliceMetaChanges>, "operationChanges">;

/** Extensions of read-only entries are merged when their stage ends (CAP-63). */
function foldStages(state: FoldedModel, parallel: readonly ParallelMeta[]): void {
  const ttls = new StageTtls(state);
  let current: number | null = null;
  for (const { placed, operationChanges } of parallel) {
    const cluster = placed.cluster ?? 0;
    if (placed.stage !== current) ttls.end();
    current = placed.stage;
    const { footprint } = readSorobanFacts(placed.envelope) ?? {};
    const keys = footprintKeys(footprint ?? { readOnly: [], readWrite: [] });
    ttls.beforeTransaction(cluster, keys);
    for (const changes of operationChanges) ttls.applyOperation(cluster, keys, keyChanges(changes));
  }
  ttls.end();
}

/** An entry as getLedgerEntries answers it. */
export interface NodeEntry {
  readonly key: string;
  /** The LedgerEntryData. */
  readonly xdr: string;
  readonly extXdr: string;
  readonly lastModifiedLedgerSeq: number;
  readonly liveUntilLedgerSeq?: number;
}

export class StreamNetwork implements LedgerChain {
  readonly passphrase: string;
  private readonly ledgers = new Map<number, Uint8Array>();
  private readonly history = new Map<string, Version[]>();
  private readonly places = new Map<string, number>();
  readonly first: number;
  readonly last: number;

  /** `ledgers`: in order, without a gap. `known`: what was there before them, by key. */
  constructor(
    ledgers: readonly LedgerBytes[],
    passphrase: string,
    known: ReadonlyMap<string, EntryValue> = new Map(),
  ) {
    this.passphrase = passphrase;
    this.first = ledgers[0]?.sequence ?? 0;
    this.last = ledgers.at(-1)?.sequence ?? 0;
    const fromGenesis = this.first === FIRST_CLOSED_LEDGER;
    const state = new FoldedModel(fromGenesis);
    for (const [key, value] of known) this.history.set(key, [{ ledger: 0, value }]);
    let initial: ReadonlyMap<number, string> = new Map();
    for (const { sequence, ledgerCloseMeta } of ledgers) {
      this.ledgers.set(sequence, ledgerCloseMeta);
      const isGenesis = fromGenesis && sequence === this.first;
      const view = readLedgerCloseMeta(ledgerCloseMeta, passphrase);
      for (const [key, before] of firstChangesIn(view)) {
        if (before.kind !== "entry" || this.history.has(key)) continue;
        this.history.set(key, [{ ledger: 0, value: before.entryXdr ?? before.liveUntilLedger }]);
      }
      foldInto(state, view);
      this.note(view, state);
      if (isGenesis) initial = initialSettings(view.facts.protocolVersion);
    }
    // Written by no ledger's meta, and had by every node of such a network.
    for (const [id, value] of initial) {
      const key = settingKeyOf(id);
      const versions = this.history.get(key) ?? [];
      if (versions[0]?.ledger !== 0) this.history.set(key, [{ ledger: 0, value }, ...versions]);
    }
  }

  private note(view: LedgerCloseMetaView, state: FoldedModel): void {
    const ledger = view.facts.sequence;
    for (const { hash, innerHash } of view.transactions) {
      this.places.set(hash, ledger);
      if (innerHash !== null) this.places.set(innerHash, ledger);
    }
    const changed = new Set([...changesInLedger(view)].flat().map(({ keyXdr }) => keyXdr));
    for (const key of view.evictedKeys) changed.add(key.toBase64());
    for (const key of changed) {
      const value = state.archived(key) ?? state.entry(key) ?? state.liveUntilLedger(key) ?? null;
      const versions = this.history.get(key) ?? [];
      versions.push({ ledger, value });
      this.history.set(key, versions);
    }
  }

  private at(key: string, ledger: number): EntryValue {
    return this.history.get(key)?.findLast((version) => version.ledger <= ledger)?.value ?? null;
  }

  /** `live`: by name; those of the addresses that stand still need none. */
  serve(live: Readonly<Record<string, MadeNode>> = {}): StreamNodes {
    const nodes = (name: string): MadeNode | undefined => {
      const tip = Number.parseInt(name, 10);
      const still = Number.isNaN(tip)
        ? undefined
        : { tip: () => tip, hasEntries: name.endsWith("e") };
      return live[name] ?? still;
    };
    const horizon = (tip: number, path: readonly string[]) => this.answerHorizon(tip, path);
    const {
      horizonUrl,
      rpcUrl,
      [Symbol.asyncDispose]: end,
    } = serveNetwork(this, { nodes, horizon });
    return {
      horizonUrl: (ledger) => horizonUrl(String(ledger)),
      rpcUrl: (ledger, entries) => rpcUrl(`${ledger}${entries ? "e" : ""}`),
      liveUrl: (name = "live") => rpcUrl(name),
      [Symbol.asyncDispose]: end,
    };
  }

  bytes(sequence: number): Uint8Array {
    return this.ledgers.get(sequence) ?? new Uint8Array();
  }

  private answerHorizon(tip: number, [kind = "", name = ""]: readonly string[]): Response {
    if (kind === "transactions") {
      const found = this.find(tip, name);
      if (found === null) return Response.json({}, { status: 404 });
      const { answer, view } = found;
      return Response.json({
        envelope_xdr: answer.envelopeXdr,
        result_xdr: answer.resultXdr,
        result_meta_xdr: answer.resultMetaXdr,
        fee_meta_xdr: answer.feeChangesXdr,
        ledger: view.facts.sequence,
        paging_token: String(
          (BigInt(view.facts.sequence) << 32n) | (BigInt(answer.applicationOrder ?? 0) << 12n),
        ),
      });
    }
    const view = kind === "ledgers" ? this.view(Number(name), tip) : null;
    if (view === null) return Response.json({}, { status: 404 });
    return Response.json({ sequence: Number(name), header_xdr: view.facts.header.toBase64() });
  }

  transaction(hash: string, tip: number): object | null {
    const found = this.find(tip, hash);
    // Stellar RPC knows whole envelopes by their hash, and no inner ones.
    const whole = found?.view.transactions.some((each) => each.hash === hash);
    if (found === null || whole !== true) return null;
    const { answer, view } = found;
    return {
      status: readTransactionResult(answer.resultXdr).success ? "SUCCESS" : "FAILED",
      envelopeXdr: answer.envelopeXdr,
      resultXdr: answer.resultXdr,
      resultMetaXdr: answer.resultMetaXdr,
      ledger: view.facts.sequence,
      applicationOrder: answer.applicationOrder,
      createdAt: view.facts.closeTimeUnixSeconds,
    };
  }

  /** As getLedgerEntries: no expired temporary entries, 0 for what is archived or has expired. */
  entry(key: string, tip: number): NodeEntry | null {
    const entryXdr = this.at(key, tip);
    if (typeof entryXdr !== "string") return null;
    const soroban = isSorobanKey(key);
    const liveUntil = soroban ? Number(this.at(ttlKeyOf(key), tip) ?? 0) : null;
    const expired = liveUntil !== null && liveUntil < tip;
    if (expired && isTemporaryKey(key)) return null;
    const bytes = Uint8Array.fromBase64(entryXdr);
    const dataEnd = entryData.skip(xdrSource(bytes), HEAD_SIZE, 0);
    return {
      key,
      xdr: bytes.subarray(HEAD_SIZE, dataEnd).toBase64(),
      extXdr: bytes.subarray(dataEnd).toBase64(),
      lastModifiedLedgerSeq: lastModifiedOf(entryXdr),
      ...(liveUntil === null ? {} : { liveUntilLedgerSeq: expired ? 0 : liveUntil }),
    };
  }

  private find(tip: number, hash: string) {
    const view = this.view(this.places.get(hash.toLowerCase()) ?? 0, tip);
    const answer = view === null ? null : transactionInLedger(view, hash.toLowerCase());
    return view === null || answer === null ? null : { view, answer };
  }

  private view(sequence: number, tip: number): LedgerCloseMetaView | null {
    const bytes = sequence <= tip ? this.ledgers.get(sequence) : undefined;
    return bytes === undefined ? null : readLedgerCloseMeta(bytes, this.passphrase);
  }
}
