// Passes ledgers in order to the engine that folds them, and returns what each of them shows, and
// the evidence of the transactions that the engine does not run by itself. Invariant: if a ledger
// is missing or does not follow the one before, the folded state is dropped. None of it counts as
// the state after the gap.

import { SvcError } from "../../base/errors/errors.ts";
import type {
  EngineFolded,
  EngineRead,
  EngineVerdicts,
  FoldAnswer,
  FoldChoice,
  KnownFootprint,
} from "../../simulator/engine-messages.ts";
import type { LedgerEngine } from "../../simulator/ledger-engine.ts";
import { readSorobanFacts } from "../../xdr/envelope/envelope-facts.ts";
import { genesisAccount } from "../../xdr/ledger/genesis.ts";
import type { DecidedSettings } from "../decide-settings.ts";
import type { Evidence, LaterChanges, NodeStates } from "../evidence.ts";
import { NO_MENTIONS } from "./first-mentions.ts";
import {
  type Complete,
  evidenceAtBeginning,
  evidenceInLedger,
  type FoldedTransaction,
  type KnownLedger,
  LedgerInPlace,
  type LedgerToFold,
  type ReadTransaction,
  recordedTransaction,
  settingsOfLedger,
} from "./fold-evidence.ts";
import type { SavedState, StateChanges } from "./saved-state.ts";

export interface FoldOptions {
  readonly networkPassphrase: string;
  /** What the same ledgers show of entries before they first change them. */
  readonly firstMentions?: LaterChanges;
  /** The largest number of bytes of keys and entries to hold. */
  readonly maximumBytes?: number;
  /** True if only what was not used for long is forgotten at the limit. */
  readonly keepsRecent?: boolean;
  /** True if each folded ledger reports the rows that it changed. */
  readonly keepsChanges?: boolean;
  /** True if each ledger that is read reports the keys that no ledger has shown yet. */
  readonly asks?: boolean;
}

/** An entry that the chain loaded or restored with another value than the ledgers gave it. */
export interface FoldedMismatch {
  readonly kind: "state" | "restored";
  readonly ledger: number;
  /** The LedgerKey, which can be that of a TTL entry. */
  readonly keyXdr: string;
  /** The LedgerEntry, or the last live ledger of a TTL; null if it did not exist. */
  readonly folded: string | null;
  readonly onChain: string | null;
}

export interface FoldedLedger {
  readonly read: EngineRead;
  /** The protocol of its transactions. */
  readonly protocolVersion: number;
  readonly classic: number;
  readonly refused: number;
  readonly mismatches: readonly FoldedMismatch[];
  /** The transactions that the engine does not run by itself. */
  readonly open: readonly FoldedTransaction[];
  /** The verdicts on the transactions that it runs. */
  readonly verdicts: Promise<EngineVerdicts>;
  /** The evidence of a transaction that differs. */
  evidence(known: KnownFootprint): Promise<FoldedTransaction>;
  /** Null if changes are not kept. */
  readonly changes: StateChanges | null;
}

/** The first ledger with a LedgerCloseMeta: ledger 1 is made, not closed. */
export const FIRST_CLOSED_LEDGER = 2;

/** The bytes of keys and entries: about 3 million entries of usual size. */
const MAXIMUM_BYTES = 768 * 2 ** 20;
/** A ledger that was sent together with its fold. */
interface LedgerOnItsWay {
  readonly read: Promise<EngineRead | string>;
  readonly answer: Promise<FoldAnswer>;
}

/** A ledger that is being folded. A failed step can be repeated. */
interface Folding {
  readonly input: LedgerToFold;
  readonly read: EngineRead;
  answer: FoldAnswer | null;
}

/**
 * Folds one ledger after another. The state that it keeps bounds its memory, not the number of
 * ledgers.
 */
export class LedgersFold {
  private firstMentions: LaterChanges;
  private isOpen = false;
  /** The ledgers that were read and not folded. */
  private readonly read = new Map<Uint8Array, EngineRead>();
  private readonly begun = new Map<Uint8Array, LedgerOnItsWay>();
  private previous: LedgerToFold | null = null;
  private folding: Folding | null = null;
  /**
   * The settings, which hold until the engine asks for them again; null if they depend on the
   * transaction.
   */
  private settings: DecidedSettings | null = null;
  private settingsAreSure = false;
  private settingEntries: Readonly<Record<string, string | null>> = {};

