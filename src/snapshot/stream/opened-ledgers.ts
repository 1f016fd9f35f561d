// The answers of the ledger engine about a stream that it folds by itself, as evidence: the
// settings that it asks for, and the ledgers that it does not count.

import type {
  EngineFolded,
  EngineLacks,
  EngineLater,
  EnginePlace,
  EngineSettings,
  EngineSettingsQuestion,
  EngineVerdicts,
  FoldAnswer,
  KnownFootprint,
} from "../../simulator/engine-messages.ts";
import {
  type LedgerCloseMetaView,
  readLedgerCloseMeta,
} from "../../xdr/ledger/ledger-close-meta.ts";
import type { Evidence, LaterChanges, NodeStates } from "../evidence.ts";
import {
  type Complete,
  evidenceAtBeginning,
  evidenceInLedger,
  type FoldedTransaction,
  LedgerInPlace,
  type LedgerToFold,
  type SettingsOfLedger,
  settingsOfLedger,
} from "./fold-evidence.ts";
import type { Before } from "./ledger-changes.ts";
import {
  countsOfLedger,
  type FoldedLedger,
  type LedgersFold,
  NO_VERDICTS,
} from "./ledgers-fold.ts";

/** The ledgers of the stream, by their number in it. */
export interface StreamLedgers {
  /** Returns the file or node of a ledger that the engine does not count by itself. */
  source(folded: Pick<EngineFolded, "at" | "file">): string;
  /** Adds a ledger whose bytes the engine has sent. */
  add(number: number, ledger: LedgerToFold): void;
  /** Returns null if the bytes did not come. */
  get(number: number): LedgerToFold | null;
  /** Forgets the ledgers before that one. */
  forgetBefore(number: number): void;
}

/** The ledgers of files, whose bytes the engine sends. */
export class LedgersOfFiles implements StreamLedgers {
  private readonly shown = new Map<number, LedgerToFold>();

  constructor(private readonly paths: readonly string[]) {}

  source({ file }: Pick<EngineFolded, "file">): string {
    return this.paths[file] ?? "";
  }

  add(number: number, ledger: LedgerToFold): void {
    this.shown.set(number, ledger);
  }

  get(number: number): LedgerToFold | null {
    return this.shown.get(number) ?? null;
  }

  forgetBefore(first: number): void {
    for (const number of this.shown.keys()) if (number < first) this.shown.delete(number);
  }
}

export class OpenedLedgers {
  private later = new ToldMentions();
  /** The settings, by the number of the first ledger for which they hold. */
  private readonly settings = new Map<number, DecidedAt>();

  constructor(
    private readonly fold: LedgersFold,
    private readonly ledgers: StreamLedgers,
    private readonly complete: Complete | null,
  ) {}

  /** The settings for a ledger. */
  async decideSettings(question: EngineSettingsQuestion): Promise<EngineSettings | null> {
    const { place, gap, facts, entries } = question;
    if (place === undefined) throw new Error("the engine asks for settings of its stream");
    if (gap) this.later = new ToldMentions();
    const ledger = this.placed(place);
    const known = { firstLedger: facts.first_ledger, complete: facts.complete, settings: entries };
    const decided = await settingsOfLedger(ledger, known, this.later, this.complete);
    this.settings.set(place.number, { ...decided, entries });
    return decided.forEngine;
  }

  /** Evidence of keys that no ledger has shown so far. `nodes` shows them as nodes have them. */
  async beginning(
    { later, keys, ...facts }: EngineLacks,
    nodes: Promise<NodeStates> | null,
  ): Promise<Evidence> {
    this.later.add(later);
    const mentions = this.later;
    return evidenceAtBeginning({ ...facts, unknown_keys: keys }, mentions, await nodes);
  }

  source(folded: EngineFolded): string {
    return this.ledgers.source(folded);
  }

