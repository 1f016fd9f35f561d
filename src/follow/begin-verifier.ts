// The beginning of a verification: what was folded before, and the ledger before the first, which
// shows the rent fee.

import { SvcError } from "../base/errors/errors.ts";
import type { LedgerBytes } from "../sources/files/ledger-stream.ts";
import { isFailureOfNode } from "../sources/source.ts";
import type { LedgerVerifier } from "../verify/ledger-verifier.ts";
import type { LedgerCloseMetaView } from "../xdr/ledger/ledger-close-meta.ts";
import { type FeedDependencies, openLedger, refusedLedger } from "./feed-node.ts";
import type { FollowStore } from "./follow-store.ts";
import type { LedgerFeed } from "./ledger-feed.ts";

export interface Start {
  readonly first: number;
  /** Of the ledger before; null when it is not known. */
  readonly previousHash: string | null;
}

const RETRY_MILLISECONDS = 2000;

/** Waits while no source answers: what it cannot know then, it would not learn later. */
export async function beginVerifier(
  dependencies: FeedDependencies & { readonly store: FollowStore | null },
  feed: LedgerFeed,
  verifier: LedgerVerifier<unknown>,
  start: Start,
  signal: AbortSignal,
): Promise<void> {
  const saved = dependencies.store?.folded() ?? null;
  const noted = new Set<string>();
  const note = ({ details: { refusedLedger: ledger, problem } }: SvcError, source: string) => {
    if (typeof ledger !== "number") return;
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
  if (saved !== null) verifier.resume(saved, last);
  else if (last !== null) verifier.foldOnly(last);
}

/**
 * Null: no node has it. The first ledgers are verified all the same, with less that is known.
 * `unknown`: no source answers with one that is accepted, and some of them may have it.
 */
async function fetchPrelude(
  { sources, ledgers }: FeedDependencies,
  { first, previousHash }: Start,
  failedAt: (failure: SvcError, source: string) => void,
  signal: AbortSignal,
): Promise<LedgerCloseMetaView | null | "unknown"> {
  if (first <= 2) return null;
  let [asked, failed] = [0, 0];
  const check = (ledger: LedgerBytes): LedgerCloseMetaView => {
    const view = openLedger(ledger, ledgers);
    if (previousHash === null || view.facts.hash === previousHash) return view;
    throw refusedLedger(first - 1, "a ledger is not the one that was verified: the nodes disagree");
  };
  for (const source of sources) {
    try {
      if (source.fetchLedgerCloseMeta === undefined) continue;
      asked += 1;
      const ledgerCloseMeta = await source.fetchLedgerCloseMeta(first - 1, { signal, check });
      if (ledgerCloseMeta) return check({ sequence: first - 1, ledgerCloseMeta });
    } catch (error) {
      if (signal.aborted || !(error instanceof SvcError)) throw error;
      if (isFailureOfNode(error)) failed += 1;
      failedAt(error, source.name);
    }
  }
  const mayCome = failed === asked && sources.some(({ fetchTransaction }) => fetchTransaction);
  return asked > 0 && mayCome ? "unknown" : null;
}
