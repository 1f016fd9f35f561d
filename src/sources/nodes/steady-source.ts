// Wraps a remote source for a walk: a ledger is fetched only once, and the standing of the node is
// known.
// Invariant: a ledger that does not pass the check of who asks for it is not kept.

import type { LedgerBytes } from "../files/ledger-stream.ts";
import type { FetchContext, LedgerContext, Source, Standing } from "../source.ts";

/** Enough for the ledgers around one transaction, even large ones. */
const KEPT_BYTES = 64 * 1024 * 1024;

export function steadySource(source: Source, standing: Standing): Source {
  const kept = new KeptLedgers();
  const { fetchTransaction, fetchLedgerFacts, fetchLatestFacts, fetchLedgerEntries } = source;
  const { fetchTip, fetchLedgerCloseMeta, fetchLedgerCloseMetas } = source;
  return {
    ...source,
    standing,
    ...(fetchTransaction && {
      fetchTransaction: (hash: string, context: FetchContext) =>
        standing.run(() => fetchTransaction(hash, context)),
    }),
    ...(fetchLedgerFacts && {
      fetchLedgerFacts: (sequence: number, context: FetchContext) =>
        standing.run(() => fetchLedgerFacts(sequence, context)),
    }),
    ...(fetchLatestFacts && {
      fetchLatestFacts: (context: FetchContext) => standing.run(() => fetchLatestFacts(context)),
    }),
    ...(fetchTip && { fetchTip: (context: FetchContext) => standing.run(() => fetchTip(context)) }),
    ...(fetchLedgerEntries && {
      fetchLedgerEntries: (keysXdr: readonly string[], context: FetchContext) =>
        standing.run(() => fetchLedgerEntries(keysXdr, context)),
    }),
    ...(fetchLedgerCloseMeta && {
      fetchLedgerCloseMeta: async (sequence: number, context: LedgerContext) => {
        const known = kept.get(sequence, context);
        if (known !== null) return known;
        const found = await standing.run(() => fetchLedgerCloseMeta(sequence, context));
        if (found !== null) kept.keep({ sequence, ledgerCloseMeta: found });
        return found;
      },
    }),
    ...(fetchLedgerCloseMetas && {
      async *fetchLedgerCloseMetas(first: number, last: number, context: LedgerContext) {
        let next = first;
        for (; next <= last; next += 1) {
          const known = kept.get(next, context);
          if (known === null) break;
          yield { sequence: next, ledgerCloseMeta: known };
        }
        if (next > last) return;
        const ledgers = fetchLedgerCloseMetas(next, last, context)[Symbol.asyncIterator]();
        try {
          for (;;) {
            const step = await standing.run(() => ledgers.next());
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

  get(sequence: number, { check }: LedgerContext): Uint8Array | null {
    const ledgerCloseMeta = this.ledgers.get(sequence) ?? null;
    if (ledgerCloseMeta === null) return null;
    try {
      check?.({ sequence, ledgerCloseMeta });
      return ledgerCloseMeta;
    } catch {
      // Another may come when it is asked for again.
      this.ledgers.delete(sequence);
      this.bytes -= ledgerCloseMeta.length;
      return null;
    }
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
