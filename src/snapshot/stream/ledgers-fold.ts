// Ledgers in order → every Soroban transaction in them, each with the evidence of what it ran
// against.
// Invariant: where a ledger is missing or does not follow the one before, what was folded is
// dropped; nothing of it is taken for the state after the gap.

import type { ChainRecord, LedgerFacts } from "../../model/chain-record.ts";
import type { SorobanFacts } from "../../xdr/envelope/envelope-facts.ts";
import { factsBeforeUpgrades } from "../../xdr/ledger/facts-before-upgrades.ts";
import { genesisAccount } from "../../xdr/ledger/genesis.ts";
import { keyChanges } from "../../xdr/ledger/keyed-change.ts";
import {
  type LedgerCloseMetaView,
  readLedgerCloseMeta,
} from "../../xdr/ledger/ledger-close-meta.ts";
import { readTransactionMeta } from "../../xdr/outcome/meta.ts";
import { type ResultFacts, reachedHost, readResultBytes } from "../../xdr/outcome/result.ts";
import { archivedByDiagnostics } from "../archived-by-diagnostics.ts";
import { type DecidedSettings, decideSettings, WINDOW } from "../decide-settings.ts";
import type { Evidence, LaterChanges, LedgerEvidence, NodeStates } from "../evidence.ts";
import { readOwnChanges } from "../own-changes.ts";
import { NO_MENTIONS } from "./first-mentions.ts";
import { type FoldStep, foldLedger, readStep } from "./fold-ledger.ts";
import { foldedRecord } from "./folded-record.ts";
import { type FoldedMismatch, FoldedState, type StateCounts } from "./folded-state.ts";
import type { SavedState, StateChanges } from "./state-maps.ts";

export interface FoldOptions {
  readonly networkPassphrase: string;
  /** What the same ledgers show of entries before they first change them. */
  readonly firstMentions?: LaterChanges;
  /** Base64 characters of keys and entries to hold at most. */
  readonly maximumCharacters?: number;
  /** At the limit only what was not used for long is forgotten. */
  readonly keepsRecent?: boolean;
  readonly onMismatch?: (mismatch: FoldedMismatch) => void;
  /** `takeChanges` will be called. */
  readonly keepsChanges?: boolean;
}

export interface FoldedTransaction {
  readonly record: ChainRecord;
  readonly step: FoldStep;
  readonly result: ResultFacts;
  /** Null when the transaction was refused before its operation ran. */
  readonly evidence: Evidence | null;
}

/** What a transaction is folded and replayed by, which does not depend on the state. */
interface Prepared {
  readonly step: FoldStep;
  readonly result: ResultFacts;
  /** Null for classic transactions too. */
  readonly evidence: Evidence | null;
}

/** The first ledger that has a LedgerCloseMeta: ledger 1 is made, not closed. */
export const FIRST_CLOSED_LEDGER = 2;

const NO_NODES: NodeStates = { find: () => null, reason: "no ledger of the stream mentions it" };

/** One ledger after the other; bounded by the state it keeps, not by their number. */
export class LedgersFold {
  private firstMentions: LaterChanges;
  private state: FoldedState | null = null;
  private previous: LedgerCloseMetaView | null = null;
  /** Of the ledger that is being folded. */
  private prepared: {
    readonly view: LedgerCloseMetaView;
    readonly transactions: readonly Prepared[];
  } | null = null;
  /** Until a setting changes every ledger has the same ones, and callers may rely on identity. */
  private settings: { readonly key: string; readonly value: DecidedSettings } | null = null;

  constructor(private readonly options: FoldOptions) {
    this.firstMentions = options.firstMentions ?? NO_MENTIONS;
  }

  get counts(): StateCounts {
    return this.state?.counts ?? { states: 0, corrected: 0 };
  }

  /** In the place of folding what was folded when it was saved. `last`: null where it is not known. */
  resume(saved: SavedState, last: LedgerCloseMetaView | null): void {
    this.state = new FoldedState({ ...this.options, fromGenesis: false });
    this.state.restore(saved);
    this.previous = last;
  }

  /** What was learnt since the last call; null before the first ledger. */
  takeChanges(): StateChanges | null {
    return this.state?.takeChanges() ?? null;
  }

  /** Must be followed by `fold` of the same ledger. */
  open(ledgerCloseMeta: Uint8Array): LedgerCloseMetaView {
    const view = readLedgerCloseMeta(ledgerCloseMeta, this.options.networkPassphrase);
    this.enter(view);
    return view;
  }

  enter(view: LedgerCloseMetaView): void {
    if (this.previous !== null && !follows(view, this.previous)) this.drop();
    this.state ??= this.begin(view);
  }

  /** The evidence of each transaction that ran, as far as it is known at the ledger's beginning. */
  beginning(view: LedgerCloseMetaView): Evidence[] {
    const { state } = this;
    if (state === null) return [];
    const { facts } = factsBeforeUpgrades(view, this.previous?.facts ?? null);
    return this.prepare(state, view, facts).flatMap(({ evidence }) => evidence ?? []);
  }

