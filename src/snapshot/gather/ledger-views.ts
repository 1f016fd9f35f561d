// Reads whole ledgers around a transaction's, within the limits for one transaction.

import type { Clock } from "../../base/clock.ts";
import type { SvcError } from "../../base/errors/errors.ts";
import { durationInWords } from "../../base/text/time.ts";
import type { LedgerReader } from "../../ledgers/ledger-reader.ts";
import { isProtocolUnknown } from "../../model/protocols.ts";
import { isFailureOfNode } from "../../sources/source.ts";
import type { LedgerCloseMetaView } from "../../xdr/ledger/ledger-close-meta.ts";
import { firstChangesIn } from "../stream/ledger-changes.ts";
import type { ChangesAhead, FirstChanges } from "./changes-ahead.ts";

/**
 * The ledgers. A ledger of a later protocol than svc knows is not read, and what it would show is
 * unknown.
 */
export interface LedgerViews {
  /**
   * The reason why ledgers are no longer read although there are more; null while they are read.
   */
  readonly cut: string | null;
  /** The largest number of ledgers to read. */
  readonly maximumLedgers: number;
  /** Null if no source has the ledger. */
  view(sequence: number): Promise<LedgerCloseMetaView | null>;
  /**
   * The ledgers from first to last in ledger files, in the files' order. They do not count as read.
   */
  local(first: number, last: number): AsyncGenerator<LedgerCloseMetaView>;
  /** The ledgers first, first + 1, … without a gap. Ends where no source has the next one. */
  run(first: number, last: number): AsyncGenerator<LedgerCloseMetaView>;
  /** The first changes of these ledgers. Those that are already known do not count as read. */
  changes(first: number, last: number): AsyncGenerator<LedgerFirstChanges>;
}

export interface LedgerFirstChanges {
  readonly sequence: number;
  readonly changes: FirstChanges;
}

export interface LedgerViewsDependencies {
  readonly ledgers: LedgerReader;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly limits: ReadingLimits;
  /**
   * The largest number of ledgers to read, if it is larger than the distance (default:
   * `limits.ledgers`).
   */
  readonly maximumReads?: number;
  /** Keeps first changes if other ledgers are requested too; absent if this is the only one. */
  readonly ahead?: ChangesAhead;
}

/** The limits of everything that is read for one transaction. */
export interface ReadingLimits {
  readonly ledgers: number;
  readonly milliseconds: number;
}

export function openLedgerViews(dependencies: LedgerViewsDependencies): LedgerViews {
  const { ledgers, signal, limits, ahead } = dependencies;
  const budget = new ReadingBudget(dependencies);
  /** Ledgers that no source has, which are not requested again. */
  const absent = new Set<number>();
  async function* run(first: number, last: number): AsyncGenerator<LedgerCloseMetaView> {
    if (first > last || !budget.allows(first)) return;
    try {
      for await (const { sequence, view } of ledgers.run(first, last, { signal })) {
        yield view;
        if (sequence < last && !budget.allows(sequence + 1)) return;
      }
    } catch (error) {
      if (isProtocolUnknown(error)) budget.end(error);
      else if (signal.aborted || !isFailureOfNode(error)) throw error;
    }
  }
  return {
    get cut() {
      return budget.cut;
    },
    maximumLedgers: limits.ledgers,
    async view(sequence) {
      if (absent.has(sequence) || !budget.allows(sequence)) return null;
      try {
        const ledger = await ledgers.view(sequence, { signal });
        if (ledger === null) absent.add(sequence);
        return ledger?.view ?? null;
      } catch (error) {
        if (!isProtocolUnknown(error)) throw error;
        budget.end(error);
        return null;
      }
    },
    async *local(first, last) {
      for await (const { view } of ledgers.local(first, last, { signal })) yield view;
    },
    run,
    async *changes(first, last) {
      let next = first;
      for (; next <= last; next += 1) {
        const changes = ahead?.get(next);
        if (changes === undefined) break;
        yield { sequence: next, changes };
      }
      for await (const view of run(next, last)) {
        const { sequence } = view.facts;
        const changes = new Map(firstChangesIn(view));
        ahead?.keep(sequence, changes);
        yield { sequence, changes };
      }
    },
  };
}

class ReadingBudget {
  private readonly limits: ReadingLimits;
  private readonly maximumReads: number;
  private readonly clock: Clock;
  private readonly start: number;
  /** The ledgers that were read. Each may be read again. */
  private readonly read = new Set<number>();
  cut: string | null = null;

  constructor({ limits, clock, maximumReads = limits.ledgers }: LedgerViewsDependencies) {
    this.limits = limits;
    this.maximumReads = maximumReads;
    this.clock = clock;
    this.start = clock.monotonicMilliseconds();
  }

  /** Stops before a ledger of a later protocol: nothing after it is read. */
  end({ details }: SvcError): void {
    const { ledger, protocolVersion } = details;
    this.cut ??= `ledger ${ledger} is of protocol ${protocolVersion}, which this svc does not know`;
  }

  /** False if the ledger, and every other unread one, must not be read. */
  allows(sequence: number): boolean {
    if (this.read.has(sequence)) return true;
    const { milliseconds } = this.limits;
    if (this.read.size >= this.maximumReads)
      this.cut = `reading stopped after ${this.maximumReads} ledgers`;
    else if (this.clock.monotonicMilliseconds() - this.start > milliseconds)
      this.cut = `reading stopped after ${durationInWords(milliseconds)}`;
    if (this.cut === null) this.read.add(sequence);
    return this.cut === null;
  }
}
