// Ledgers in order → every Soroban transaction in them, each with what it ran against.
// Invariant: where a ledger is missing or does not follow the one before, what was folded is let
// go; nothing of it is taken for the state after the gap.

import type { ChainRecord, LedgerFacts } from "../../model/chain-record.ts";
import type { Snapshot } from "../../model/snapshot.ts";
import { readSorobanFacts } from "../../xdr/envelope/envelope.ts";
import { genesisAccount } from "../../xdr/ledger/genesis.ts";
import { keyChanges } from "../../xdr/ledger/keyed-change.ts";
import {
  type LedgerCloseMetaView,
  type LedgerTransaction,
  readLedgerCloseMeta,
} from "../../xdr/ledger/ledger-close-meta.ts";
import { type ResultFacts, reachedHost, readResultBytes } from "../../xdr/outcome/result.ts";
import { type FootprintKey, footprintKeys } from "../folded-footprint.ts";
import { decidingSettingKeys } from "../settings/deciding-settings.ts";
import { type FirstMentions, NO_MENTIONS } from "./first-mentions.ts";
import { type FoldStep, foldLedger } from "./fold-ledger.ts";
import { type FactsBeforeUpgrades, factsBeforeUpgrades } from "./ledger-facts.ts";
import { LedgerState, type StateCounts } from "./ledger-state.ts";
import { NOBODY_TOLD, type NodeEntries } from "./node-entries.ts";
import { type LedgerSettings, SettingsFold } from "./settings-fold.ts";
import { snapshotOfState } from "./snapshot-of-state.ts";

export interface FoldOptions {
  readonly networkPassphrase: string;
  /** What the same ledgers say of entries before they first change them. */
  readonly firstMentions?: FirstMentions;
  /** What nodes say of entries that the ledgers do not show. */
  readonly told?: NodeEntries;
}

export interface FoldedTransaction {
  readonly record: ChainRecord;
  /** Null when the transaction was refused before its operation ran. */
  readonly snapshot: Snapshot | null;
  readonly result: ResultFacts;
}

export interface FoldedLedger {
  readonly sequence: number;
  readonly soroban: readonly FoldedTransaction[];
  readonly classicTransactions: number;
}

/** The first ledger that has a LedgerCloseMeta: ledger 1 is made, not closed. */
const FIRST_CLOSED_LEDGER = 2;

/** One ledger after the other; bounded by the state it keeps, not by their number. */
export class LedgersFold {
  private readonly options: FoldOptions;
  private stream: { readonly state: LedgerState; readonly settings: SettingsFold } | null = null;
  private firstMentions: FirstMentions;
  private readonly told: NodeEntries;
  private previous: LedgerCloseMetaView | null = null;

  constructor(options: FoldOptions) {
    this.options = options;
    this.firstMentions = options.firstMentions ?? NO_MENTIONS;
    this.told = options.told ?? NOBODY_TOLD;
  }

  get counts(): StateCounts {
    return this.stream?.state.counts ?? { states: 0, corrected: 0 };
  }

  /** `source`: where the ledger was read, for the recordings' origins. */
  next(ledgerCloseMeta: Uint8Array, source: string): FoldedLedger {
    return this.fold(this.open(ledgerCloseMeta), source);
  }

  /** Must be followed by `fold` of the same ledger. */
  open(ledgerCloseMeta: Uint8Array): LedgerCloseMetaView {
    const view = readLedgerCloseMeta(ledgerCloseMeta, this.options.networkPassphrase);
    if (this.previous !== null && !follows(view, this.previous)) this.forget();
    this.stream ??= this.begin(view);
    return view;
  }

  /** LedgerKeys that the ledger's Soroban transactions may need and nothing told so far. */
  missing(view: LedgerCloseMetaView): string[] {
    const facts = view.transactions.map(({ placed }) => readSorobanFacts(placed.envelope));
    const soroban = facts.filter((fact) => fact !== null);
    if (soroban.length === 0) return [];
    const footprints = soroban.flatMap(({ footprint }) => footprintKeys(footprint));
    const { protocolVersion } = factsBeforeUpgrades(view, this.previous).facts;
    const settings = decidingSettingKeys(protocolVersion);
    return [
      ...settings.filter((keyXdr) => this.knowsNothing(keyXdr)),
      ...footprints.filter((key) => this.lacks(key)).map(({ keyXdr }) => keyXdr),
    ];
  }