  /**
   * The ledger's Soroban transactions. The evidence of each holds until the next one is taken; all
   * must be taken. `source`: where the ledger was read, for the records' origins.
   */
  *fold(view: LedgerCloseMetaView, source: string): Generator<FoldedTransaction> {
    this.state ??= this.begin(view);
    const state = this.state;
    const { facts, assumed } = factsBeforeUpgrades(view, this.previous?.facts ?? null);
    const { networkPassphrase } = this.options;
    const origin = { networkPassphrase, source };
    const prepared = this.prepare(state, view, facts);
    const steps = prepared.map(({ step }) => step);
    for (const step of foldLedger(state, view, steps)) {
      const { transaction } = step;
      const { result, evidence } = prepared[transaction.order - 1] as Prepared;
      const ledger = { view, facts, assumed };
      yield { record: foldedRecord(transaction, ledger, origin), step, result, evidence };
    }
    this.leave(view);
  }

  /** In the place of `fold`, where nothing is replayed. */
  foldOnly(view: LedgerCloseMetaView): void {
    this.state ??= this.begin(view);
    for (const _ of foldLedger(this.state, view));
    this.leave(view);
  }

  private leave(view: LedgerCloseMetaView): void {
    this.previous = view;
    this.prepared = null;
  }

  private prepare(
    state: FoldedState,
    view: LedgerCloseMetaView,
    facts: LedgerFacts,
  ): readonly Prepared[] {
    if (this.prepared?.view === view) return this.prepared.transactions;
    const ledger = this.ledgerEvidence(view, facts);
    const transactions = view.transactions.map((transaction) => {
      const step = readStep(transaction);
      const result = readResultBytes(transaction.result);
      const ran = step.soroban !== null && reachedHost(result);
      const evidence = ran ? this.evidence(state, ledger, facts, step, step.soroban, result) : null;
      return { step, result, evidence };
    });
    this.prepared = { view, transactions };
    return transactions;
  }

  /** The settings of the ledger that is being folded, from its own evidence. */
  decideSettings(evidence: Evidence): DecidedSettings {
    const { protocolVersion, previous, own } = evidence.ledger;
    const { nextRentFeePer1KbStroops: rentFee, averageStateSizeBytes: size } = (previous ??
      own) as LedgerCloseMetaView;
    const first = previous === null ? evidence.transaction.ledgerSequence : 0;
    const { settingsRevision = 0 } = this.state ?? {};
    const key = [settingsRevision, protocolVersion, rentFee, size, first].join();
    if (this.settings?.key === key) return this.settings.value;
    const value = decideSettings(evidence);
    // In the first ledger it can be the transaction that shows that the window does not matter.
    const isOpen = !value.ofLedger && value.settings.some(({ name }) => name === WINDOW);
    if (!isOpen) this.settings = { key, value };
    return value;
  }

  private ledgerEvidence(view: LedgerCloseMetaView, facts: LedgerFacts): LedgerEvidence {
    return {
      protocolVersion: facts.protocolVersion,
      previous: this.previous,
      own: view,
    };
  }

  private evidence(
    state: FoldedState,
    ledger: LedgerEvidence,
    { sequence }: LedgerFacts,
    step: FoldStep,
    { operation, footprint, archivedEntryIndexes }: SorobanFacts,
    result: ResultFacts,
  ): Evidence {
    const { changesBefore, operationChanges } = step;
    const succeeded = result.success;
    const ledgerSequence = sequence;
    const transaction = {
      ledgerSequence,
      operation,
      succeeded,
      changesBefore,
      operationChanges,
    };
    const operationCode = result.operationCodes[0] ?? null;
    const diagnostics = () => readTransactionMeta(step.transaction.metaXdr).diagnosticsXdr;
    return {
      transaction,
      operationCode,
      archivedKeyXdr: archivedByDiagnostics(operationCode, diagnostics),
      footprint: step.footprint,
      markedArchived: new Set(archivedEntryIndexes.map((at) => footprint.readWrite[at] ?? "")),
      own: readOwnChanges(transaction),
      ledger,
      folded: state,
      later: this.firstMentions,
      nodes: NO_NODES,
      traced: NOTHING_TRACED,
    };
  }

  private begin(view: LedgerCloseMetaView): FoldedState {
    const { networkPassphrase } = this.options;
    const fromGenesis = view.facts.sequence === FIRST_CLOSED_LEDGER;
    const state = new FoldedState({ ...this.options, fromGenesis });
    if (fromGenesis) {
      const bytes = genesisAccount(networkPassphrase);
      state.apply(keyChanges([{ kind: "created", bytes }]));
    }
    return state;
  }

  private drop(): void {
    // What later ledgers show need not hold on this side of the gap.
    this.firstMentions = NO_MENTIONS;
    this.state = null;
    this.settings = null;
    this.previous = null;
    this.prepared = null;
  }
}

const NOTHING_TRACED: Evidence["traced"] = new Map();

function follows(view: LedgerCloseMetaView, previous: LedgerCloseMetaView): boolean {
  return (
    view.facts.sequence === previous.facts.sequence + 1 &&
    view.facts.previousHash === previous.facts.hash
  );
}
