// Follows a network: it takes each ledger from the feed, verifies it, turns what happened into
// events, and saves the cursor with them. Several ledgers are verified together and committed in
// order. Invariant: a ledger is committed once, after its events were handed out. A ledger that was
// not committed is verified again after a restart, and makes events with the same ids.

import type { Clock } from "../base/clock.ts";
import type { SvcError } from "../base/errors/errors.ts";
import { requireLater } from "../debugger/run/rehearse.ts";
import type { FeedDependencies, FollowLog } from "../ledgers/feed/feed-node.ts";
import {
  type Backlog,
  type FeedLedger,
  type LedgerFeed,
  openFeed,
  type SkippedLedgers,
} from "../ledgers/feed/ledger-feed.ts";
import type { LedgerReader } from "../ledgers/ledger-reader.ts";
import { FOLLOW_COUNTS, type FollowEvent, type FollowTotals, type Seen } from "../model/follow.ts";
import { isProtocolUnknown } from "../model/protocols.ts";
import { noValues, sumOf, valuesOf } from "../model/verification.ts";
import { isDeath, withFurtherProcesses } from "../simulator/simulator-program.ts";
import { completeLedgers } from "../snapshot/gather/complete-ledgers.ts";
import { READING_LIMITS } from "../snapshot/gather/take-snapshot.ts";
import { isFailureOfNode } from "../sources/source.ts";
import { LedgerVerifier, type VerifierDependencies } from "../verify/ledger-verifier.ts";
import { beginVerifier, type Start } from "./begin-verifier.ts";
import { type ExplainDependencies, Observer } from "./explain-failure.ts";
import { eventsOf, type FollowOutcome, skippedEvent, summariesAt } from "./follow-events.ts";
import type { FollowCursor, FollowStore } from "./follow-store.ts";
import { FailureGroups } from "./group-failures.ts";

export interface FollowDependencies
  extends Pick<VerifierDependencies<Seen>, "engines" | "rehearseProtocol">,
    Omit<ExplainDependencies, "engines" | "ledgers">,
    Pick<FeedDependencies, "shown" | "refused" | "standsStill" | "protocolUnknown"> {
  readonly networkPassphrase: string;
  /** The largest size of the folded state. */
  readonly maximumBytes: number;
  readonly clock: Clock;
  readonly log: FollowLog;
  /** Null if nothing is saved. */
  readonly store: FollowStore | null;
  /** Receives each event before it is saved, so that it writes every event at least once. */
  readonly report: (events: readonly FollowEvent[]) => Promise<void>;
  /** Receives the number of the first ledger after it is known. */
  readonly started?: (firstLedger: number) => void;
  /** Receives the progress after each commit. */
  readonly committed: (progress: FollowProgress) => void;
  readonly pollMilliseconds?: number;
  readonly stallMilliseconds?: number;
}

export interface FollowOptions {
  /** Name of the network in events. */
  readonly network: string;
  /** Null to begin where the state ends, or `behindLedgers` before the latest ledger. */
  readonly fromLedger: number | null;
  /** Null to follow without an end. */
  readonly untilLedger: number | null;
  readonly behindLedgers: number;
  readonly windowSeconds: number;
  readonly backlog: Backlog;
}

export interface FollowProgress {
  readonly ledger: number;
  readonly closeTimeUnixSeconds: number;
  /** The latest ledger that a node has reported. */
  readonly latest: number;
  readonly totals: FollowTotals;
  /** Null for skipped ledgers. */
  readonly outcome: FollowOutcome | null;
  readonly events: readonly FollowEvent[];
}

/**
 * The number of ledgers that are verified at the same time, including those that are read ahead.
 */
const LEDGERS_AT_ONCE = 16;
const RETRY_MILLISECONDS = 2000;
/** About two minutes of a public network. */
const BEHIND_LEDGERS = 20;
const LAG_NOTE_MILLISECONDS = 60_000;

/**
 * Follows until `untilLedger` and returns the counts. If svc-sim dies, following goes on after the
 * last ledger that was committed. Throws FOLLOW_*, PROTOCOL_UNKNOWN, and every error that ends a
 * replay.
 */
export async function followLedgers(
  dependencies: FollowDependencies,
  options: FollowOptions,
  { signal }: { readonly signal: AbortSignal },
): Promise<FollowTotals> {
  const { store, engines, log } = dependencies;
  /** The position that was committed; null if not even the beginning of the following was. */
  let cursor = store?.cursor ?? null;
  const commit = (next: FollowCursor) => {
    cursor = next;
  };
  const follow = (death: SvcError | null) => {
    if (death === null) return followFrom(dependencies, options, { cursor, commit, signal });
    engines.ledgerEngine.restart();
    const problem = death.message;
    const at = cursor === null ? {} : { ledger: cursor.ledger + 1 };
    log("warn", "svc-sim is started again", { ...at, problem });
    const again = { ...dependencies, started: () => {} };
    const fromLedger = cursor === null ? options.fromLedger : null;
    return followFrom(again, { ...options, fromLedger }, { cursor, commit, signal });
  };
  return withFurtherProcesses(follow, () => cursor?.ledger ?? 0);
}