  private lacks({ keyXdr, ttlKeyXdr }: FootprintKey): boolean {
    if (this.knowsNothing(keyXdr)) return true;
    if (ttlKeyXdr === null || this.told.findTtl(keyXdr) !== undefined) return false;
    const folded = this.stream?.state.liveUntilLedger(ttlKeyXdr);
    return folded === undefined && this.firstMentions.liveUntil.get(ttlKeyXdr) === undefined;
  }

  private knowsNothing(keyXdr: string): boolean {
    return (
      this.stream?.state.entry(keyXdr) === undefined &&
      this.firstMentions.entries.get(keyXdr) === undefined &&
      this.told.find(keyXdr) === undefined
    );
  }

  fold(view: LedgerCloseMetaView, source: string): FoldedLedger {
    this.stream ??= this.begin(view);
    const { state, settings: settingsFold } = this.stream;
    const origins = { transaction: source, ledger: source };
    const facts = factsBeforeUpgrades(view, this.previous);
    const { protocolVersion } = facts.facts;
    const settings = settingsFold.at(view, this.previous, protocolVersion);
    const soroban: FoldedTransaction[] = [];
    for (const step of foldLedger(state, view)) {
      soroban.push(this.take(state, step, facts, settings, origins));
    }
    this.previous = view;
    return {
      sequence: view.facts.sequence,
      soroban,
      classicTransactions: view.transactions.length - soroban.length,
    };
  }

  private take(
    state: LedgerState,
    step: FoldStep,
    { facts, caveat }: FactsBeforeUpgrades,
    settings: LedgerSettings,
    origins: Readonly<Record<string, string>>,
  ): FoldedTransaction {
    const { transaction } = step;
    const result = readResultBytes(transaction.result);
    const record = this.record(transaction, facts, origins);
    if (!reachedHost(result)) return { record, snapshot: null, result };
    const snapshot = snapshotOfState({
      state,
      firstMentions: this.firstMentions,
      told: this.told,
      footprint: step.footprint,
      operationChanges: step.operationChanges,
      result,
      settings,
      ledgerSequence: facts.sequence,
      protocolVersion: facts.protocolVersion,
    });
    if (caveat === null) return { record, snapshot, result };
    const unknown = [...snapshot.unknown, { keyXdr: "", reason: caveat }];
    return { record, snapshot: { ...snapshot, unknown }, result };
  }

  private record(
    transaction: LedgerTransaction,
    ledger: LedgerFacts,
    origins: Readonly<Record<string, string>>,
  ): ChainRecord {
    return {
      requestedHash: transaction.hash,
      hash: transaction.hash,
      innerHash: transaction.innerHash,
      networkPassphrase: this.options.networkPassphrase,
      envelopeXdr: transaction.envelopeXdr,
      resultXdr: transaction.resultXdr,
      resultMetaXdr: transaction.metaXdr,
      feeChangesXdr: transaction.feeChangesXdr,
      refundChangesXdr: transaction.refundChangesXdr,
      diagnosticEventsXdr: [],
      ledger,
      applicationOrder: transaction.order,
      origins,
    };
  }

  private begin(view: LedgerCloseMetaView): { state: LedgerState; settings: SettingsFold } {
    const fromGenesis = view.facts.sequence === FIRST_CLOSED_LEDGER;
    const state = new LedgerState({ fromGenesis });
    if (fromGenesis) {
      const account = genesisAccount(this.options.networkPassphrase);
      state.apply(keyChanges([{ kind: "created", bytes: account }]));
    }
    const genesisProtocol = fromGenesis ? view.facts.protocolVersion : null;
    return {
      state,
      settings: new SettingsFold(state, this.firstMentions, this.told, genesisProtocol),
    };
  }

  private forget(): void {
    // What later ledgers say need not hold on this side of the gap.
    this.firstMentions = NO_MENTIONS;
    this.stream = null;
    this.previous = null;
  }
}

function follows(view: LedgerCloseMetaView, previous: LedgerCloseMetaView): boolean {
  return (
    view.facts.sequence === previous.facts.sequence + 1 &&
    view.facts.previousHash === previous.facts.hash
  );
}
