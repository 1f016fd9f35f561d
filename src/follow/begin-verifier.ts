// Begins a verification with the state that was folded before, and with the ledger before the
// first, which shows the rent fee.

import { SvcError } from "../base/errors/errors.ts";
import { type FeedDependencies, openLedger, refusedLedger } from "../ledgers/feed/feed-node.ts";
import type { LedgerFeed } from "../ledgers/feed/ledger-feed.ts";
import type { LedgerBytes } from "../sources/files/ledger-stream.ts";
import { isFailureOfNode } from "../sources/source.ts";
import type { LedgerVerifier } from "../verify/ledger-verifier.ts";
import type { LedgerCloseMetaView } from "../xdr/ledger/ledger-close-meta.ts";
import type { FollowStore } from "./follow-store.ts";

export interface Start {
  readonly first: number;
  /** The hash of the ledger before; null if it is unknown. */
  readonly previousHash: string | null;
}

const RETRY_MILLISECONDS = 2000;

/**
 * Waits while no source answers, because a fact that is missing at the beginning cannot be learnt
 * later.
 */
export async function beginVerifier(
  dependencies: FeedDependencies & { readonly store: FollowStore | null },
  feed: LedgerFeed,
  verifier: LedgerVerifier<unknown>,
  start: Start,
  signal: AbortSignal,
): Promise<void> {
  const saved = dependencies.store?.folded() ?? null;
  const noted = new Set<string>();
  const note = ({ details: { sequence: ledger, problem } }: SvcError, source: string) => {
    if (typeof ledger !== "number" || !problem) return;
    const refusal = { ledger, source, problem: String(problem) };
    dependencies.refused?.(refusal);
    dependencies.standsStill?.(refusal);
    if (!noted.has(`${source} ${problem}`)) dependencies.log("warn", refusal.problem, refusal);
    noted.add(`${source} ${problem}`);
  };
  let last = await fetchPrelude(dependencies, start, note, signal);
  for (; last === "unknown"; last = await fetchPrelude(dependencies, start, note, signal)) {
    await feed.findLatest({ signal });
    await dependencies.clock.sleep(RETRY_MILLISECONDS, signal);
  }
  const prelude = last && { ledgerCloseMeta: last.bytes, view: last };
  if (saved !== null) await verifier.resume(saved, prelude);
  else if (prelude !== null) await verifier.foldOnly(prelude);
}

/**
 * Null if no node has the ledger: the first ledgers are then verified with fewer known facts.
 * `unknown` if no source gave an acceptable answer and some of them may have the ledger.
 */
async function fetchPrelude(
  { sources, ledgers }: FeedDependencies,
  { first, previousHash }: Start,
  failedAt: (failure: SvcError, source: string) => void,
  signal: AbortSignal,
): Promise<LedgerCloseMetaView | null | "unknown"> {
  if (first <= 2) return null;
  let [attempts, failed] = [0, 0];
  const check = (ledger: LedgerBytes): void => {
    const { hash } = openLedger(ledger, ledgers).facts;
    if (previousHash === null || hash === previousHash) return;
    throw refusedLedger(first - 1, "a ledger is not the one that was verified: the nodes disagree");
  };
  for (const source of sources) {
    try {
      if (source.fetchLedgerCloseMetas === undefined) continue;
      attempts += 1;
      const only = { signal, check, sources: [source] };
      for await (const { view } of ledgers.run(first - 1, first - 1, only)) return view;
    } catch (error) {
      if (signal.aborted || !(error instanceof SvcError)) throw error;
      if (isFailureOfNode(error)) failed += 1;
      failedAt(error, source.name);
    }
  }
  const mayCome = failed === attempts && sources.some(({ fetchTransaction }) => fetchTransaction);
  return attempts > 0 && mayCome ? "unknown" : null;
}