  /** A ledger that the engine does not count by itself. */
  async folded({ folded, verdicts }: FoldAnswer): Promise<FoldedLedger> {
    if (folded?.header === undefined) throw new Error("the engine folds the ledgers of its stream");
    const { header, open, place } = folded;
    if (folded.gap) this.later = new ToldMentions();
    const counted = open.length + folded.running + folded.refused + folded.unobserved;
    if (counted !== folded.soroban) throw new Error("the engine has left out a transaction");
    const { later } = this;
    const evidence = this.evidence(folded, later);
    // The bytes of the verdicts' ledger come with them.
    const ofVerdicts = verdicts?.then((each) => this.verdictsPlace(each));
    ofVerdicts?.catch(() => {});
    const openTransactions = place === undefined ? [] : await evidence(open, this.placed(place));
    return {
      ...countsOfLedger(folded),
      read: header,
      open: openTransactions,
      verdicts: verdicts ?? NO_VERDICTS(folded.sequence),
      evidence: async (known) => {
        const ledger = await ofVerdicts;
        if (ledger === undefined) throw new Error("verdicts that differ have their ledger");
        return (await evidence([known], ledger))[0] as FoldedTransaction;
      },
      changes: null,
    };
  }

  private verdictsPlace({ place }: EngineVerdicts): LedgerInPlace | undefined {
    return place && this.placed(place);
  }

  private evidence(folded: EngineFolded, later: LaterChanges) {
    const { first_ledger: firstLedger, complete } = folded.facts;
    const {
      settings = null,
      forEngine = null,
      entries = {},
    } = this.settings.get(folded.settings_of) ?? {};
    const facts = { firstLedger, complete, settings: entries };
    const known = { facts, settings, settingsAreSure: forEngine !== null, later };
    const source = this.source(folded);
    return (footprints: readonly KnownFootprint[], ledger: LedgerInPlace) =>
      evidenceInLedger({ ...known, ledger }, source, footprints, [], this.complete);
  }

  /** The ledger at a place, with its bytes and what is said of later ledgers. */
  private placed(place: EnginePlace): LedgerInPlace {
    this.forgetBefore(place.oldest);
    this.later.add(place.later);
    const { previous } = place;
    const before = previous && this.ledger(previous);
    const ledger = this.ledger(place);
    if (ledger === null) throw new Error("the engine has the bytes of its ledgers");
    return new LedgerInPlace(ledger, before, this.fold.networkPassphrase);
  }

  private ledger({ number, ledger }: Pick<EnginePlace, "number" | "ledger">): LedgerToFold | null {
    if (ledger !== null) this.ledgers.add(number, this.opened(Uint8Array.fromBase64(ledger)));
    return this.ledgers.get(number);
  }

  private opened(ledgerCloseMeta: Uint8Array): LedgerToFold {
    const { networkPassphrase } = this.fold;
    let view: LedgerCloseMetaView | null = null;
    return {
      ledgerCloseMeta,
      get view() {
        view ??= readLedgerCloseMeta(ledgerCloseMeta, networkPassphrase);
        return view;
      },
    };
  }

  /** Forgets what no ledger from there on needs. */
  private forgetBefore(oldest: number): void {
    this.ledgers.forgetBefore(oldest - 1);
    const earlier = [...this.settings.keys()].filter((number) => number <= oldest);
    for (const number of earlier.slice(0, -1)) this.settings.delete(number);
  }
}

interface DecidedAt extends SettingsOfLedger {
  readonly entries: Readonly<Record<string, string | null>>;
}

/** The first mentions that the engine has reported. It reports them before they are needed. */
class ToldMentions implements LaterChanges {
  private readonly mentions = new Map<string, { before: Before; ledger: number }>();
  readTo = 0;

  find(keyXdr: string) {
    return this.mentions.get(keyXdr);
  }

  add({ read_to: readTo, rows }: EngineLater): void {
    this.readTo = readTo;
    for (const { key, ledger, ...row } of rows)
      this.mentions.set(key, { before: beforeOf(row), ledger });
  }
}

function beforeOf(row: Omit<EngineLater["rows"][number], "key" | "ledger">): Before {
  const { kind, entry: entryXdr, live_until: liveUntilLedger } = row;
  if (kind === "entry") return { kind, entryXdr, liveUntilLedger };
  if (kind === "archived") return { kind, entryXdr };
  return { kind };
}