interface FollowContext {
  readonly cursor: FollowCursor | null;
  readonly commit: (cursor: FollowCursor) => void;
  readonly signal: AbortSignal;
}

async function followFrom(
  input: FollowDependencies,
  options: FollowOptions,
  { cursor: saved, commit, signal }: FollowContext,
): Promise<FollowTotals> {
  const { dependencies, feed } = openFeed(input);
  const start = await findStart(feed, saved, dependencies, options, signal);
  dependencies.started?.(start.first);
  const verifier = openVerifier(dependencies, signal);
  const committer = new Committer(dependencies, { ...options, commit }, feed, saved, start.first);
  try {
    await beginVerifier(dependencies, feed, verifier, start, signal);
    const feeding = { ...start, last: options.untilLedger, backlog: options.backlog };
    const waiting: Promise<void>[] = [];
    let rehearsal = dependencies.rehearseProtocol;
    const items = feed.ledgers(feeding, { signal });
    for await (const item of endedBy(items, () => Promise.all(waiting))) {
      committer.throwFailure();
      if (rehearsal !== null && item.kind !== "skipped") {
        // If svc has followed through the upgrade, it goes on without a rehearsal.
        const { protocolVersion, sequence } = item.view.facts;
        if (saved === null || saved.totals.ledgers === 0)
          requireLater(rehearsal, protocolVersion, `ledger ${sequence}`);
        rehearsal = null;
      }
      if (item.kind === "skipped") committer.addSkipped(item);
      else
        waiting.push(committer.add(await verifyWithRetries(dependencies, verifier, item, signal)));
      if (waiting.length >= LEDGERS_AT_ONCE) await waiting.shift();
    }
    await Promise.all(waiting);
    return await committer.finish(options.untilLedger !== null);
  } catch (error) {
    // What was verified before is committed, so that it is not verified again.
    if (isDeath(error)) await committer.settled();
    throw error;
  }
}

/**
 * Ends at a ledger whose protocol svc does not know, after the ledgers before it were committed.
 */
async function* endedBy<Item>(
  items: AsyncIterable<Item>,
  commitAll: () => Promise<unknown>,
): AsyncGenerator<Item> {
  try {
    yield* items;
  } catch (error) {
    if (isProtocolUnknown(error)) await commitAll();
    throw error;
  }
}

function openVerifier(
  dependencies: FollowDependencies & { readonly ledgers: LedgerReader },
  signal: AbortSignal,
) {
  const { networkPassphrase, maximumBytes, store } = dependencies;
  const keepsChanges = store !== null;
  const observer = new Observer(dependencies, signal);
  return new LedgerVerifier<Seen>({
    ...dependencies,
    fold: { networkPassphrase, maximumBytes, keepsChanges, keepsRecent: true },
    completion: completeLedgers(dependencies, READING_LIMITS, { signal }),
    observe: (transaction) => observer.observe(transaction),
    signal,
  });
}

async function findStart(
  feed: LedgerFeed,
  saved: FollowCursor | null,
  { log }: FollowDependencies,
  { fromLedger, behindLedgers }: FollowOptions,
  signal: AbortSignal,
): Promise<Start> {
  if (saved !== null) {
    const first = saved.ledger + 1;
    if (fromLedger !== null && fromLedger !== first) {
      log("info", "the saved state decides the first ledger", { ledger: first, given: fromLedger });
    }
    return { first, previousHash: saved.hash };
  }
  if (fromLedger !== null) return { first: fromLedger, previousHash: null };
  const latest = await feed.findLatest({ signal });
  return { first: Math.max(2, latest - behindLedgers), previousHash: null };
}

/**
 * Verifies a ledger. If no node can be asked for entries, it tries until one can: no ledger is
 * skipped.
 */
async function verifyWithRetries(
  { clock, log }: FollowDependencies,
  verifier: LedgerVerifier<Seen>,
  { view, source }: FeedLedger,
  signal: AbortSignal,
): Promise<{ readonly outcome: Promise<FollowOutcome> }> {
  for (let logged = false; ; logged = true) {
    const verifying = verifier.verify({ ledgerCloseMeta: view.bytes, view }, source);
    try {
      await verifying.folded;
      return verifying;
    } catch (error) {
      if (signal.aborted || !isFailureOfNode(error)) throw error;
      const { sequence } = view.facts;
      if (!logged)
        log("warn", "no node has the entries", { ledger: sequence, problem: error.message });
      await clock.sleep(RETRY_MILLISECONDS, signal);
    }
  }
}

