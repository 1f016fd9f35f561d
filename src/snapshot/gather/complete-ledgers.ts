// Completes the evidence of folded ledgers with nodes and later ledgers: what `svc debug` gathers
// for one transaction is gathered once for all transactions of a ledger.

import { systemClock } from "../../base/clock.ts";
import type { SvcError } from "../../base/errors/errors.ts";
import type { ReadLedger } from "../../ledgers/ledger-reader.ts";
import { isProtocolUnknown } from "../../model/protocols.ts";
import type { FetchContext, Source } from "../../sources/source.ts";
import type { Evidence, NodeStates } from "../evidence.ts";
import { ChangesAhead } from "./changes-ahead.ts";
import { askAboutLedger, askedSettingKeys } from "./gather-evidence.ts";
import { openLedgerViews, type ReadingLimits } from "./ledger-views.ts";
import { AskedNodes } from "./node-states.ts";
import type { SnapshotDependencies } from "./take-snapshot.ts";

/** The evidence that nodes and later ledgers add for a ledger's transactions. */
export type Completed = Pick<Evidence, "nodes" | "traced" | "later">;

/** Completes ledgers in order. */
export interface LedgerCompletion {
  /**
   * Completes the evidence of one ledger. `open` has the evidence of its transactions, folded since
   * `firstFolded` without a gap. Throws NETWORK_* if no node could be asked for entries; a refusal
   * is an answer.
   */
  complete(open: readonly Evidence[], firstFolded: number): Promise<Completed>;
  /**
   * The states that nodes have shown so far, including the answer to the questions that were asked
   * ahead for the ledger.
   */
  atHand(sequence: number): Promise<NodeStates>;
  /**
   * The states that nodes have shown, after they were asked for the entries in `wantedKeysXdr`, which
   * that ledger's transactions name, and at the same time for the settings of a protocol (null: for
   * none). A question that fails is asked again later.
   */
  shown(
    sequence: number,
    wantedKeysXdr: readonly string[],
    settingsOfProtocol: number | null,
  ): Promise<NodeStates>;
  /**
   * The ledgers, of which some wait until nodes were asked for the entries in `wantedKeys`. A
   * question that fails is asked again later.
   */
  ahead(
    ledgers: AsyncIterable<ReadLedger>,
    wantedKeys: (ledger: ReadLedger) => Promise<readonly string[]>,
  ): AsyncGenerator<ReadLedger>;
  /**
   * For each of several nodes, the completion by its claims alone; empty if there is only one node.
   */
  readonly alone: readonly Pick<LedgerCompletion, "complete">[];
}

/** A ledger is verified in less time than a node needs for an answer. */
const LEDGERS_AHEAD = 8;

/** Makes the completion. `limits` bound what is read for one transaction. */
export function completeLedgers(
  { sources, ledgers: reader }: Pick<SnapshotDependencies, "sources" | "ledgers">,
  limits: ReadingLimits,
  { signal }: FetchContext,
): LedgerCompletion {
  const nodes = new AskedNodes(sources);
  const changesAhead = new ChangesAhead();
  const early = new EarlyQuestions(nodes, signal);
  const shown: LedgerCompletion["shown"] = async (sequence, wantedKeysXdr, settingsOfProtocol) => {
    const settings = settingsOfProtocol === null ? [] : askedSettingKeys(settingsOfProtocol);
    early.ask(sequence, wantedKeysXdr, settings);
    await early.answered();
    nodes.trim();
    return nodes;
  };
  const atHand = async (sequence: number) => {
    await early.answeredFor(sequence);
    nodes.beginLedger();
    changesAhead.forgetBefore(sequence);
    return nodes;
  };
  const complete = async (open: readonly Evidence[], firstFolded: number) => {
    const sequence = open[0]?.transaction.ledgerSequence ?? 0;
    await atHand(sequence);
    nodes.forgetBefore(firstFolded);
    const many = Math.max(1, open.length);
    const ledgers = openLedgerViews({
      ledgers: reader,
      signal,
      clock: systemClock,
      limits: { ...limits, milliseconds: limits.milliseconds * many },
      maximumReads: limits.ledgers * many,
      ahead: changesAhead,
    });
    const options = { signal, progress: () => {} };
    const completed = await askAboutLedger({ ledgers, nodes }, open, options);
    const failure: SvcError | null = nodes.unanswered;
    // A refusal is an answer, and so is a value that svc cannot read: a second answer would be the
    // same.
    if (failure !== null && failure.details.refused !== true && !isProtocolUnknown(failure))
      throw failure;
    return completed;
  };
  let alone: readonly LedgerCompletion[] | null = null;
  return {
    complete,
    atHand,
    shown,
    ahead: (ledgers, wantedKeys) => askedAhead(ledgers, wantedKeys, early),
    get alone() {
      const hasState = ({ fetchLedgerEntries, local }: Source) =>
        fetchLedgerEntries !== undefined && !local;
      const several = sources.filter(hasState);
      alone ??= (several.length > 1 ? several : []).map((node) => {
        const kept = sources.filter((source) => source === node || !hasState(source));
        return completeLedgers({ sources: kept, ledgers: reader }, limits, { signal });
      });
      return alone;
    },
  };
}

