// Wraps a remote source for a walk: a ledger is fetched only once, and a node that cannot be
// reached is skipped for a while.

import type { Clock } from "../../base/clock.ts";
import { SvcError } from "../../base/errors/errors.ts";
import type { LedgerBytes } from "../files/ledger-stream.ts";
import type { FetchContext, Source } from "../source.ts";

/** Enough for the ledgers around one transaction, even large ones. */
const KEPT_BYTES = 64 * 1024 * 1024;
/** The failures in a row after which a node gets no requests for REST_MILLISECONDS. */
const PATIENCE = { NETWORK_UNREACHABLE: 1, NETWORK_TIMEOUT: 2 } as const;
const REST_MILLISECONDS = 30_000;

export function steadySource(source: Source, clock: Clock): Source {
  const kept = new KeptLedgers();
  const guard = new Guard(clock);
  const { fetchTransaction, fetchLedgerFacts, fetchLatestFacts, fetchLedgerEntries } = source;
  const { fetchTip, fetchLedgerCloseMeta, fetchLedgerCloseMetas } = source;
  return {
    ...source,
    ...(fetchTransaction && {
      fetchTransaction: (hash: string, context: FetchContext) =>
        guard.run(() => fetchTransaction(hash, context)),
    }),
    ...(fetchLedgerFacts && {
      fetchLedgerFacts: (sequence: number, context: FetchContext) =>
        guard.run(() => fetchLedgerFacts(sequence, context)),
    }),
    ...(fetchLatestFacts && {
      fetchLatestFacts: (context: FetchContext) => guard.run(() => fetchLatestFacts(context)),
    }),
    ...(fetchTip && { fetchTip: (context: FetchContext) => guard.run(() => fetchTip(context)) }),
    ...(fetchLedgerEntries && {
      fetchLedgerEntries: (keysXdr: readonly string[], context: FetchContext) =>
        guard.run(() => fetchLedgerEntries(keysXdr, context)),
    }),
    ...(fetchLedgerCloseMeta && {
      fetchLedgerCloseMeta: async (sequence: number, context: FetchContext) => {
        const known = kept.get(sequence);
        if (known !== null) return known;
        const found = await guard.run(() => fetchLedgerCloseMeta(sequence, context));
        if (found !== null) kept.keep({ sequence, ledgerCloseMeta: found });
        return found;
      },
    }),
    ...(fetchLedgerCloseMetas && {
      async *fetchLedgerCloseMetas(first: number, last: number, context: FetchContext) {
        let next = first;
        for (; next <= last; next += 1) {
          const known = kept.get(next);
          if (known === null) break;
          yield { sequence: next, ledgerCloseMeta: known };
        }
        if (next > last) return;
        const ledgers = fetchLedgerCloseMetas(next, last, context)[Symbol.asyncIterator]();
        try {
          for (;;) {
            const step = await guard.run(() => ledgers.next());
            if (step.done === true) return;
            kept.keep(step.value);
            yield step.value;
          }
        } finally {
          await ledgers.return?.();
        }
      },
    }),
  };
}

class KeptLedgers {
  private readonly ledgers = new Map<number, Uint8Array>();
  private bytes = 0;

  get(sequence: number): Uint8Array | null {
    return this.ledgers.get(sequence) ?? null;
  }

  /** Deletes the oldest ledgers when there are too many. */
  keep({ sequence, ledgerCloseMeta }: LedgerBytes): void {
    if (this.ledgers.has(sequence) || ledgerCloseMeta.length > KEPT_BYTES) return;
    this.ledgers.set(sequence, ledgerCloseMeta);
    this.bytes += ledgerCloseMeta.length;
    for (const [oldest, { length }] of this.ledgers) {
      if (this.bytes <= KEPT_BYTES) return;
      this.ledgers.delete(oldest);
      this.bytes -= length;
    }
  }
}

class Guard {
  private readonly clock: Clock;
  private failures = 0;
  private last: { readonly error: SvcError; readonly until: number } | null = null;

  constructor(clock: Clock) {
    this.clock = clock;
  }

  async run<T>(ask: () => Promise<T>): Promise<T> {
    if (this.last !== null && this.clock.monotonicMilliseconds() < this.last.until) {
      throw this.last.error;
    }
    try {
      const answer = await ask();
      this.failures = 0;
      this.last = null;
      return answer;
    } catch (error) {
      if (error instanceof SvcError && error.code in PATIENCE) this.note(error);
      throw error;
    }
  }

  private note(error: SvcError): void {
    this.failures += 1;
    if (this.failures < PATIENCE[error.code as keyof typeof PATIENCE]) return;
    this.last = { error, until: this.clock.monotonicMilliseconds() + REST_MILLISECONDS };
  }
}
