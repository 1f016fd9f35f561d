// The beginning of a verification: what was folded before, and the ledger before the first, which
// shows the rent fee.

import { SvcError } from "../../base/errors/errors.ts";
import { isFailureOfNode } from "../../sources/source.ts";
import { forgedPart } from "../../xdr/ledger/check-ledger.ts";
import {
  type LedgerCloseMetaView,
  readLedgerCloseMeta,
} from "../../xdr/ledger/ledger-close-meta.ts";
import type { FeedDependencies } from "./feed-node.ts";
import type { FollowStore } from "./follow-store.ts";
import type { LedgerFeed } from "./ledger-feed.ts";
import type { LedgerVerifier } from "./verify-ledger.ts";

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
  verifier: LedgerVerifier,
  start: Start,
  signal: AbortSignal,
): Promise<void> {
  const saved = dependencies.store?.folded() ?? null;
  let last = await fetchPrelude(dependencies, start, signal);
  for (; last === "unknown"; last = await fetchPrelude(dependencies, start, signal)) {
    await feed.findLatest({ signal });
    await dependencies.clock.sleep(RETRY_MILLISECONDS, signal);
  }
  if (saved !== null) verifier.resume(saved, last);
  else if (last !== null) verifier.foldOnly(last);
}

/**
 * Null: no node has it. The first ledgers are verified all the same, with less that is known.
 * `unknown`: no source answers, and some of them may have it.
 */
async function fetchPrelude(
  { sources, networkPassphrase }: FeedDependencies,
  { first, previousHash }: Start,
  signal: AbortSignal,
): Promise<LedgerCloseMetaView | null | "unknown"> {
  if (first <= 2) return null;
  let [asked, failed] = [0, 0];
  for (const source of sources) {
    try {
      if (source.fetchLedgerCloseMeta === undefined) continue;
      asked += 1;
      const bytes = await source.fetchLedgerCloseMeta(first - 1, { signal });
      if (!bytes) continue;
      const view = readLedgerCloseMeta(bytes, networkPassphrase);
      const follows = previousHash === null || view.facts.hash === previousHash;
      if (follows && forgedPart(view) === null) return view;
    } catch (error) {
      if (signal.aborted || !(error instanceof SvcError)) throw error;
      if (isFailureOfNode(error)) failed += 1;
    }
  }
  const mayCome = failed === asked && sources.some(({ fetchTransaction }) => fetchTransaction);
  return asked > 0 && mayCome ? "unknown" : null;
}
