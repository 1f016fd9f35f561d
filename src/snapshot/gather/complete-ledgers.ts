// Evidence of folded ledgers, completed by nodes and later ledgers: what `svc debug` gathers for
// one transaction, gathered once for all transactions of a ledger.

import { systemClock } from "../../base/clock.ts";
import { SvcError } from "../../base/errors/errors.ts";
import type { ReadLedger } from "../../ledgers/ledger-reader.ts";
import type { FetchContext } from "../../sources/source.ts";
import { readSorobanFacts } from "../../xdr/envelope/envelope-facts.ts";
import type { LedgerCloseMetaView } from "../../xdr/ledger/ledger-close-meta.ts";
import { isSorobanKey, ttlKeyOf } from "../../xdr/reader/keys.ts";
import type { Evidence } from "../evidence.ts";
import type { FoldedState } from "../stream/folded-state.ts";
import { ChangesAhead } from "./changes-ahead.ts";
import { askAboutLedger } from "./gather-evidence.ts";
import { openLedgerViews, type ReadingLimits } from "./ledger-views.ts";
import { AskedNodes } from "./node-states.ts";
import type { SnapshotDependencies } from "./take-snapshot.ts";

/** What nodes and later ledgers add to the evidence of a ledger's transactions. */
export type Completed = Pick<Evidence, "nodes" | "traced" | "later">;

/** Ledgers in order. */
export interface LedgerCompletion {
  /**
   * One call each. `beginning`: the evidence of each transaction of one ledger, at the ledger's
   * beginning. Throws NETWORK_* when no node could be asked for entries; a refusal is an answer.
   */
  complete(beginning: readonly Evidence[]): Promise<Completed>;
  /**
   * The ledgers, some held back until nodes are asked for those entries of the ones from `from` on
   * that neither a node nor the folded ledgers have shown. What fails is asked for again.
   */
  ahead(ledgers: AsyncIterable<ReadLedger>, from: number): AsyncGenerator<ReadLedger>;
}

/** A ledger is verified in less time than a node takes to answer. */
const LEDGERS_AHEAD = 8;

/** `limits`: of what is read for one transaction. */
export function completeLedgers(
  { sources, ledgers: reader }: SnapshotDependencies,
  limits: ReadingLimits,
  { signal }: FetchContext,
): LedgerCompletion {
  const nodes = new AskedNodes(sources);
  const changesAhead = new ChangesAhead();
  /** By ledger. */
  const early = new Map<number, Early>();
  let folded: FoldedState | null = null;
  const expect = (view: LedgerCloseMetaView) => {
    const expected = [...early.values()];
    const keys = namedKeys(view).filter(
      (key) =>
        nodes.find(key) === null &&
        !(folded !== null && isFolded(folded, key)) &&
        !expected.some((each) => each.keys.has(key)),
    );
    const answered = nodes.prefetch(keys, { signal }).catch(() => {});
    early.set(view.facts.sequence, { keys: new Set(keys), answered });
  };
  const complete = async (beginning: readonly Evidence[]) => {
    const sequence = beginning[0]?.transaction.ledgerSequence ?? 0;
    await early.get(sequence)?.answered;
    for (const ledger of early.keys()) if (ledger <= sequence) early.delete(ledger);
    folded = beginning[0]?.folded ?? null;
    nodes.beginLedger(folded?.firstLedger ?? 0);
    changesAhead.forgetBefore(sequence);
    const many = Math.max(1, beginning.length);
    const ledgers = openLedgerViews({
      ledgers: reader,
      signal,
      clock: systemClock,
      limits: { ...limits, milliseconds: limits.milliseconds * many },
      maximumReads: limits.ledgers * many,
      ahead: changesAhead,
    });
    const options = { signal, progress: () => {} };
    const completed = await askAboutLedger({ ledgers, nodes }, beginning, options);
    const failure: SvcError | null = nodes.unanswered;
    if (failure !== null && failure.details.refused !== true) throw failure;
    return completed;
  };
  async function* ahead(ledgers: AsyncIterable<ReadLedger>, from: number) {
    const shown: ReadLedger[] = [];
    try {
      for await (const ledger of ledgers) {
        if (ledger.sequence >= from) expect(ledger.view);
        shown.push(ledger);
        if (shown.length > LEDGERS_AHEAD) yield shown.shift() as ReadLedger;
      }
    } catch (error) {
      // Where the next one cannot be had, those before it can.
      yield* shown;
      throw error;
    }
    yield* shown;
  }
  return { complete, ahead };
}

/** With its TTL, where it has one. */
function isFolded(folded: FoldedState, keyXdr: string): boolean {
  if (folded.entry(keyXdr) === undefined) return false;
  return !isSorobanKey(keyXdr) || folded.liveUntilLedger(ttlKeyOf(keyXdr)) !== undefined;
}

interface Early {
  readonly keys: ReadonlySet<string>;
  /** Does not reject. */
  readonly answered: Promise<void>;
}

/** LedgerKeys that the ledger's transactions name; what is wrong with one is said at its turn. */
function namedKeys({ transactions }: LedgerCloseMetaView): string[] {
  try {
    const keys = transactions.flatMap(({ placed }) => {
      const { readOnly, readWrite } = readSorobanFacts(placed.envelope)?.footprint ?? NOTHING;
      return [...readOnly, ...readWrite];
    });
    return [...new Set(keys)];
  } catch (error) {
    if (error instanceof SvcError) return [];
    throw error;
  }
}

const NOTHING = { readOnly: [], readWrite: [] };
