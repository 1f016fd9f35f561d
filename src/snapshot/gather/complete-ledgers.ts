// Evidence of folded ledgers, completed by nodes and later ledgers: what `svc debug` gathers for
// one transaction, gathered once for all transactions of a ledger.

import { systemClock } from "../../base/clock.ts";
import type { SvcError } from "../../base/errors/errors.ts";
import type { FetchContext } from "../../sources/source.ts";
import { readSorobanFacts } from "../../xdr/envelope/envelope-facts.ts";
import type { LedgerCloseMetaView } from "../../xdr/ledger/ledger-close-meta.ts";
import { isSorobanKey, ttlKeyOf } from "../../xdr/reader/keys.ts";
import type { Evidence } from "../evidence.ts";
import type { LedgerState } from "../stream/ledger-state.ts";
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
   * Asks for entries of a ledger that is completed soon, which neither a node nor the folded
   * ledgers have shown. What fails is asked for again.
   */
  expect(view: LedgerCloseMetaView): void;
}

/** `limits`: of what is read for one transaction. */
export function completeLedgers(
  { sources, ledgers: reader }: SnapshotDependencies,
  limits: ReadingLimits,
  { signal }: FetchContext,
): LedgerCompletion {
  const nodes = new AskedNodes(sources);
  const ahead = new ChangesAhead();
  /** By ledger. */
  const early = new Map<number, Early>();
  let folded: LedgerState | null = null;
  const expect = (view: LedgerCloseMetaView) => {
    const expected = [...early.values()];
    const keys = footprintsOf(view).filter(
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
    ahead.forgetBefore(sequence);
    const many = Math.max(1, beginning.length);
    const ledgers = openLedgerViews({
      ledgers: reader,
      signal,
      clock: systemClock,
      limits: { ...limits, milliseconds: limits.milliseconds * many },
      maximumReads: limits.ledgers * many,
      ahead,
    });
    const options = { signal, progress: () => {} };
    const completed = await askAboutLedger({ ledgers, nodes }, beginning, options);
    const failure: SvcError | null = nodes.unanswered;
    if (failure !== null && failure.details.refused !== true) throw failure;
    return completed;
  };
  return { complete, expect };
}

/** With its TTL, where it has one. */
function isFolded(folded: LedgerState, keyXdr: string): boolean {
  if (folded.entry(keyXdr) === undefined) return false;
  return !isSorobanKey(keyXdr) || folded.liveUntilLedger(ttlKeyOf(keyXdr)) !== undefined;
}

interface Early {
  readonly keys: ReadonlySet<string>;
  /** Does not reject. */
  readonly answered: Promise<void>;
}

/** LedgerKeys that the ledger's transactions name. */
function footprintsOf({ transactions }: LedgerCloseMetaView): string[] {
  const keys = transactions.flatMap(({ placed }) => {
    const { readOnly, readWrite } = readSorobanFacts(placed.envelope)?.footprint ?? NOTHING;
    return [...readOnly, ...readWrite];
  });
  return [...new Set(keys)];
}

const NOTHING = { readOnly: [], readWrite: [] };
