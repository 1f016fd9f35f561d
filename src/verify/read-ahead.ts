// Ledgers of which the first are held back for a moment, so that what they say later can be known
// earlier. A range is fetched only once, so only as much as fits is looked at ahead.

import type { SourcedLedger } from "./plan-streams.ts";

export interface AheadLedgers {
  readonly firstSequence: number | null;
  /** Those that were read ahead. */
  first(): AsyncGenerator<SourcedLedger>;
  /** Those, then the rest. Once. */
  all(): AsyncGenerator<SourcedLedger>;
}

const MAXIMUM_BYTES = 64 * 1024 * 1024;

export async function readAhead(ledgers: AsyncIterable<SourcedLedger>): Promise<AheadLedgers> {
  const iterator = ledgers[Symbol.asyncIterator]();
  const kept: SourcedLedger[] = [];
  let bytes = 0;
  let ended = false;
  while (!ended && bytes < MAXIMUM_BYTES) {
    const next = await iterator.next();
    if (next.done === true) ended = true;
    else {
      kept.push(next.value);
      bytes += next.value.ledgerCloseMeta.length;
    }
  }
  return {
    firstSequence: kept[0]?.sequence ?? null,
    async *first() {
      yield* kept;
    },
    async *all() {
      try {
        for (let ledger = kept.shift(); ledger !== undefined; ledger = kept.shift()) yield ledger;
        if (!ended) yield* { [Symbol.asyncIterator]: () => iterator };
      } finally {
        await iterator.return?.();
      }
    },
  };
}