  constructor(
    readonly engine: LedgerEngine,
    private readonly options: FoldOptions,
  ) {
    this.firstMentions = options.firstMentions ?? NO_MENTIONS;
  }

  get networkPassphrase(): string {
    return this.options.networkPassphrase;
  }

  /**
   * Restores a saved state instead of folding its ledgers. `last` is null if the last ledger is
   * unknown.
   */
  async resume({ facts, rows }: SavedState, last: LedgerToFold | null): Promise<void> {
    if (last !== null) await this.show(last);
    else this.open();
    this.read.clear();
    const { firstLedger, youngSince, generation, everyLedgerFolded: complete } = facts;
    const input = { first_ledger: firstLedger, young_since: youngSince, generation, complete };
    await this.engine.resume(input, rows, last !== null);
    this.previous = last;
  }

  /**
   * Shows a ledger before it is folded. The answer has those of its transactions' keys that no
   * ledger has shown. Throws XDR_INVALID.
   */
  async show(input: LedgerToFold): Promise<EngineRead> {
    const known = this.read.get(input.ledgerCloseMeta);
    if (known !== undefined) return known;
    this.open();
    const begun = this.begun.get(input.ledgerCloseMeta);
    const read = await (begun?.read ?? this.engine.read(input.ledgerCloseMeta));
    if (typeof read === "string") throw unreadable(input, read);
    this.read.set(input.ledgerCloseMeta, read);
    return read;
  }

  /**
   * Sends a ledger to be folded after those before it, without waiting for any of them. This is for
   * a fold that needs only its ledgers.
   */
  begin(input: LedgerToFold, choice: FoldChoice): void {
    this.open();
    const read = this.engine.read(input.ledgerCloseMeta);
    const answer = this.engine.fold(choice);
    // The code that folds the ledger handles their failure.
    for (const each of [read, answer]) each.catch(() => {});
    this.begun.set(input.ledgerCloseMeta, { read, answer });
  }

  /** Folds a ledger without any replay. */
  async foldOnly(input: LedgerToFold): Promise<readonly FoldedMismatch[]> {
    const { engine } = this;
    const { sequence } = await this.show(input);
    const { folded } = await engine.fold({ run: false, want: false });
    requireInOrder(folded, sequence);
    if (folded?.gap) this.drop();
    engine.done(sequence);
    this.leave(input);
    return folded === undefined ? [] : mismatchesOf(folded);
  }

  /**
   * Folds a ledger. `source` is where the ledger was read, for the origins of records. If
   * `complete` throws, the same ledger can be folded again.
   */
  async fold(
    input: LedgerToFold,
    source: string,
    choice: FoldChoice,
    complete: Complete | null = null,
  ): Promise<FoldedLedger> {
    const { engine } = this;
    if (this.folding?.input.ledgerCloseMeta !== input.ledgerCloseMeta) {
      const read = await this.show(input);
      const begun = this.begun.get(input.ledgerCloseMeta);
      this.folding = { input, read, answer: await (begun?.answer ?? engine.fold(choice)) };
    }
    const folding = this.folding;
    const { read } = folding;
    if (folding.answer?.settings !== undefined) {
      if (folding.answer.settings.gap) this.drop();
      const { entries: settings, facts } = folding.answer.settings;
      this.settingEntries = settings;
      const known = { firstLedger: facts.first_ledger, complete: facts.complete, settings };
      const place = this.ledgerOf(input);
      const decided = await settingsOfLedger(place, known, this.firstMentions, complete);
      this.settings = decided.settings;
      this.settingsAreSure = decided.forEngine !== null;
      folding.answer = await engine.settings(decided.forEngine);
    }
    const folded = folding.answer?.folded;
    if (folded === undefined) throw new Error("the engine folds a ledger that it has");
    requireInOrder(folded, read.sequence);
    if (folded.gap) this.drop();
    const counted = folded.open.length + folded.running + folded.refused;
    if ((choice.run || choice.want === true) && counted !== folded.soroban)
      throw new Error("the engine has left out a transaction");
    const { first_ledger: firstLedger, complete: isComplete } = folded.facts;
    const known: KnownLedger = {
      ledger: this.ledgerOf(input),
      facts: { firstLedger, complete: isComplete, settings: this.settingEntries },
      settings: this.settings,
      settingsAreSure: this.settingsAreSure,
      later: this.firstMentions,
    };
    const evidence = (footprints: readonly KnownFootprint[]) =>
      evidenceInLedger(known, source, footprints, choice.keys ?? [], complete);
    const open = folded.open.length === 0 ? [] : await evidence(folded.open);
    const verdicts = folding.answer?.verdicts ?? NO_VERDICTS(read.sequence);
    this.folding = null;
    this.leave(input);
    return {
      ...countsOfLedger(folded),
      read,
      open,
      verdicts,
      evidence: async (transaction) => (await evidence([transaction]))[0] as FoldedTransaction,
      changes: folded.rows && {
        reset: folded.rows.reset,
        facts: savedFacts(folded.rows.facts),
        rows: folded.rows.rows,
      },
    };
  }