class Committer {
  private readonly groups: FailureGroups;
  private cursor: FollowCursor;
  private failure: { readonly error: unknown } | null = null;
  /** When the next note about the lag is due; 0 while svc keeps up. */
  private nextLagNote = 0;
  /** The last commit. Each ledger is committed after the one before. */
  private last: Promise<void> = Promise.resolve();

  constructor(
    private readonly dependencies: FollowDependencies,
    private readonly options: FollowOptions & Pick<FollowContext, "commit">,
    private readonly feed: LedgerFeed,
    saved: FollowCursor | null,
    first: number,
  ) {
    const { networkPassphrase } = dependencies;
    this.groups = new FailureGroups(options.windowSeconds, saved?.groups);
    this.cursor = saved ?? {
      networkPassphrase,
      ledger: first - 1,
      hash: null,
      closeTimeUnixSeconds: 0,
      totals: noValues(FOLLOW_COUNTS),
      groups: [],
    };
    // From now on the state decides where to begin, even if no ledger is committed before svc ends.
    if (saved !== null) return;
    dependencies.store?.commit(this.cursor, [], null);
    options.commit(this.cursor);
  }

  add(verifying: { readonly outcome: Promise<FollowOutcome> }): Promise<void> {
    return this.afterLast(async () => {
      const outcome = await verifying.outcome;
      const { rehearseProtocol } = this.dependencies;
      const events = eventsOf(outcome, this.groups, { ...this.options, rehearseProtocol });
      const { sequence: ledger, hash, closeTimeUnixSeconds } = outcome;
      const totals = sumOf(FOLLOW_COUNTS, this.cursor.totals, valuesOf(FOLLOW_COUNTS, outcome));
      const next = { ...this.cursor, ledger, hash, closeTimeUnixSeconds, totals };
      await this.commit(next, events, outcome);
    });
  }

  addSkipped(skipped: SkippedLedgers): void {
    const { first, last } = skipped;
    void this.afterLast(async () => {
      const { totals } = this.cursor;
      const skippedLedgers = totals.skippedLedgers + last - first + 1;
      const next = { ...this.cursor, ledger: last, hash: null };
      const event = skippedEvent(skipped, this.options.network);
      await this.commit({ ...next, totals: { ...totals, skippedLedgers } }, [event], null);
    });
  }

  /**
   * Ends the following. `summarizes` is true if the run reached its end, so that open windows are
   * summarized.
   */
  async finish(summarizes: boolean): Promise<FollowTotals> {
    await this.last;
    if (!summarizes) return this.cursor.totals;
    const { network, windowSeconds } = this.options;
    const { ledger, closeTimeUnixSeconds: unixSeconds } = this.cursor;
    const at = { network, ledger, unixSeconds, windowSeconds };
    await this.commit(this.cursor, summariesAt(this.groups, at, true), null);
    return this.cursor.totals;
  }

  private afterLast(work: () => Promise<void>): Promise<void> {
    const { last } = this;
    this.last = last.then(work);
    this.last.catch((error: unknown) => {
      this.failure ??= { error };
    });
    return this.last;
  }

  /** Settles when no more ledgers are committed. */
  settled(): Promise<void> {
    return this.last.catch(() => {});
  }

  /** Throws the error that kept a ledger from being committed. */
  throwFailure(): void {
    if (this.failure !== null) throw this.failure.error;
  }

  /** Logs once a minute how far svc is behind. */
  private noteLag(ledger: number, behind: number): void {
    const { clock, log } = this.dependencies;
    const now = clock.monotonicMilliseconds();
    if (behind >= BEHIND_LEDGERS && now >= this.nextLagNote) {
      log("warn", "behind the network", { ledger, behind });
      this.nextLagNote = now + LAG_NOTE_MILLISECONDS;
    } else if (behind === 0 && this.nextLagNote > 0) {
      log("info", "caught up with the network", { ledger });
      this.nextLagNote = 0;
    }
  }

  private async commit(
    cursor: FollowCursor,
    events: readonly FollowEvent[],
    outcome: FollowOutcome | null,
  ): Promise<void> {
    const { report, store, committed } = this.dependencies;
    if (events.length > 0) await report(events);
    this.cursor = { ...cursor, groups: [] };
    const folded = outcome?.folded ?? null;
    const saved = { ...cursor, groups: this.groups.saved };
    store?.commit(saved, events, folded);
    this.options.commit(saved);
    const { ledger, closeTimeUnixSeconds, totals } = cursor;
    const latest = Math.max(this.feed.latest, ledger);
    this.noteLag(ledger, latest - ledger);
    committed({ ledger, closeTimeUnixSeconds, latest, totals, outcome, events });
  }
}
