// Whole ledgers around the transaction's, read as far as any source has them.

import type { Clock } from "../../base/clock.ts";
import { SvcError } from "../../base/errors/errors.ts";
import { askInTurn, awakeInOrder } from "../../sources/ask-in-turn.ts";
import type { Source } from "../../sources/source.ts";
import { forgedPart } from "../../xdr/ledger/check-ledger.ts";
import {
  type LedgerCloseMetaView,
  readLedgerCloseMeta,
} from "../../xdr/ledger/ledger-close-meta.ts";
import { firstChangesIn } from "../stream/ledger-changes.ts";
import type { ChangesAhead, FirstChanges } from "./changes-ahead.ts";

export interface LedgerViews {
  /** Why ledgers are no longer read although there are more; null while they are. */
  readonly cut: string | null;
  /** How many are read at most. */
  readonly maximumLedgers: number;
  /** Null when no source has the ledger. */
  view(sequence: number): Promise<LedgerCloseMetaView | null>;
  /** Those of first to last that ledger files hold, in the files' order; not counted as read. */
  local(first: number, last: number): AsyncGenerator<LedgerCloseMetaView>;
  /** Ledgers first, first + 1, … without a gap; ends where no source goes on. */
  run(first: number, last: number): AsyncGenerator<LedgerCloseMetaView>;
  /** What these ledgers change first; those that are at hand are not counted as read. */
  changes(first: number, last: number): AsyncGenerator<LedgerFirstChanges>;
}

export interface LedgerFirstChanges {
  readonly sequence: number;
  readonly changes: FirstChanges;
}

export interface LedgerViewsDependencies {
  readonly sources: readonly Source[];
  readonly networkPassphrase: string;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly limits: ReadingLimits;
  /** How many ledgers are read at most, where that is more than how far; `limits.ledgers` if absent. */
  readonly maximumReads?: number;
  /** Where other ledgers are asked about too; absent: this is the only one. */
  readonly ahead?: ChangesAhead;
}

/** Of all that is read for one transaction. */
export interface ReadingLimits {
  readonly ledgers: number;
  readonly milliseconds: number;
}

/** Parsed ledgers that stay at hand; a walk comes back to the transaction's own and its neighbours. */
const KEPT_VIEWS = 8;

export function openLedgerViews(dependencies: LedgerViewsDependencies): LedgerViews {
  const kept = new Map<number, Promise<LedgerCloseMetaView | null>>();
  const budget = new ReadingBudget(dependencies);
  const view = (sequence: number) => {
    const known = kept.get(sequence);
    if (known !== undefined) return known;
    if (!budget.allows(sequence)) return Promise.resolve(null);
    const found = fetchView(dependencies, sequence);
    kept.set(sequence, found);
    const oldest = kept.keys().next().value;
    if (kept.size > KEPT_VIEWS && oldest !== undefined) kept.delete(oldest);
    return found;
  };
  return {
    get cut() {
      return budget.cut;
    },
    maximumLedgers: dependencies.limits.ledgers,
    view,
    local: (first, last) => readLocal(dependencies, first, last),
    run: (first, last) => readRun(dependencies, budget, first, last),
    changes: (first, last) => readChanges(dependencies, budget, first, last),
  };
}

class ReadingBudget {
  private readonly limits: ReadingLimits;
  private readonly maximumReads: number;
  private readonly clock: Clock;
  private readonly start: number;
  /** Ledgers that were read, each counted once however often it is read again. */
  private readonly read = new Set<number>();
  cut: string | null = null;

  constructor({ limits, clock, maximumReads = limits.ledgers }: LedgerViewsDependencies) {
    this.limits = limits;
    this.maximumReads = maximumReads;
    this.clock = clock;
    this.start = clock.monotonicMilliseconds();
  }

  /** False: not that ledger, and none after it. */
  allows(sequence: number): boolean {
    const { milliseconds } = this.limits;
    const most = this.maximumReads;
    if (this.read.size >= most && !this.read.has(sequence))
      this.cut = `reading stopped after ${most} ledgers`;
    else if (this.clock.monotonicMilliseconds() - this.start > milliseconds) {
      this.cut = `reading stopped after ${milliseconds / 1000} s`;
    }
    this.read.add(sequence);
    return this.cut === null;
  }
}

async function fetchView(
  { sources, networkPassphrase, signal }: LedgerViewsDependencies,
  sequence: number,
): Promise<LedgerCloseMetaView | null> {
  const { answer } = await askInTurn(sources, { signal }, async (source, context) => {
    const bytes = await source.fetchLedgerCloseMeta?.(sequence, context);
    return bytes === null || bytes === undefined ? null : readView(bytes, networkPassphrase);
  });
  return answer;
}

async function* readLocal(
  { sources, networkPassphrase, signal }: LedgerViewsDependencies,
  first: number,
  last: number,
): AsyncGenerator<LedgerCloseMetaView> {
  for (const source of sources) {
    if (source.local !== true || source.fetchLedgerCloseMetas === undefined) continue;
    for await (const { ledgerCloseMeta } of source.fetchLedgerCloseMetas(first, last, { signal })) {
      const view = readView(ledgerCloseMeta, networkPassphrase);
      if (view !== null) yield view;
    }
  }
}

async function* readRun(
  { sources, networkPassphrase, signal }: LedgerViewsDependencies,
  budget: ReadingBudget,
  first: number,
  last: number,
): AsyncGenerator<LedgerCloseMetaView> {
  let next = first;
  for (const source of awakeInOrder(sources)) {
    if (source.fetchLedgerCloseMetas === undefined || next > last || budget.cut !== null) continue;
    const ledgers = source.fetchLedgerCloseMetas(next, last, { signal })[Symbol.asyncIterator]();
    while (budget.allows(next)) {
      const { answer: step } = await askInTurn([source], { signal }, () => ledgers.next());
      if (step === null || step.done === true || step.value.sequence !== next) break;
      const view = readView(step.value.ledgerCloseMeta, networkPassphrase);
      if (view === null) break;
      yield view;
      next += 1;
    }
    await ledgers.return?.();
  }
}

async function* readChanges(
  dependencies: LedgerViewsDependencies,
  budget: ReadingBudget,
  first: number,
  last: number,
): AsyncGenerator<LedgerFirstChanges> {
  const { ahead } = dependencies;
  let next = first;
  for (; next <= last; next += 1) {
    const changes = ahead?.get(next);
    if (changes === undefined) break;
    yield { sequence: next, changes };
  }
  for await (const view of readRun(dependencies, budget, next, last)) {
    const { sequence } = view.facts;
    const changes = new Map(firstChangesIn(view));
    ahead?.keep(sequence, changes);
    yield { sequence, changes };
  }
}

/** Null when the bytes cannot be read or are forged: then another source may have better ones. */
function readView(bytes: Uint8Array, networkPassphrase: string): LedgerCloseMetaView | null {
  try {
    const view = readLedgerCloseMeta(bytes, networkPassphrase);
    return forgedPart(view) === null ? view : null;
  } catch (error) {
    if (error instanceof SvcError && error.code === "XDR_INVALID") return null;
    throw error;
  }
}
