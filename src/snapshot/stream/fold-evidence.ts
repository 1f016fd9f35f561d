// The evidence of a folded ledger's transactions: what the ledger and the one before it show, with
// what the engine knows of the keys. Nodes and other ledgers can complete it.

import type { ChainRecord } from "../../model/chain-record.ts";
import { isAssumed, isWord } from "../../model/provenance.ts";
import type {
  EngineRead,
  EngineSettings,
  KnownFootprint,
} from "../../simulator/engine-messages.ts";
import { readSorobanFacts, type SorobanFacts } from "../../xdr/envelope/envelope-facts.ts";
import { factsBeforeUpgrades } from "../../xdr/ledger/facts-before-upgrades.ts";
import { keyChanges } from "../../xdr/ledger/keyed-change.ts";
import type { LedgerCloseMetaView, LedgerTransaction } from "../../xdr/ledger/ledger-close-meta.ts";
import { readErrorReports } from "../../xdr/outcome/error-reports.ts";
import { readTransactionMeta, sliceMetaChanges } from "../../xdr/outcome/meta.ts";
import { type ResultFacts, reachedHost, readResultBytes } from "../../xdr/outcome/result.ts";
import { archivedByDiagnostics } from "../archived-by-diagnostics.ts";
import { type DecidedSettings, decideSettings } from "../decide-settings.ts";
import type { Evidence, LaterChanges, NodeStates } from "../evidence.ts";
import { type FootprintKey, footprintKeys, keysNamed } from "../footprint-keys.ts";
import { readOwnChanges } from "../own-changes.ts";
import { type FoldedFacts, FoldedKeys } from "./folded-keys.ts";
import { foldedRecord } from "./folded-record.ts";

/** A ledger. Only its bytes are read unless something else is needed. */
export interface LedgerToFold {
  readonly ledgerCloseMeta: Uint8Array;
  readonly view: LedgerCloseMetaView;
}

export interface ReadTransaction {
  readonly record: ChainRecord;
  readonly result: ResultFacts;
  /** The position in apply order, from 1. */
  readonly order: number;
  /** False if the transaction was refused before its operation ran. */
  readonly ran: boolean;
  /** The file or node that it was read from. */
  readonly source: string;
}

export interface FoldedTransaction extends ReadTransaction {
  readonly evidence: Evidence;
  readonly settings: DecidedSettings;
  /** True if the settings hold for the whole ledger and the engine has them. */
  readonly settingsAreSure: boolean;
}

/**
 * Completes evidence with what others than the ledgers know. It is called for each ledger, and
 * again for each transaction that differs.
 */
export type Complete = (
  evidence: readonly Evidence[],
  firstLedger: number,
) => Promise<Pick<Evidence, "nodes" | "traced" | "later">>;

/** The facts at a ledger, for evidence that is needed later too. */
export interface KnownLedger {
  readonly ledger: LedgerInPlace;
  readonly facts: FoldedFacts;
  /** Null if they depend on the transaction. */
  readonly settings: DecidedSettings | null;
  readonly settingsAreSure: boolean;
  readonly later: LaterChanges;
}

export interface SettingsOfLedger {
  /** Null if they depend on the transaction. */
  readonly settings: DecidedSettings | null;
  /** Null if they are not certain for every transaction of the ledger. */
  readonly forEngine: EngineSettings | null;
}

/** A ledger and the one before it. Each is opened when something in it is needed. */
export class LedgerInPlace {
  private known: ReturnType<typeof factsBeforeUpgrades> | null = null;

  constructor(
    private readonly input: LedgerToFold,
    private readonly last: LedgerToFold | null,
    readonly networkPassphrase: string,
  ) {}

  get view(): LedgerCloseMetaView {
    return this.input.view;
  }

  /** Null if the ledger does not follow it. */
  get previous(): LedgerCloseMetaView | null {
    const { facts = null } = this.last?.view ?? {};
    const { sequence, previousHash } = this.view.facts;
    const follows = facts?.sequence === sequence - 1 && facts.hash === previousHash;
    return follows ? (this.last?.view ?? null) : null;
  }

  /** The facts that held for its transactions. */
  get before(): ReturnType<typeof factsBeforeUpgrades> {
    this.known ??= factsBeforeUpgrades(this.view, this.previous?.facts ?? null);
    return this.known;
  }
}

const NO_NODES: NodeStates = { find: () => null, reason: "no ledger of the stream mentions it" };
const NOTHING_TRACED: Evidence["traced"] = new Map();

/** The evidence of transactions of which the engine told what it knows. */
export async function evidenceInLedger(
  { ledger, facts, settings, settingsAreSure, later }: KnownLedger,
  source: string,
  footprints: readonly KnownFootprint[],
  keysXdr: readonly string[],
  complete: Complete | null,
): Promise<FoldedTransaction[]> {
  const transactions = footprints.map((known) => {
    const transaction = ledger.view.transactions[known.order - 1] as LedgerTransaction;
    const soroban = readSorobanFacts(transaction.placed.envelope) as SorobanFacts;
    const footprint = footprintKeys(soroban.footprint);
    const folded = new FoldedKeys(facts, [...footprint, ...keysNamed(keysXdr)], known);
    const read = recordedTransaction(transaction, ledger, source);
    const parts = { transaction, soroban, read, ledger, folded, footprint, later };
    return { ...read, evidence: evidenceIn(parts) };
  });
  const completed = await complete?.(
    transactions.map(({ evidence }) => evidence),
    facts.firstLedger,
  );
  return transactions.map((each) => {
    const evidence = { ...each.evidence, ...completed };
    const decided = settings ?? decideSettings(evidence);
    return { ...each, evidence, settings: decided, settingsAreSure };
  });
}

