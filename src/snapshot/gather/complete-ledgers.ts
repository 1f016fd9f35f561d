// Evidence of folded ledgers, completed by nodes and later ledgers: what `svc debug` gathers for
// one transaction, gathered once for all transactions of a ledger.

import { systemClock } from "../../base/clock.ts";
import type { SvcError } from "../../base/errors/errors.ts";
import type { FetchContext, Source } from "../../sources/source.ts";
import type { Evidence } from "../evidence.ts";
import { ChangesAhead } from "./changes-ahead.ts";
import { askAboutLedger } from "./gather-evidence.ts";
import { openLedgerViews, type ReadingLimits } from "./ledger-views.ts";
import { AskedNodes } from "./node-states.ts";

/** What nodes and later ledgers add to the evidence of a ledger's transactions. */
export type Completed = Pick<Evidence, "nodes" | "traced" | "later">;

/** `beginning`: the evidence of each transaction of one ledger, at the ledger's beginning. */
export type CompleteLedger = (beginning: readonly Evidence[]) => Promise<Completed>;

/**
 * Ledgers in order, one call each. The call throws NETWORK_* when no node could be asked for
 * entries; a refusal is an answer. `limits`: of what is read for one transaction.
 */
export function completeLedgers(
  sources: readonly Source[],
  networkPassphrase: string,
  limits: ReadingLimits,
  { signal }: FetchContext,
): CompleteLedger {
  const nodes = new AskedNodes(sources);
  const ahead = new ChangesAhead();
  return async (beginning) => {
    nodes.beginLedger(beginning[0]?.folded?.firstLedger ?? 0);
    ahead.forgetBefore(beginning[0]?.transaction.ledgerSequence ?? 0);
    const many = Math.max(1, beginning.length);
    const ledgers = openLedgerViews({
      sources,
      networkPassphrase,
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
}