  /**
   * Evidence, at the beginning of a ledger, of keys that its transactions name and no ledger has
   * shown, for an invocation that changes none of them.
   */
  async beginning(input: LedgerToFold, nodes: NodeStates | null): Promise<Evidence> {
    return evidenceAtBeginning(await this.show(input), this.firstMentions, nodes);
  }

  /** The ledger's Soroban transactions, as the chain records them. */
  *transactions(input: LedgerToFold, source: string): Generator<ReadTransaction> {
    const ledger = this.ledgerOf(input);
    for (const transaction of input.view.transactions) {
      if (readSorobanFacts(transaction.placed.envelope) === null) continue;
      yield recordedTransaction(transaction, ledger, source);
    }
  }

  /** Begins the stream, unless it has begun. */
  open(): void {
    if (this.isOpen) return;
    this.isOpen = true;
    const { networkPassphrase, maximumBytes, keepsRecent, keepsChanges, asks } = this.options;
    this.engine.open({
      networkPassphrase,
      genesisXdr: genesisAccount(networkPassphrase).toBase64(),
      maximumBytes: maximumBytes ?? MAXIMUM_BYTES,
      keepsRecent: keepsRecent ?? false,
      keepsRows: keepsChanges ?? false,
      asks: asks ?? false,
    });
  }

  private leave(input: LedgerToFold): void {
    this.previous = input;
    this.read.delete(input.ledgerCloseMeta);
    this.begun.delete(input.ledgerCloseMeta);
  }

  /** Drops the folded state. What later ledgers show need not hold on this side of a gap. */
  private drop(): void {
    this.firstMentions = NO_MENTIONS;
    this.settings = null;
    this.previous = null;
  }

  private ledgerOf(input: LedgerToFold): LedgerInPlace {
    return new LedgerInPlace(input, this.previous, this.options.networkPassphrase);
  }
}

function requireInOrder(folded: EngineFolded | undefined, sequence: number): void {
  if (folded !== undefined && folded.sequence !== sequence)
    throw new Error(`ledger ${sequence} was not shown before ledger ${folded.sequence}`);
}

/** Returns the facts of a folded ledger that need no evidence. */
export function countsOfLedger(folded: EngineFolded) {
  return {
    protocolVersion: folded.protocol_version,
    classic: folded.classic,
    refused: folded.refused,
    mismatches: mismatchesOf(folded),
  };
}

function mismatchesOf({ sequence: ledger, mismatches }: EngineFolded): FoldedMismatch[] {
  return mismatches.map(({ kind, key: keyXdr, folded, on_chain: onChain }) => {
    return { kind, ledger, keyXdr, folded, onChain };
  });
}

function savedFacts({ first_ledger, young_since, generation, complete }: EngineFolded["facts"]) {
  return {
    firstLedger: first_ledger,
    youngSince: young_since,
    generation,
    everyLedgerFolded: complete,
  };
}

export const NO_VERDICTS = (sequence: number): Promise<EngineVerdicts> =>
  Promise.resolve({ sequence, equal: 0, unconfirmed: 0, differ: [], changed: [] });

/** The error of svc's own reader for the bytes, or for a transaction without an envelope. */
export function unreadable({ view }: LedgerToFold, problem: string): unknown {
  for (const { placed } of view.transactions) readSorobanFacts(placed.envelope);
  return new SvcError("XDR_INVALID", {
    message: `The ledger cannot be read: ${problem}.`,
    remedy: "Read the ledger from another source.",
  });
}