/**
 * Decides the settings for the first transaction that ran. They hold for all, unless they are
 * uncertain.
 */
export async function settingsOfLedger(
  ledger: LedgerInPlace,
  facts: FoldedFacts,
  later: LaterChanges,
  complete: Complete | null,
): Promise<SettingsOfLedger> {
  for (const transaction of ledger.view.transactions) {
    const soroban = readSorobanFacts(transaction.placed.envelope);
    const read = recordedTransaction(transaction, ledger, "");
    if (soroban === null || !read.ran) continue;
    const folded = new FoldedKeys(facts, [], { keys: [] });
    const parts = { transaction, soroban, read, ledger, folded, footprint: [], later };
    const alone = evidenceIn(parts);
    const completed = await complete?.([alone], facts.firstLedger);
    const decided = decideSettings({ ...alone, ...completed });
    return {
      settings: decided.ofLedger ? decided : null,
      forEngine: isSure(decided) ? engineSettings(decided) : null,
    };
  }
  throw new Error("the engine asks for settings where a transaction ran");
}

export function recordedTransaction(
  transaction: LedgerTransaction,
  { view, before, networkPassphrase }: LedgerInPlace,
  source: string,
): ReadTransaction {
  const record = foldedRecord(transaction, { view, ...before }, { networkPassphrase, source });
  const result = readResultBytes(transaction.result);
  return { record, result, order: transaction.order, ran: reachedHost(result), source };
}

function evidenceIn(parts: {
  readonly transaction: LedgerTransaction;
  readonly soroban: SorobanFacts;
  readonly read: ReadTransaction;
  readonly ledger: LedgerInPlace;
  readonly folded: FoldedKeys;
  readonly footprint: readonly FootprintKey[];
  readonly later: LaterChanges;
}): Evidence {
  const { transaction, soroban, read, ledger, folded, footprint, later } = parts;
  const { operation, archivedEntryIndexes } = soroban;
  const { record, result } = read;
  const meta = sliceMetaChanges(transaction.meta);
  const own = {
    ledgerSequence: record.ledger.sequence,
    operation,
    succeeded: result.success,
    changesBefore: keyChanges(meta.changesBefore),
    operationChanges: meta.operationChanges.flatMap((changes) => keyChanges(changes)),
  };
  const operationResult = result.operationResults[0] ?? null;
  const reports = () => readErrorReports(readTransactionMeta(transaction.metaXdr).diagnosticsXdr);
  return {
    transaction: own,
    operationResult,
    archivedKeyXdr: archivedByDiagnostics(operationResult, reports),
    footprint,
    markedArchived: new Set(
      archivedEntryIndexes.map((at) => soroban.footprint.readWrite[at] ?? ""),
    ),
    own: readOwnChanges(own),
    ledger: {
      protocolVersion: record.ledger.protocolVersion,
      previous: ledger.previous,
      own: ledger.view,
    },
    folded,
    later,
    nodes: NO_NODES,
    traced: NOTHING_TRACED,
  };
}

/**
 * Evidence, at the beginning of a ledger, of keys that its transactions name and no ledger has
 * shown, for an invocation that changes none of them.
 */
export function evidenceAtBeginning(
  read: Pick<EngineRead, "sequence" | "protocol_version" | "unknown_keys">,
  later: LaterChanges,
  nodes: NodeStates | null,
): Evidence {
  const { sequence: ledgerSequence, protocol_version: protocolVersion } = read;
  const operation = "invoke_host_function";
  const changes = { changesBefore: [], operationChanges: null };
  const transaction = { ledgerSequence, operation, succeeded: true, ...changes } as const;
  const facts = { firstLedger: ledgerSequence, complete: false, settings: {} };
  return {
    transaction,
    operationResult: null,
    archivedKeyXdr: null,
    footprint: keysNamed(read.unknown_keys),
    markedArchived: new Set(),
    own: readOwnChanges(transaction),
    ledger: { protocolVersion, previous: null, own: null },
    folded: new FoldedKeys(facts, [], { keys: [] }),
    later,
    nodes: nodes === null ? NO_NODES : notBefore(nodes, ledgerSequence - 1),
    traced: NOTHING_TRACED,
  };
}

/**
 * Without the claims from before that ledger, which folded ledgers may have changed and forgotten
 * since.
 */
function notBefore(nodes: NodeStates, ledger: number): NodeStates {
  const find = (keyXdr: string) => {
    const state = nodes.find(keyXdr);
    return state !== null && state.latestLedger >= ledger ? state : null;
  };
  return { find, reason: nodes.reason };
}

function isSure({ settings, unknown, ofLedger }: DecidedSettings): boolean {
  return (
    ofLedger && unknown.length === 0 && settings.every(({ provenance }) => !isAssumed(provenance))
  );
}

function engineSettings({ settings, rentFeePer1KbStroops }: DecidedSettings): EngineSettings {
  return {
    entriesXdr: settings.map(({ entryXdr }) => entryXdr),
    rentFeePer1KbStroops,
    unconfirmed: settings.some(({ provenance }) => isWord(provenance)),
  };
}