/** The same ledgers. The questions of each are asked while the ones before it are verified. */
async function* askedAhead(
  ledgers: AsyncIterable<ReadLedger>,
  wantedKeys: (ledger: ReadLedger) => Promise<readonly string[]>,
  early: EarlyQuestions,
) {
  const waiting: { readonly ledger: ReadLedger; readonly request: Promise<void> }[] = [];
  const taken = async () => {
    const { ledger, request } = waiting.shift() as (typeof waiting)[number];
    await request;
    return ledger;
  };
  try {
    for await (const ledger of ledgers) {
      const request = wantedKeys(ledger).then((keys) => early.ask(ledger.sequence, keys));
      // The error is thrown when it is the ledger's turn.
      request.catch(() => {});
      waiting.push({ ledger, request });
      if (waiting.length > LEDGERS_AHEAD) yield await taken();
    }
  } catch (error) {
    // If the next ledger cannot be read, those before it can be used.
    while (waiting.length > 0) yield await taken();
    throw error;
  }
  while (waiting.length > 0) yield await taken();
}

/** Questions that are asked ahead, by the ledger that they are for. */
class EarlyQuestions {
  private readonly byLedger = new Map<number, Early>();

  constructor(
    private readonly nodes: AskedNodes,
    private readonly signal: AbortSignal,
  ) {}

  /**
   * Asks for those of the keys that no node has shown and that are not asked for already. Each list
   * of keys is a question of its own.
   */
  ask(sequence: number, ...wantedKeysXdr: readonly (readonly string[])[]): void {
    const { nodes, signal } = this;
    const expected = [...this.byLedger.values()];
    const isOpen = (key: string) =>
      nodes.find(key) === null && !expected.some((each) => each.keys.has(key));
    const questions = wantedKeysXdr.map((keys) => keys.filter(isOpen));
    const answers = questions.map((keys) => nodes.prefetch(keys, { signal }).catch(() => {}));
    const answered = Promise.all(answers).then(() => {});
    this.byLedger.set(sequence, { keys: new Set(questions.flat()), answered });
  }

  /** Settles after the answers to all questions so far, and forgets the questions. */
  async answered(): Promise<void> {
    const questions = [...this.byLedger];
    await Promise.all(questions.map(([, { answered }]) => answered));
    for (const [ledger, question] of questions)
      if (this.byLedger.get(ledger) === question) this.byLedger.delete(ledger);
  }

  /** Settles after the answer for that ledger, and forgets the questions up to it. */
  async answeredFor(sequence: number): Promise<void> {
    await this.byLedger.get(sequence)?.answered;
    for (const ledger of this.byLedger.keys()) if (ledger <= sequence) this.byLedger.delete(ledger);
  }
}

interface Early {
  readonly keys: ReadonlySet<string>;
  /** Settles after the answers. It does not reject. */
  readonly answered: Promise<void>;
}
